// Signing in at a real provider (docs/http-api.md 29).
import { describe, expect, it } from 'vitest'
import type { AuditPage } from '../../src/audit-types.ts'
import { groupsOf } from '../../src/store/access/groups.ts'
import { IDENTITIES, SESSIONS, USERS } from '../../src/store/collections.ts'
import { openApp, PASSWORD, startApp } from '../support/app.ts'
import { makeGroup } from '../support/groups.ts'
import { createBrowser } from '../support/oidc.ts'
import { configOf, signIn, startWorld, whoIs } from '../support/oidc-world.ts'

const json = (method: string, body: unknown): RequestInit => ({
  method,
  body: JSON.stringify(body),
})

describe('signing in at a provider', () => {
  it('makes an account, opens a session and goes on where one wanted to be', async () => {
    const world = await startWorld()
    const browser = createBrowser()
    expect(await signIn(world, browser, 'mona')).toBe('/files/home')
    expect(await whoIs(world, browser)).toMatchObject({ username: 'mona', perm: { admin: false } })
  })

  it('opens the same account the next time', async () => {
    const world = await startWorld()
    await signIn(world, createBrowser(), 'mona')
    await signIn(world, createBrowser(), 'mona')
    expect(world.app.store.count(USERS)).toBe(2)
  })

  it('takes groups from the ID token as well', async () => {
    const world = await startWorld({}, { provider: { conformIdTokenClaims: false } })
    world.provider.groups.mona = ['admins']
    const browser = createBrowser()
    await signIn(world, browser, 'mona')
    expect(await whoIs(world, browser)).toMatchObject({ perm: { admin: true } })
  })

  it('sends its secret the way that the provider takes it', async () => {
    const way = 'client_secret_post'
    const provider = { clientAuthMethods: [way], client: { token_endpoint_auth_method: way } }
    const world = await startWorld({}, { provider })
    const browser = createBrowser()
    await signIn(world, browser, 'mona')
    expect(await whoIs(world, browser)).toMatchObject({ username: 'mona' })
  })

  it('gives and takes administration and memberships with the groups there, and leaves the record alone', async () => {
    const world = await startWorld()
    const { app, provider } = world
    const browser = createBrowser()
    await makeGroup(app.store, {
      name: 'editors',
      claims: ['/staff', 'x'],
      perm: { execute: true },
    })
    const names = () => groupsOf(app.store, 2).map(({ name }) => name)
    provider.groups.mona = ['admins', 'staff']
    await signIn(world, browser, 'mona')
    await makeGroup(app.store, { name: 'by hand', members: [2] })
    expect(names()).toEqual(['editors', 'by hand'])
    expect(await whoIs(world, browser)).toMatchObject({ perm: { admin: true, execute: true } })
    expect(app.store.all(USERS)[1]?.perm).toMatchObject({ admin: false, execute: false })
    provider.groups.mona = []
    await signIn(world, browser, 'mona')
    expect(names()).toEqual(['by hand'])
    expect(await whoIs(world, browser)).toMatchObject({ perm: { admin: false, execute: false } })
  })

  it('is refused outside of the allowed groups, in the line that watchers of the log know', async () => {
    const world = await startWorld({ 'oidc.allowedGroups': ['staff'] })
    const browser = createBrowser()
    const url = await signIn(world, browser, 'mona')
    expect(url).toBe('/login?redirect=%2Ffiles%2Fhome&error=refused')
    expect(await whoIs(world, browser)).toBeNull()
    expect(world.app.log).toContainEqual(expect.stringMatching(/^\/api\/login: 403 127\.0\.0\.1 /))
  })

  it('is refused for a name that is taken', async () => {
    const world = await startWorld({}, { users: [{ username: 'mona' }] })
    expect(await signIn(world, createBrowser(), 'mona')).toMatch(/error=exists$/)
  })

  it('does not ask for the second factor of the account', async () => {
    const world = await startWorld({ secondFactor: 'everyone' })
    const browser = createBrowser()
    await signIn(world, browser, 'mona')
    expect(await whoIs(world, browser)).toMatchObject({ username: 'mona' })
  })

  it('opens a session that ends with oidc.sessionMax', async () => {
    const world = await startWorld({ 'oidc.sessionMax': 1 })
    const browser = createBrowser()
    await signIn(world, browser, 'mona')
    expect(await whoIs(world, browser)).toBeNull()
  })

  it('goes on without a new sign-in at the provider', async () => {
    const world = await startWorld()
    const browser = createBrowser()
    await signIn(world, browser, 'mona')
    const path = `${world.app.origin}/api/oidc/login?redirect=/settings/profile`
    const { url } = await browser.follow(path, (at) => at.endsWith('/settings/profile'))
    expect(url).toBe(`${world.app.origin}/settings/profile`)
  })

  it('works with a restarted provider, which has other sessions', async () => {
    const world = await startWorld()
    await signIn(world, createBrowser(), 'mona')
    await world.provider.restart()
    const browser = createBrowser()
    await signIn(world, browser, 'mona')
    expect(await whoIs(world, browser)).toMatchObject({ username: 'mona' })
  })

  it('works when the server was restarted in between', async () => {
    const world = await startWorld()
    const browser = createBrowser()
    const isBack = (url: string) => url.includes('/api/oidc/callback')
    const start = `${world.app.origin}/api/oidc/login?redirect=/files/home`
    const back = await browser.signInAt(start, 'mona', isBack)
    // Nothing of the attempt is kept by the server, but its key.
    await using other = await startApp({
      config: { ...configOf(world.provider.issuer), externalURL: world.app.origin },
      settings: world.app.store.settings(),
    })
    const { search } = new URL(back)
    const cookie = browser
      .cookiesOf(world.app.origin)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const response = await other.fetch(`/api/oidc/callback${search}`, {
      headers: { cookie },
    })
    expect(response.headers.get('location')).toBe('/files/home')
  })
})

describe('a provider that is down', () => {
  it('is said on the login page, and asked again at the next try', async () => {
    const world = await startWorld()
    await world.provider.stop()
    const response = await world.app.fetch('/api/oidc/login')
    expect(response.headers.get('location')).toBe('/login?redirect=%2Ffiles%2F&error=unreachable')
    await world.provider.restart()
    const browser = createBrowser()
    await signIn(world, browser, 'mona')
    expect(await whoIs(world, browser)).toMatchObject({ username: 'mona' })
  })

  it('keeps nobody from signing out', async () => {
    const world = await startWorld()
    const browser = createBrowser()
    await signIn(world, browser, 'mona')
    await world.provider.stop()
    const { token } = (await whoIs(world, browser)) ?? {}
    const out = await browser.ask(`${world.app.origin}/api/logout`, {
      method: 'POST',
      headers: { 'X-Auth': token },
    })
    expect(out.status).toBe(204)
    expect(await whoIs(world, browser)).toBeNull()
  })

  it('is said to administrators', async () => {
    const world = await startWorld()
    await world.provider.stop()
    const admin = await world.app.as('admin')
    expect(await (await admin.fetch('/api/oidc')).json()).toMatchObject({
      issuer: world.provider.issuer,
      redirectURI: `${world.app.origin}/api/oidc/callback`,
      problem: expect.stringContaining('cannot be asked'),
    })
  })
})

describe('signing out', () => {
  it('ends the session here and then the one at the provider', async () => {
    const world = await startWorld()
    const browser = createBrowser()
    await signIn(world, browser, 'mona')
    const { token } = (await whoIs(world, browser)) ?? {}
    const out = await browser.ask(`${world.app.origin}/api/logout`, {
      method: 'POST',
      headers: { 'X-Auth': token },
    })
    expect(out.status).toBe(204)
    const there = new URL(out.headers.get('x-logout-url') ?? '')
    expect(there.searchParams.get('id_token_hint')).toMatch(/^ey/)
    expect(there.searchParams.get('post_logout_redirect_uri')).toBe(`${world.app.origin}/login`)
    expect(await whoIs(world, browser)).toBeNull()
    const page = await (await browser.ask(there.href)).text()
    const xsrf = /name="xsrf" value="(\w+)"/.exec(page)?.[1] ?? ''
    const body = new URLSearchParams({ xsrf, logout: 'yes' })
    const isHome = (url: string) => url.startsWith(world.app.origin)
    const action = /action="([^"]+)"/.exec(page)?.[1] ?? ''
    const { url } = await browser.follow(action, isHome, { method: 'POST', body })
    expect(url).toBe(`${world.app.origin}/login`)
  })

  it('at the provider ends the session here', async () => {
    const world = await startWorld()
    const [browser, other] = [createBrowser(), createBrowser()]
    await signIn(world, browser, 'mona')
    await signIn(world, other, 'mona')
    const page = await (await browser.ask(`${world.provider.issuer}/session/end`)).text()
    const xsrf = /name="xsrf" value="(\w+)"/.exec(page)?.[1] ?? ''
    const action = /action="([^"]+)"/.exec(page)?.[1] ?? ''
    await browser.ask(action, {
      method: 'POST',
      body: new URLSearchParams({ xsrf, logout: 'yes' }),
    })
    await expect.poll(() => whoIs(world, browser)).toBeNull()
    expect(await whoIs(world, other)).toMatchObject({ username: 'mona' })
  })
})

describe('a callback', () => {
  const isBack = (url: string) => url.includes('/api/oidc/callback')

  it('without the cookie of its attempt opens nothing', async () => {
    const world = await startWorld()
    const start = `${world.app.origin}/api/oidc/login`
    const back = await createBrowser().signInAt(start, 'mona', isBack)
    const victim = createBrowser()
    const { url } = await victim.follow(back, (at) => !isBack(at))
    expect(url).toMatch(/error=expired$/)
    expect(await whoIs(world, victim)).toBeNull()
  })

  it('counts once', async () => {
    const world = await startWorld()
    const browser = createBrowser()
    const back = await browser.signInAt(`${world.app.origin}/api/oidc/login`, 'mona', isBack)
    const cookie = browser
      .cookiesOf(world.app.origin)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const ask = () => fetch(back, { redirect: 'manual', headers: { cookie } })
    expect((await ask()).headers.get('location')).toBe('/files/')
    expect((await ask()).headers.get('location')).toMatch(/error=expired$/)
    expect(world.app.store.count(SESSIONS)).toBe(1)
  })

  it('of one tab does not disturb that of another', async () => {
    const world = await startWorld()
    const browser = createBrowser()
    const start = `${world.app.origin}/api/oidc/login?redirect=/files/`
    const first = await browser.signInAt(`${start}one`, 'mona', isBack)
    const second = await browser.follow(`${start}two`, isBack)
    const end = async (url: string) => (await browser.follow(url, (at) => !isBack(at))).url
    expect(await end(first)).toBe(`${world.app.origin}/files/one`)
    expect(await end(second.url)).toBe(`${world.app.origin}/files/two`)
  })

  it('that names another issuer is refused', async () => {
    const world = await startWorld()
    const browser = createBrowser()
    const back = new URL(
      await browser.signInAt(`${world.app.origin}/api/oidc/login`, 'mona', isBack),
    )
    back.searchParams.set('iss', 'https://evil.example')
    const { url } = await browser.follow(back.href, (at) => !isBack(at))
    expect(url).toMatch(/error=refused$/)
  })

  it('with the cookie of another attempt is refused', async () => {
    const world = await startWorld()
    const browser = createBrowser()
    const back = new URL(
      await browser.signInAt(`${world.app.origin}/api/oidc/login`, 'mona', isBack),
    )
    const state = back.searchParams.get('state') ?? ''
    // The cookie is found by how the state begins.
    back.searchParams.set('state', `${state.slice(0, 16)}${'x'.repeat(27)}`)
    const { url } = await browser.follow(back.href, (at) => !isBack(at))
    expect(url).toMatch(/error=expired$/)
  })

  it('of somebody who gave up leads back without a line of a refused sign-in', async () => {
    const world = await startWorld()
    const browser = createBrowser()
    const start = await browser.follow(`${world.app.origin}/api/oidc/login`, (url) =>
      url.startsWith(world.provider.issuer),
    )
    const query = new URLSearchParams({
      state: new URL(start.url).searchParams.get('state') ?? '',
      error: 'access_denied',
      iss: world.provider.issuer,
    })
    const back = `${world.app.origin}/api/oidc/callback?${query}`
    const { url } = await browser.follow(back, (at) => !isBack(at))
    expect(url).toMatch(/error=cancelled$/)
    expect(world.app.log.filter((line) => line.startsWith('/api/login: 403'))).toEqual([])
  })

  it('leads to addresses of this interface alone', async () => {
    const world = await startWorld()
    for (const wanted of [
      '//evil.example/files/',
      'https://evil.example/',
      '/\\evil.example',
      '/files/..//evil.example',
      '/files/%2e%2e//evil.example',
      '\t//evil.example',
      '/api/logout',
      '/%5cevil.example',
    ]) {
      const browser = createBrowser()
      const path = `/api/oidc/login?redirect=${encodeURIComponent(wanted)}`
      expect([wanted, await signIn(world, browser, 'mona', path)]).toEqual([wanted, '/files/'])
    }
  })
})

describe('connecting an account', () => {
  const users = [{ username: 'ben' }]

  async function signedIn(config = {}) {
    const world = await startWorld({ 'oidc.create': false, ...config }, { users })
    const browser = createBrowser()
    const login = await browser.ask(
      `${world.app.origin}/api/login`,
      json('POST', { username: 'ben', password: PASSWORD }),
    )
    const token = await login.text()
    const ask = (path: string, init: RequestInit = {}) =>
      browser.ask(world.app.origin + path, { ...init, headers: { 'X-Auth': token } })
    return { world, browser, ask }
  }
  const start = '/api/oidc/connect?redirect=/settings/profile'

  it('takes the password first', async () => {
    const { world, ask } = await signedIn()
    expect((await ask(start)).status).toBe(400)
    expect(world.app.store.count(IDENTITIES)).toBe(0)
  })

  it('opens the account from then on, whatever it is called there', async () => {
    const { world, browser, ask } = await signedIn()
    await ask('/api/confirm', json('POST', { password: PASSWORD }))
    expect(await signIn(world, browser, 'benedict', start)).toBe('/settings/profile')
    expect(await (await ask('/api/oidc/identity')).json()).toMatchObject({
      username: 'benedict',
      hasPassword: true,
    })
    const other = createBrowser()
    await signIn(world, other, 'benedict')
    expect(await whoIs(world, other)).toMatchObject({ username: 'ben' })
  })

  it('is undone with the password', async () => {
    const { world, browser, ask } = await signedIn()
    await ask('/api/confirm', json('POST', { password: PASSWORD }))
    await signIn(world, browser, 'ben', start)
    const gone = await ask('/api/oidc/identity', json('DELETE', { current_password: PASSWORD }))
    expect(gone.status).toBe(204)
    expect(await signIn(world, createBrowser(), 'ben')).toMatch(/error=exists$/)
  })

  it('is nothing that an account which only the provider opens can undo', async () => {
    const world = await startWorld()
    const browser = createBrowser()
    await signIn(world, browser, 'mona')
    await signIn(world, browser, 'mona', '/api/oidc/confirm')
    const { token } = (await whoIs(world, browser)) ?? {}
    const gone = await browser.ask(`${world.app.origin}/api/oidc/identity`, {
      ...json('DELETE', {}),
      headers: { 'X-Auth': token },
    })
    expect(gone.status).toBe(409)
  })

  it('does not take somebody who has an account already', async () => {
    const { world, browser, ask } = await signedIn({ 'oidc.create': true })
    await signIn(world, createBrowser(), 'mona')
    await ask('/api/confirm', json('POST', { password: PASSWORD }))
    const url = await signIn(world, browser, 'mona', start)
    expect(url).toBe('/settings/profile?error=exists')
  })
})

describe('proving again who one is', () => {
  it('works by a fresh sign-in at the provider, for accounts without a password', async () => {
    const world = await startWorld()
    const browser = createBrowser()
    await signIn(world, browser, 'mona')
    const { id, token } = (await whoIs(world, browser)) ?? {}
    const remove = () =>
      browser.ask(`${world.app.origin}/api/users/${id}`, {
        ...json('DELETE', {}),
        headers: { 'X-Auth': token },
      })
    expect((await remove()).status).toBe(400)
    await signIn(world, browser, 'mona', '/api/oidc/confirm?redirect=/login')
    expect((await remove()).status).toBe(200)
  })

  it('is not done by somebody else', async () => {
    const world = await startWorld()
    const browser = createBrowser()
    await signIn(world, browser, 'mona')
    browser.forget(world.provider.issuer)
    const url = await signIn(world, browser, 'anna', '/api/oidc/confirm?redirect=/login%3Fpopup')
    expect(url).toBe('/login?popup&error=refused')
  })
})

describe('the audit log', () => {
  it('has one line for a sign-in, a refused one, connecting and disconnecting', async () => {
    const world = await startWorld({ 'oidc.allowedGroups': ['staff'], 'oidc.create': false })
    const browser = createBrowser()
    await signIn(world, createBrowser(), 'stranger')
    world.provider.groups.mona = ['staff']
    const login = await browser.ask(
      `${world.app.origin}/api/login`,
      json('POST', { username: 'admin', password: PASSWORD }),
    )
    const headers = { 'X-Auth': await login.text() }
    const ask = (path: string, init: RequestInit) =>
      browser.ask(world.app.origin + path, { ...init, headers })
    await ask('/api/confirm', json('POST', { password: PASSWORD }))
    await signIn(world, browser, 'mona', '/api/oidc/connect')
    await signIn(world, createBrowser(), 'mona')
    await ask('/api/oidc/identity', json('DELETE', {}))
    const admin = await world.app.login('admin')
    const all = (await (await admin.fetch('/api/audit')).json()) as AuditPage
    expect(
      all.lines.reverse().map(({ action, via, target, result }) => [action, via, target, result]),
    ).toEqual([
      ['sign-in', 'oidc', undefined, 'refused'],
      ['sign-in', 'json', undefined, 'ok'],
      ['confirm', 'session', undefined, 'ok'],
      ['connect', 'oidc', 'mona', 'ok'],
      ['sign-in', 'oidc', undefined, 'ok'],
      ['disconnect', 'session', undefined, 'ok'],
      ['sign-in', 'json', undefined, 'ok'],
    ])
  })
})

describe('without a provider', () => {
  const paths = ['', '/login', '/connect', '/confirm', '/callback', '/identity']

  it('its addresses are unknown', async () => {
    await using app = await openApp()
    for (const path of paths)
      expect([path, (await app.fetch(`/api/oidc${path}`)).status]).toEqual([path, 404])
    const notice = await app.fetch('/api/oidc/backchannel-logout', { method: 'POST' })
    expect(notice.status).toBe(404)
  })

  it('or where nobody types a password, they are too', async () => {
    await using app = await openApp({
      config: configOf('https://id.example.org'),
      settings: { authMethod: 'noauth' },
    })
    expect((await app.fetch('/api/oidc/login')).status).toBe(404)
  })

  it('the page is told nothing of one', async () => {
    await using app = await openApp()
    expect(await (await app.fetch('/login')).text()).not.toContain('"Provider"')
  })
})
