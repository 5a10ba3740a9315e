// Answers of a provider that are not what they should be: none of them opens a session.

import { exportSPKI, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose'
import { Events, OAuth2Server } from 'oauth2-mock-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SESSIONS } from '../../src/store/collections.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { CLIENT, createBrowser } from '../support/oidc.ts'
import { configOf } from '../support/oidc-world.ts'

const provider = new OAuth2Server()
let app: TestApp

beforeAll(async () => {
  await provider.issuer.keys.generate('RS256')
  await provider.start(0, '127.0.0.1')
  const config = { ...configOf(provider.issuer.url ?? ''), 'oidc.usernameClaim': 'sub' }
  app = await startApp({
    config: { ...config, 'oidc.adminGroup': '', loginRateLimit: { attempts: 0, windowMs: 0 } },
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await provider.stop()
})

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
const nowS = () => Math.floor(Date.now() / 1000)

async function sign(payload: JWTPayload): Promise<string> {
  const jwk = provider.issuer.keys.get()
  if (!jwk) throw new Error('no key')
  const header = { alg: 'RS256', kid: jwk.kid, typ: 'JWT' }
  return new SignJWT(payload).setProtectedHeader(header).sign(await importJWK(jwk))
}

interface Genuine {
  /** What the provider says. */
  claims: JWTPayload
  sign(claims: JWTPayload): Promise<string>
}

/** Signs in while the ID token is another one; gives where the browser ends. */
async function signInWith(
  forge: (genuine: Genuine) => Promise<string> | string,
  { origin } = app,
): Promise<string> {
  const browser = createBrowser()
  const isBack = (url: string) => url.includes('/api/oidc/callback')
  const isThere = (url: string) => url.startsWith(provider.issuer.url ?? '')
  const { url: there } = await browser.follow(`${origin}/api/oidc/login`, isThere)
  const claims: JWTPayload = {
    iss: provider.issuer.url ?? '',
    sub: 'johndoe',
    aud: CLIENT.clientId,
    iat: nowS(),
    exp: nowS() + 300,
    nonce: new URL(there).searchParams.get('nonce') ?? '',
  }
  const token = await forge({ claims, sign })
  provider.service.once(Events.BeforeResponse, (response) => {
    Object.assign(response.body as object, { id_token: token })
  })
  const { url: back } = await browser.follow(there, isBack)
  const { url } = await browser.follow(back, (at) => !isBack(at))
  return url.slice(origin.length)
}

const REFUSED = '/login?redirect=%2Ffiles%2F&error=refused'

describe('an ID token', () => {
  it('that is genuine opens a session', async () => {
    expect(await signInWith(({ claims, sign: seal }) => seal(claims))).toBe('/files/')
    expect(app.store.count(SESSIONS)).toBe(1)
  })

  it('that leaves out too many groups says so to the person', async () => {
    const config = { ...configOf(provider.issuer.url ?? ''), 'oidc.allowedGroups': ['staff'] }
    await using strict = await startApp({ config })
    const overage = { _claim_names: { groups: 'src1' } }
    const url = await signInWith(
      ({ claims, sign: seal }) => seal({ ...claims, preferred_username: 'mona', ...overage }),
      strict,
    )
    expect(url).toBe('/login?redirect=%2Ffiles%2F&error=groups')
  })

  it('for somebody else’s client is refused', async () => {
    const url = await signInWith(({ claims, sign: seal }) => seal({ ...claims, aud: 'others' }))
    expect(url).toBe(REFUSED)
  })

  it('for several clients without saying which asked is refused', async () => {
    const aud = ['others', CLIENT.clientId]
    expect(await signInWith(({ claims, sign: seal }) => seal({ ...claims, aud }))).toBe(REFUSED)
  })

  it('of another issuer is refused', async () => {
    const iss = 'https://evil.example'
    expect(await signInWith(({ claims, sign: seal }) => seal({ ...claims, iss }))).toBe(REFUSED)
  })

  it('with another nonce is refused', async () => {
    const nonce = 'of-another-attempt'
    expect(await signInWith(({ claims, sign: seal }) => seal({ ...claims, nonce }))).toBe(REFUSED)
  })

  it('without a nonce is refused', async () => {
    const url = await signInWith(({ claims: { nonce: _, ...rest }, sign: seal }) => seal(rest))
    expect(url).toBe(REFUSED)
  })

  it('that has expired is refused', async () => {
    const past = { iat: nowS() - 600, exp: nowS() - 300 }
    expect(await signInWith(({ claims, sign: seal }) => seal({ ...claims, ...past }))).toBe(REFUSED)
  })

  it('that is not signed is refused', async () => {
    const url = await signInWith(({ claims }) => `${encode({ alg: 'none' })}.${encode(claims)}.`)
    expect(url).toBe(REFUSED)
  })

  it('signed with the public key as a secret is refused', async () => {
    const url = await signInWith(async ({ claims }) => {
      const [jwk] = provider.issuer.keys.toJSON()
      const { kty = '', n = '', e = '', kid = '' } = jwk as Record<string, string>
      const publicKey = await importJWK({ kty, n, e, alg: 'RS256' }, 'RS256', { extractable: true })
      const secret = new TextEncoder().encode(await exportSPKI(publicKey as CryptoKey))
      return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid }).sign(secret)
    })
    expect(url).toBe(REFUSED)
  })

  it('signed with the secret of the client is refused', async () => {
    const secret = new TextEncoder().encode(CLIENT.clientSecret)
    const url = await signInWith(({ claims }) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret),
    )
    expect(url).toBe(REFUSED)
  })

  it('signed with a key that is not the provider’s is refused', async () => {
    const url = await signInWith(async ({ claims }) => {
      const { privateKey } = await generateKeyPair('RS256')
      const kid = provider.issuer.keys.get()?.kid ?? ''
      return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey)
    })
    expect(url).toBe(REFUSED)
  })
})

describe('what came back besides', () => {
  it('with a forged state opens nothing', async () => {
    const response = await app.fetch(`/api/oidc/callback?state=${'x'.repeat(43)}&code=c`)
    expect(response.headers.get('location')).toMatch(/error=expired$/)
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  it('with a cookie that was not sealed here opens nothing', async () => {
    const state = 'x'.repeat(43)
    const cookie = `oidc-${state.slice(0, 16)}=${encode({ alg: 'none' })}.${encode({ state })}.`
    const response = await app.fetch(`/api/oidc/callback?state=${state}&code=c`, {
      headers: { cookie },
    })
    expect(response.headers.get('location')).toMatch(/error=expired$/)
  })
})

describe('a notice of a logout', () => {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const notice = (): JWTPayload => ({
    iss: provider.issuer.url ?? '',
    aud: CLIENT.clientId,
    iat: nowS(),
    exp: nowS() + 120,
    jti: crypto.randomUUID(),
    sub: 'johndoe',
    events,
  })
  const tell = async (claims: JWTPayload | string) => {
    const token = typeof claims === 'string' ? claims : await sign(claims)
    const response = await app.fetch('/api/oidc/backchannel-logout', {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    })
    return response.status
  }

  it('ends the sessions of that person', async () => {
    await signInWith(({ claims, sign: seal }) => seal(claims))
    expect(app.store.count(SESSIONS)).toBeGreaterThan(0)
    expect(await tell(notice())).toBe(200)
    expect(app.store.count(SESSIONS)).toBe(0)
  })

  it('of a session ends that one alone', async () => {
    await signInWith(({ claims, sign: seal }) => seal({ ...claims, sid: 'one' }))
    await signInWith(({ claims, sign: seal }) => seal({ ...claims, sid: 'two' }))
    expect(await tell({ ...notice(), sid: 'one' })).toBe(200)
    expect(app.store.all(SESSIONS).map(({ origin }) => origin?.sid)).toEqual(['two'])
  })

  it('counts once', async () => {
    const claims = notice()
    expect([await tell(claims), await tell(claims)]).toEqual([200, 400])
  })

  it.each<[string, (claims: JWTPayload) => JWTPayload]>([
    ['for another client', (claims) => ({ ...claims, aud: 'others' })],
    ['of another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
    ['that is old', (claims) => ({ ...claims, iat: nowS() - 3_600 })],
    ['that has expired', (claims) => ({ ...claims, exp: nowS() - 60 })],
    ['without a date', ({ iat: _, ...claims }) => claims],
    ['without a number of its own', ({ jti: _, ...claims }) => claims],
    ['that tells of nothing', ({ events: _, ...claims }) => claims],
    ['that tells of something else', (claims) => ({ ...claims, events: { other: {} } })],
    ['with a nonce, as ID tokens have', (claims) => ({ ...claims, nonce: 'n' })],
    ['that names nobody', ({ sub: _, ...claims }) => claims],
  ])('%s is refused', async (_, change) => {
    expect(await tell(change(notice()))).toBe(400)
  })

  it('that is not signed is refused', async () => {
    expect(await tell(`${encode({ alg: 'none' })}.${encode(notice())}.`)).toBe(400)
  })

  it('signed with the secret of the client is refused', async () => {
    const secret = new TextEncoder().encode(CLIENT.clientSecret)
    const token = await new SignJWT(notice()).setProtectedHeader({ alg: 'HS256' }).sign(secret)
    expect(await tell(token)).toBe(400)
  })

  it('that is missing is refused', async () => {
    expect(await tell('')).toBe(400)
  })
})
