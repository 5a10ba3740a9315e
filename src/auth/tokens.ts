// Tokens (docs/http-api.md 3.1): three-part HS256 with the claims that clients read and the session's id.
// A token proves which session it belongs to; whether that session still lives is asked of the records on each request.
import { jwtVerify, SignJWT } from 'jose'
import type { TokenUser } from '../access-types.ts'
import type { Session, User } from '../store/document.ts'

const ALGORITHM = 'HS256'
const ISSUER = 'File Browser'
/** Verified tokens remembered, so that a busy client costs one signature check per token. */
const MAX_REMEMBERED = 5_000

/** `api`: sent in X-Auth by clients. `cookie`: kept by the browser, valid on GET alone. */
type TokenUse = 'api' | 'cookie'

export interface VerifiedToken {
  sessionId: string
  userId: number
  use: TokenUse
  /** Seconds since the epoch. */
  issuedAt: number
  expiresAt: number
}

/** An account, and what is told of it besides its record. */
type Bearer = User & Pick<TokenUser, 'mayShare'>

interface Tokens {
  /** `lifeMs` counts from now. */
  issue(user: Bearer, session: Session, use: TokenUse, lifeMs: number): Promise<string>
  /** Null for anything forged, malformed or expired. */
  verify(token: string): Promise<VerifiedToken | null>
  /** Like verify but lets expired tokens pass; for the proxy assertion of GHSA-v3jv-rmh2-635j. */
  verifyExpired(token: string): Promise<VerifiedToken | null>
}

/** `signingKey` answers the current key, base64; it changes when the configuration is imported. */
export function createTokens(signingKey: () => string): Tokens {
  let secretOf = ''
  let secret = new Uint8Array()
  const remembered = new Map<string, VerifiedToken>()

  const currentSecret = () => {
    const key = signingKey()
    if (key !== secretOf) {
      secretOf = key
      secret = new Uint8Array(Buffer.from(key, 'base64'))
      remembered.clear()
    }
    return secret
  }

  const check = async (token: string, now?: Date): Promise<VerifiedToken | null> => {
    try {
      const { payload } = await jwtVerify(token, currentSecret(), {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        requiredClaims: ['exp', 'iat', 'sid'],
        ...(now ? { currentDate: now } : {}),
      })
      const {
        sid,
        use,
        user,
        iat = 0,
        exp = 0,
      } = payload as typeof payload & {
        sid: unknown
        use: unknown
        user?: { id?: unknown }
      }
      if (typeof sid !== 'string' || !Number.isSafeInteger(user?.id)) return null
      return {
        sessionId: sid,
        userId: user?.id as number,
        use: use === 'cookie' ? 'cookie' : 'api',
        issuedAt: iat,
        expiresAt: exp,
      }
    } catch {
      return null
    }
  }

  return {
    issue: (user, session, use, lifeMs) => {
      const nowSeconds = Math.floor(Date.now() / 1000)
      return new SignJWT({
        user: toTokenUser(user),
        sid: session.id,
        ...(use === 'cookie' ? { use } : {}),
      })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .setIssuer(ISSUER)
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + Math.max(1, Math.round(lifeMs / 1000)))
        .sign(currentSecret())
    },
    verify: async (token) => {
      currentSecret()
      const known = remembered.get(token)
      if (known) return known.expiresAt * 1000 > Date.now() ? known : null
      const verified = await check(token)
      if (verified) {
        if (remembered.size >= MAX_REMEMBERED) remembered.clear()
        remembered.set(token, verified)
      }
      return verified
    },
    // A date in the past makes `exp` pass while signature and algorithm are still checked.
    verifyExpired: (token) => check(token, new Date(0)),
  }
}

function toTokenUser(user: Bearer): TokenUser {
  return {
    id: user.id,
    locale: user.locale,
    viewMode: user.viewMode,
    singleClick: user.singleClick,
    redirectAfterCopyMove: user.redirectAfterCopyMove,
    perm: { ...user.perm },
    commands: [...user.commands],
    lockPassword: user.lockPassword,
    hideDotfiles: user.hideDotfiles,
    dateFormat: user.dateFormat,
    username: user.username,
    aceEditorTheme: user.aceEditorTheme,
    ...(user.mayShare !== undefined && { mayShare: user.mayShare }),
  }
}
