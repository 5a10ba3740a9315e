// A provider tells that somebody has signed out there (OpenID Connect Back-Channel Logout 1.0).
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { AppError } from '../../lib/errors.ts'
import type { Once } from './once.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** How old a notice may be, seconds. */
const MAX_AGE_S = 300
const TOLERANCE_S = 30

export interface LogoutNotice {
  issuer: string
  /** At least one of the two is there. */
  subject: string | null
  sid: string | null
}

interface Expected {
  issuer: string
  clientId: string
  /** Of the provider's key, never of a secret that others know. */
  algorithms: string[]
  keys: JWTVerifyGetKey
  once: Once
}

/** Checks what 2.6 of the specification lists. Throws `bad_request`. */
export async function readLogoutToken(
  token: string,
  { issuer, clientId, algorithms, keys, once }: Expected,
): Promise<LogoutNotice> {
  const payload = await verify(() =>
    jwtVerify(token, keys, {
      issuer,
      audience: clientId,
      algorithms,
      maxTokenAge: MAX_AGE_S,
      clockTolerance: TOLERANCE_S,
      requiredClaims: ['jti', 'events'],
    }),
  )
  const { sub, sid, jti, events, nonce } = payload
  const event = (events as Record<string, unknown> | null)?.[EVENT]
  if (typeof event !== 'object' || event === null) throw refused('it tells of no logout')
  if (nonce !== undefined) throw refused('it is an ID token')
  if (typeof sub !== 'string' && typeof sid !== 'string') throw refused('it names nobody')
  if (!(await once(`logout ${jti}`, (MAX_AGE_S + 2 * TOLERANCE_S) * 1000)))
    throw refused('it came before')
  return {
    issuer,
    subject: typeof sub === 'string' ? sub : null,
    sid: typeof sid === 'string' ? sid : null,
  }
}

async function verify(
  work: () => Promise<{ payload: JWTPayload; protectedHeader: { typ?: string } }>,
): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await work()
    // Older providers send none, or the word that all such tokens had.
    if (!/^((application\/)?logout\+jwt|jwt)?$/i.test(protectedHeader.typ ?? ''))
      throw new Error('it is of another type')
    return payload
  } catch (error) {
    throw refused((error as Error).message)
  }
}

function refused(reason: string): AppError {
  return new AppError('bad_request', `the logout token is refused: ${reason}`)
}
