// The provider: asked about itself at first use, so that one that is down delays no start, and again after a failure.
import { readFile } from 'node:fs/promises'
import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose'
import type { ClientAuth, Configuration, TokenEndpointResponse } from 'openid-client'
import type { Config } from '../../config/config.ts'
import { AppError } from '../../lib/errors.ts'
import type { ShortLived } from '../../store/short-lived/short-lived.ts'
import type { ExternalIdentity } from '../external/admit.ts'
import type { Attempt } from './attempt.ts'
import { type Claims, claimAt, groupsAt, hasTooManyGroups, TOO_MANY_GROUPS } from './claims.ts'
import { type LogoutNotice, readLogoutToken } from './logout-token.ts'
import { createOnce, type Once } from './once.ts'
import { type OidcOptions, oidcOptionsOf } from './options.ts'

const TIMEOUT_S = 10
/** What a provider says of itself is asked for again after this time. */
const FRESH_MS = 60 * 60_000
/** Signing out waits no longer for a provider. */
const LOGOUT_WAIT_MS = 3_000

/** Whom the provider has shown to be there. */
export interface Shown {
  who: ExternalIdentity
  /** Of the session there; empty when the provider names none. */
  sid: string
  idToken: string
}

export interface OidcProvider {
  readonly options: OidcOptions
  readonly once: Once
  /** Asks the provider about itself. Throws `unreachable`. */
  check(): Promise<void>
  /** Where the browser goes. Throws `unreachable`. */
  begin(attempt: Attempt, redirectURI: string): Promise<string>
  /**
   * Takes what the browser came back with. Throws `wrong_credentials` for what does not belong to the attempt or is
   * forged, `unreachable`, `sign_in_unavailable` when the provider fails.
   */
  finish(attempt: Attempt, currentURL: string): Promise<Shown>
  /** Where the browser goes to sign out there, too; null where the provider offers nothing. */
  logoutURL(idToken: string, returnTo: string): Promise<string | null>
  /** Throws `bad_request` for a token that is none, `unreachable`. */
  readLogout(token: string): Promise<LogoutNotice>
}

type Client = typeof import('openid-client')

interface Known {
  client: Client
  config: Configuration
  keys: JWTVerifyGetKey
}

/** Null where none is configured; nothing is loaded then. */
export function createOidcProvider(config: Config, all: ShortLived): OidcProvider | null {
  const options = oidcOptionsOf(config)
  return options && providerOf(options, all)
}

function providerOf(options: OidcOptions, all: ShortLived): OidcProvider {
  const once = createOnce(all)
  let known: Promise<Known> | null = null
  let knownAtMs = 0
  const get = () => {
    if (known && Date.now() - knownAtMs < FRESH_MS) return known
    knownAtMs = Date.now()
    const asked = discover(options)
    known = asked
    asked.catch(() => {
      if (known === asked) known = null
    })
    return asked
  }
  return {
    options,
    once,
    check: async () => void (await get()),
    begin: async (attempt, redirectURI) => {
      const { client, config } = await get()
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectURI,
        scope: options.scopes,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        ...(attempt.purpose === 'confirm' && { prompt: 'login', max_age: '0' }),
      })
      return url.href
    },
    finish: async (attempt, currentURL) => {
      const { client, config } = await get()
      try {
        const tokens = await client.authorizationCodeGrant(config, new URL(currentURL), {
          pkceCodeVerifier: attempt.verifier,
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          idTokenExpected: true,
          ...(attempt.purpose === 'confirm' && { maxAge: 0 }),
        })
        return await read({ client, config, options }, tokens, tokens.claims() as Claims)
      } catch (error) {
        throw explain(error, options)
      }
    },
    logoutURL: async (idToken, returnTo) => {
      const { promise: late, resolve } = Promise.withResolvers<null>()
      const timer = setTimeout(resolve, LOGOUT_WAIT_MS, null)
      const found = await Promise.race([get().catch(() => null), late])
      clearTimeout(timer)
      if (!found?.config.serverMetadata().end_session_endpoint) return null
      return found.client.buildEndSessionUrl(found.config, {
        post_logout_redirect_uri: returnTo,
        ...(idToken !== '' && { id_token_hint: idToken }),
      }).href
    },
    readLogout: async (token) => {
      const { config, keys } = await get()
      const { issuer, id_token_signing_alg_values_supported: all } = config.serverMetadata()
      const algorithms = (all ?? ['RS256']).filter((alg) => /^([RPE]S\d+|Ed.*)$/.test(alg))
      return readLogoutToken(token, { issuer, clientId: options.clientId, algorithms, keys, once })
    },
  }
}

async function discover(options: OidcOptions): Promise<Known> {
  const { issuer, clientId, clientSecretFile } = options
  try {
    const client = await import('openid-client')
    const secret =
      clientSecretFile === ''
        ? options.clientSecret
        : (await readFile(clientSecretFile, 'utf8')).trim()
    // The issuer itself and not the address of its description: that is what it is compared with.
    const config = await client.discovery(new URL(issuer), clientId, {}, authOf(client, secret), {
      timeout: TIMEOUT_S,
      execute: [
        // What comes over TLS need not be signed; what comes over plain http must be.
        client.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
      ],
    })
    const { jwks_uri: keysURL } = config.serverMetadata()
    if (!keysURL) throw new Error('it names no keys')
    const keys = createRemoteJWKSet(new URL(keysURL), { timeoutDuration: TIMEOUT_S * 1000 })
    return { client, config, keys }
  } catch (error) {
    throw new AppError(
      'unreachable',
      `the provider ${issuer} cannot be asked: ${reasonOf(error)}`,
      {
        cause: error,
      },
    )
  }
}

// How the secret is sent is the provider's choice: some take one way alone, and the default is in the header.
function authOf(client: Client, secret: string): ClientAuth {
  if (secret === '') return client.None()
  const inHeader = client.ClientSecretBasic(secret)
  const inBody = client.ClientSecretPost(secret)
  return (server, ...rest) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const takesHeader = ways.includes('client_secret_basic') || !ways.includes('client_secret_post')
    return (takesHeader ? inHeader : inBody)(server, ...rest)
  }
}

async function read(
  known: Pick<Known, 'client' | 'config'> & { options: OidcOptions },
  tokens: TokenEndpointResponse,
  inToken: Claims,
): Promise<Shown> {
  const { client, config, options } = known
  const { usernameClaim, groupsClaim, rules } = options
  const asksGroups = rules.adminGroup !== '' || rules.allowedGroups.some((name) => name !== '*')
  const isComplete =
    claimAt(inToken, usernameClaim) !== undefined &&
    (!asksGroups || groupsAt(inToken, groupsClaim) !== null)
  const subject = String(inToken.sub)
  // Many providers put what belongs to a scope there alone.
  const more: Claims =
    isComplete || !config.serverMetadata().userinfo_endpoint
      ? {}
      : await client.fetchUserInfo(config, tokens.access_token, subject)
  const groups = groupsAt(inToken, groupsClaim) ?? groupsAt(more, groupsClaim)
  if (
    asksGroups &&
    groups === null &&
    [inToken, more].some((claims) => hasTooManyGroups(claims, groupsClaim))
  )
    throw new AppError(
      'sign_in_unavailable',
      'the provider names no groups because there are too many: let it send those of this application alone',
      { cause: TOO_MANY_GROUPS },
    )
  const username = claimAt(inToken, usernameClaim) ?? claimAt(more, usernameClaim)
  if (typeof username !== 'string' || username.trim() === '')
    throw new AppError(
      'sign_in_unavailable',
      `the provider says no ${usernameClaim}: see oidc.usernameClaim and oidc.scopes`,
    )
  return {
    who: { issuer: String(inToken.iss), subject, username: username.trim(), groups: groups ?? [] },
    sid: typeof inToken.sid === 'string' ? inToken.sid : '',
    idToken: tokens.id_token ?? '',
  }
}

/** Failures of the provider, which are nobody's guess at a password. */
const FAILURES = [
  'OAUTH_RESPONSE_BODY_ERROR',
  'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_PARSE_ERROR',
]

function explain(error: unknown, { issuer }: OidcOptions): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const { code = '', error: word } = error as { code?: string; error?: string }
  const reason = reasonOf(error)
  if (word === 'access_denied') return new AppError('incomplete', 'the sign-in was given up')
  if (code === 'OAUTH_TIMEOUT' || (error instanceof TypeError && code === ''))
    return new AppError('unreachable', `the provider ${issuer} does not answer: ${reason}`)
  const isGuess =
    code !== '' && word !== undefined ? word === 'invalid_grant' : !FAILURES.includes(code)
  return isGuess
    ? new AppError('wrong_credentials', `what came from the provider is refused: ${reason}`)
    : new AppError('sign_in_unavailable', `the provider fails: ${reason}`)
}

function reasonOf(error: unknown): string {
  const {
    message,
    cause,
    error_description: more,
  } = error as Error & { error_description?: string }
  const inner = cause instanceof Error ? cause.message : ''
  return [message, more, inner].filter(Boolean).join(', ')
}
