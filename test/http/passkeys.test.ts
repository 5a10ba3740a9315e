import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { AccountFactorRecord } from '../../src/access-types.ts'
import type { ConfirmWays, PasskeyList, SecondStep } from '../../src/api-types.ts'
import { identityOf } from '../../src/auth/external/admit.ts'
import { connect, fingerprintOf } from '../../src/auth/external/identities.ts'
import { requireSecondFactor } from '../../src/auth/second-factor/factors.ts'
import { PASSKEYS, USERS } from '../../src/store/collections.ts'
import { openStore } from '../../src/store/store.ts'
import { type OpenedApp, openApp, PASSWORD, type TestAppOptions } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'
import {
  addPasskey,
  authenticator,
  creationOptions,
  ORIGIN,
  send,
  signInOptions,
  signInWith,
  withCertificates,
} from '../support/passkeys.ts'

const openWithAnna = ({ config, ...options }: TestAppOptions = {}) =>
  openApp({
    users: [{ username: 'anna' }, { username: 'ben' }],
    config: { externalURL: ORIGIN, ...config },
    ...options,
  })

/** An account with a passkey, and the authenticator. */
async function withPasskey(app: OpenedApp, counts = 1, username = 'anna') {
  const key = authenticator({ counts })
  const who = await app.as(username)
  return { key, who, passkey: await addPasskey(who, key) }
}

const codeIn = async (response: Response | Promise<Response>) => {
  const { status, headers } = await response
  return `${status} ${headers.get('X-Error-Code')}`
}

const listOf = async (who: SignedIn, host?: string): Promise<PasskeyList> =>
  (await who.fetch('/api/passkeys', host === undefined ? {} : { headers: { host } })).json()

const login = (app: OpenedApp, response: object) => send(app, '/api/login/passkey', { response })

const required = (app: OpenedApp, userID = 2) =>
  app.store.transaction((tx) => requireSecondFactor(tx, userID, true))

async function firstStep(app: OpenedApp, username = 'anna'): Promise<SecondStep> {
  const response = await send(app, '/api/login', { username, password: PASSWORD, code: '' })
  expect(response.status).toBe(401)
  return response.json()
}

describe('signing in with a passkey alone', () => {
  it('gives token and cookie, for whoever the passkey belongs to', async () => {
    await using app = await openWithAnna()
    const { key, who } = await withPasskey(app)
    const response = await signInWith(app, key)
    expect(response.status).toBe(200)
    expect(response.headers.getSetCookie()[0]).toMatch(/^auth=.+HttpOnly/)
    const headers = { 'X-Auth': await response.text() }
    const own = await app.fetch('/api/users/2', { headers })
    expect(await own.json()).toMatchObject({ username: 'anna' })
    const [passkey] = (await listOf(who)).passkeys
    expect(passkey?.lastUsed).not.toBeNull()
  })

  it('asks for user verification, and names no account', async () => {
    await using app = await openWithAnna()
    await withPasskey(app)
    const options = await signInOptions(app)
    expect(options).toMatchObject({ allowCredentials: [], userVerification: 'required' })
    expect(Buffer.from(options.challenge, 'base64url')).toHaveLength(32)
  })

  it('is refused without user verification', async () => {
    await using app = await openWithAnna()
    const key = authenticator({ verifies: false })
    await addPasskey(await app.as('anna'), key)
    const options = { ...(await signInOptions(app)), userVerification: 'discouraged' as const }
    expect(await codeIn(login(app, key.getJSON(ORIGIN, options)))).toBe('403 wrong_credentials')
  })

  it('is refused from another origin', async () => {
    await using app = await openWithAnna()
    const { key } = await withPasskey(app)
    const signed = key.getJSON(`${ORIGIN}:8443`, await signInOptions(app))
    expect(await codeIn(login(app, signed))).toBe('403 wrong_credentials')
  })

  it('is refused for another RP ID, signature and all', async () => {
    await using app = await openWithAnna()
    const key = authenticator()
    const parent = 'https://example.org'
    const who = await app.as('anna')
    const { rp, ...rest } = await creationOptions(who)
    const made = key.createJSON(parent, { ...rest, rp: { ...rp, id: 'example.org' } })
    const refused = await send(who, '/api/passkeys', { name: 'Phone', response: made })
    expect(await codeIn(refused)).toBe('400 invalid_passkey')
    const { passkey } = await withPasskey(app)
    const other = authenticator()
    await using parents = await openWithAnna({ config: { externalURL: parent } })
    const kept = await addPasskey(await parents.as('anna'), other, { origin: parent })
    const { id, publicKey, userHandle } = parents.store.get(PASSKEYS, kept.id) ?? {}
    await app.store.transaction((tx) => {
      const own = tx.remove(PASSKEYS, passkey.id)
      if (own && id && publicKey && userHandle)
        tx.insert(PASSKEYS, { ...own, id, publicKey, userHandle })
    })
    const options = { ...(await signInOptions(app)), rpId: 'example.org' }
    expect(await codeIn(login(app, other.getJSON(ORIGIN, options)))).toBe('403 wrong_credentials')
  })

  it('is refused for a challenge that was never given', async () => {
    await using app = await openWithAnna()
    const { key } = await withPasskey(app)
    const challenge = Buffer.alloc(32, 7).toString('base64url')
    const signed = key.getJSON(ORIGIN, { ...(await signInOptions(app)), challenge })
    expect(await codeIn(login(app, signed))).toBe('403 wrong_credentials')
  })

  it('is refused for a challenge that has been used, whatever came of it', async () => {
    await using app = await openWithAnna()
    const { key } = await withPasskey(app, 0)
    const options = await signInOptions(app)
    const signed = key.getJSON(ORIGIN, options)
    expect((await login(app, signed)).status).toBe(200)
    expect(await codeIn(login(app, signed))).toBe('403 wrong_credentials')
    expect(await codeIn(login(app, key.getJSON(ORIGIN, options)))).toBe('403 wrong_credentials')
  })

  it('is refused for a challenge that was given for something else', async () => {
    await using app = await openWithAnna()
    const { key, who } = await withPasskey(app)
    const options = await (await send(who, '/api/confirm/options', {})).json()
    expect(await codeIn(login(app, key.getJSON(ORIGIN, options)))).toBe('403 wrong_credentials')
  })

  it('is refused with a wrong signature', async () => {
    await using app = await openWithAnna()
    const { key } = await withPasskey(app)
    const signed = key.getJSON(ORIGIN, await signInOptions(app))
    const other = key.getJSON(ORIGIN, await signInOptions(app))
    const { signature } = other.response
    const forged = { ...signed, response: { ...signed.response, signature } }
    expect(await codeIn(login(app, forged))).toBe('403 wrong_credentials')
  })

  it('is refused with the handle of another account, or none', async () => {
    await using app = await openWithAnna()
    const { key } = await withPasskey(app)
    for (const userHandle of [Buffer.alloc(32, 1).toString('base64url'), undefined]) {
      const signed = key.getJSON(ORIGIN, await signInOptions(app))
      const response = { ...signed.response, userHandle }
      expect(await codeIn(login(app, { ...signed, response }))).toBe('403 wrong_credentials')
    }
  })

  it('is refused when the counter has not grown, and the log says what that means', async () => {
    await using app = await openWithAnna()
    const { key, passkey } = await withPasskey(app)
    await app.store.transaction((tx) => {
      const own = tx.get(PASSKEYS, passkey.id)
      if (own) tx.replace(PASSKEYS, { ...own, counter: 1_000 })
    })
    expect(await codeIn(signInWith(app, key))).toBe('403 wrong_credentials')
    expect(app.log).toContain('passkey "Phone" of "anna" may have been copied')
  })

  it('goes on with a counter that stays 0, as synced passkeys have', async () => {
    await using app = await openWithAnna()
    const { key } = await withPasskey(app, 0)
    expect((await signInWith(app, key)).status).toBe(200)
    expect((await signInWith(app, key)).status).toBe(200)
  })

  it('is refused for a passkey nobody knows, and once it is removed', async () => {
    await using app = await openWithAnna()
    const { key, who, passkey } = await withPasskey(app)
    const body = { current_password: PASSWORD }
    expect((await send(who, `/api/passkeys/${passkey.id}`, body, 'DELETE')).status).toBe(204)
    expect(await codeIn(signInWith(app, key))).toBe('403 wrong_credentials')
  })

  it('lets one of many equal answers in', async () => {
    await using app = await openWithAnna()
    const { key } = await withPasskey(app, 0)
    const signed = key.getJSON(ORIGIN, await signInOptions(app))
    const answers = await Promise.all([1, 2, 3, 4].map(() => login(app, signed)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403])
  })

  it('counts refusals like those of passwords, in the log as well', async () => {
    const limit = { attempts: 3, windowMs: 60_000 }
    await using app = await openWithAnna({ config: { loginRateLimit: limit } })
    const { key } = await withPasskey(app)
    for (let i = 0; i < 3; i++) expect((await login(app, {})).status).toBe(403)
    expect(app.log.filter((line) => line.startsWith('/api/login: 403 '))).toHaveLength(3)
    expect(await codeIn(signInWith(app, key))).toBe('429 too_many_requests')
  })

  it('asks for no second step, also where there has to be one', async () => {
    await using app = await openWithAnna({ settings: { secondFactor: 'everyone' } })
    const { ticket } = await firstStep(app)
    expect(ticket).toMatch(/^[\w-]{24}$/)
    await using other = await openWithAnna()
    const { key } = await withPasskey(other)
    await required(other)
    expect((await signInWith(other, key)).status).toBe(200)
  })

  it.each(['proxy', 'noauth'])('is not offered with the method %s', async (authMethod) => {
    await using app = await openWithAnna({ settings: { authMethod } })
    expect(await codeIn(send(app, '/api/login/passkey/options', {}))).toBe('403 forbidden')
  })

  it('rests for accounts that only a provider opens, after a month without it', async () => {
    await using app = await openWithAnna()
    const { key } = await withPasskey(app)
    const lastSignIn = (lastSignInMs: number) =>
      app.store.transaction((tx) => {
        const [anna] = tx.find(USERS, 'username', 'anna')
        if (!anna) return
        const who = { issuer: 'https://id.example', subject: '1', username: 'anna', groups: [] }
        const rules = { create: true, linkByName: false, allowedGroups: [], adminGroup: '' }
        const identity = identityOf(anna.id, who, { ...rules, adminLifeMs: 0 })
        connect(tx, { ...identity, lastSignInMs, madeWith: fingerprintOf(anna) })
      })
    await lastSignIn(Date.now() - 29 * 86_400_000)
    expect((await signInWith(app, key)).status).toBe(200)
    await lastSignIn(Date.now() - 31 * 86_400_000)
    expect(await codeIn(signInWith(app, key))).toBe('403 wrong_credentials')
  })
})

describe('a passkey as second step', () => {
  it('is offered after the password where there has to be one, and nothing else is to be set up', async () => {
    await using app = await openWithAnna()
    const { key } = await withPasskey(app)
    await required(app)
    const { ticket, methods } = await firstStep(app)
    expect(methods).toEqual(['passkey'])
    const options = await signInOptions(app, ticket)
    expect(options.userVerification).toBe('discouraged')
    const passkey = key.getJSON(ORIGIN, options)
    expect((await send(app, '/api/login/second', { ticket, passkey })).status).toBe(200)
  })

  it('may be a key without PIN', async () => {
    await using app = await openWithAnna()
    const key = authenticator({ verifies: false })
    await addPasskey(await app.as('anna'), key)
    await required(app)
    const { ticket } = await firstStep(app)
    const passkey = key.getJSON(ORIGIN, await signInOptions(app, ticket))
    expect((await send(app, '/api/login/second', { ticket, passkey })).status).toBe(200)
  })

  it('is refused when it belongs to somebody else, and the ticket stays good', async () => {
    await using app = await openWithAnna()
    const { key } = await withPasskey(app)
    const { key: foreign, passkey } = await withPasskey(app, 1, 'ben')
    await required(app)
    const { ticket } = await firstStep(app)
    const options = await signInOptions(app, ticket)
    const forged = {
      ...options,
      allowCredentials: [{ id: passkey.id, type: 'public-key' as const }],
    }
    const wrong = { ticket, passkey: foreign.getJSON(ORIGIN, forged) }
    expect(await codeIn(send(app, '/api/login/second', wrong))).toBe('403 wrong_credentials')
    const right = { ticket, passkey: key.getJSON(ORIGIN, await signInOptions(app, ticket)) }
    expect((await send(app, '/api/login/second', right)).status).toBe(200)
  })

  it('is refused with a challenge that needs no password', async () => {
    await using app = await openWithAnna()
    const { key } = await withPasskey(app)
    await required(app)
    const { ticket } = await firstStep(app)
    const passkey = key.getJSON(ORIGIN, await signInOptions(app))
    expect(await codeIn(send(app, '/api/login/second', { ticket, passkey }))).toBe(
      '403 wrong_credentials',
    )
  })

  it('does not fit another address, where nothing can be set up instead', async () => {
    await using app = await openWithAnna({ config: { externalURL: '' } })
    const host = 'files.localhost'
    const key = authenticator()
    await addPasskey(await app.as('anna'), key, { origin: `http://${host}`, host })
    await required(app)
    expect(await firstStep(app)).toMatchObject({ methods: [] })
  })

  it('is told to old clients in a sentence', async () => {
    await using app = await openWithAnna()
    await withPasskey(app)
    await required(app)
    const response = await send(app, '/api/login', { username: 'anna', password: PASSWORD })
    expect(response.status).toBe(401)
    expect(await response.text()).toMatch(/signs in with a passkey/)
  })

  it('asks nobody who has not to have one: the password goes on by itself', async () => {
    await using app = await openWithAnna()
    await withPasskey(app)
    const body = { username: 'anna', password: PASSWORD }
    expect((await send(app, '/api/login', body)).status).toBe(200)
  })
})

describe('adding a passkey', () => {
  it('needs the password, or that it was just given', async () => {
    await using app = await openWithAnna()
    const who = await app.as('anna')
    expect(await codeIn(send(who, '/api/passkeys/options', {}))).toBe('400 invalid_password')
    await send(who, '/api/confirm', { password: PASSWORD })
    expect((await send(who, '/api/passkeys/options', {})).status).toBe(200)
  })

  it('asks for one that names its account, under a handle that says nothing of it', async () => {
    await using app = await openWithAnna()
    const { who, passkey } = await withPasskey(app)
    const options = await creationOptions(who)
    expect(options).toMatchObject({
      rp: { id: 'files.example.org', name: 'File Browser' },
      user: { name: 'anna' },
      attestation: 'none',
      excludeCredentials: [{ id: passkey.id }],
      authenticatorSelection: { residentKey: 'required' },
    })
    expect(Buffer.from(options.user.id, 'base64url')).toHaveLength(32)
    expect((await creationOptions(who)).user.id).toBe(options.user.id)
    expect((await creationOptions(await app.as('ben'))).user.id).not.toBe(options.user.id)
  })

  it('is refused from another origin, and in another session', async () => {
    await using app = await openWithAnna()
    const who = await app.as('anna')
    const key = authenticator()
    const add = (by: SignedIn, response: object) =>
      send(by, '/api/passkeys', { name: 'x', response })
    const elsewhere = key.createJSON(`${ORIGIN}:8443`, await creationOptions(who))
    expect(await codeIn(add(who, elsewhere))).toBe('400 invalid_passkey')
    const made = key.createJSON(ORIGIN, await creationOptions(who))
    expect(await codeIn(add(await app.as('ben'), made))).toBe('400 invalid_passkey')
    expect(await codeIn(add(who, made))).toBe('400 invalid_passkey')
    expect(app.store.all(PASSKEYS)).toEqual([])
  })

  it('is refused with certificates, whose addresses nobody is to fetch', async () => {
    await using app = await openWithAnna()
    const who = await app.as('anna')
    const made = authenticator().createJSON(ORIGIN, await creationOptions(who))
    const response = withCertificates(made)
    const refused = await send(who, '/api/passkeys', { name: 'x', response })
    expect(await codeIn(refused)).toBe('400 invalid_passkey')
    expect(app.log.join('\n')).toMatch(/nobody asked for/)
  })

  it('adds one of equal answers that come at once', async () => {
    await using app = await openWithAnna()
    const who = await app.as('anna')
    const response = authenticator().createJSON(ORIGIN, await creationOptions(who))
    const body = { name: 'x', response }
    const answers = await Promise.all([1, 2, 3].map(() => send(who, '/api/passkeys', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
  })

  it('ends with the twentieth', async () => {
    await using app = await openWithAnna()
    const { who, passkey } = await withPasskey(app)
    await app.store.transaction((tx) => {
      const own = tx.get(PASSKEYS, passkey.id)
      for (let i = 0; i < 19; i++) if (own) tx.insert(PASSKEYS, { ...own, id: `other-${i}` })
    })
    const refused = send(who, '/api/passkeys/options', { current_password: PASSWORD })
    expect(await codeIn(refused)).toBe('409 conflict')
  })

  it('names what it is called, and takes another name', async () => {
    await using app = await openWithAnna()
    const { who, passkey } = await withPasskey(app)
    const rename = (by: SignedIn, name: string) =>
      send(by, `/api/passkeys/${passkey.id}`, { name }, 'PATCH')
    expect((await rename(who, ' Blue key ')).status).toBe(204)
    expect((await listOf(who)).passkeys).toMatchObject([{ name: 'Blue key' }])
    expect(await codeIn(rename(who, ''))).toBe('400 bad_request')
    expect(await codeIn(rename(await app.as('ben'), 'Mine'))).toBe('404 not_found')
  })
})

describe('removing a passkey', () => {
  it('needs the password, and is for its owner', async () => {
    await using app = await openWithAnna()
    const { who, passkey } = await withPasskey(app)
    const remove = (by: SignedIn, password: string) =>
      send(by, `/api/passkeys/${passkey.id}`, { current_password: password }, 'DELETE')
    expect(await codeIn(remove(who, 'wrong'))).toBe('400 invalid_password')
    expect(await codeIn(remove(await app.as('ben'), PASSWORD))).toBe('404 not_found')
    expect((await remove(who, PASSWORD)).status).toBe(204)
    expect((await listOf(who)).passkeys).toEqual([])
  })

  it('leaves the last one where there has to be a second factor, also in a race', async () => {
    await using app = await openWithAnna()
    const { who, passkey } = await withPasskey(app)
    const other = await addPasskey(who, authenticator())
    await required(app)
    const body = { current_password: PASSWORD }
    const answers = await Promise.all(
      [passkey, other].map(({ id }) => send(who, `/api/passkeys/${id}`, body, 'DELETE')),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 403])
    expect((await listOf(who)).passkeys).toHaveLength(1)
  })
})

describe('the last way in', () => {
  it('stays where the login page has no form', async () => {
    const provider = { 'oidc.issuer': 'https://id.example', 'oidc.clientId': 'files' }
    await using app = await openWithAnna({ config: { ...provider, passwordLogin: false } })
    const { who, passkey } = await withPasskey(app)
    const other = await addPasskey(who, authenticator())
    const body = { current_password: PASSWORD }
    const remove = ({ id }: { id: string }) => send(who, `/api/passkeys/${id}`, body, 'DELETE')
    expect((await remove(passkey)).status).toBe(204)
    expect(await codeIn(remove(other))).toBe('409 conflict')
  })
})

describe('proving again who one is', () => {
  it('tells by what, and whether it was just done', async () => {
    await using app = await openWithAnna()
    const { who } = await withPasskey(app)
    const ways = async (): Promise<ConfirmWays> => (await who.fetch('/api/confirm')).json()
    expect(await ways()).toEqual({ confirmed: false, methods: ['password', 'passkey'] })
    await send(who, '/api/confirm', { password: PASSWORD })
    expect(await ways()).toMatchObject({ confirmed: true })
  })

  it('is done with a passkey, for accounts that have no password that anybody knows', async () => {
    await using app = await openWithAnna()
    const { who, key } = await withPasskey(app)
    const options = await (await send(who, '/api/confirm/options', {})).json()
    expect(options.userVerification).toBe('required')
    const passkey = key.getJSON(ORIGIN, options)
    expect((await send(who, '/api/confirm', { passkey })).status).toBe(204)
    expect((await send(who, '/api/tokens', { name: 'x' })).status).toBe(201)
  })

  it('is refused with the passkey of somebody else, and counts in its session alone', async () => {
    await using app = await openWithAnna()
    const { who, key } = await withPasskey(app)
    const { key: foreign, who: ben } = await withPasskey(app, 1, 'ben')
    const options = await (await send(who, '/api/confirm/options', {})).json()
    const free = { ...options, allowCredentials: [] }
    const confirm = (by: SignedIn, passkey: object) => send(by, '/api/confirm', { passkey })
    const refused = confirm(who, foreign.getJSON(ORIGIN, free))
    expect(await codeIn(refused)).toBe('400 invalid_passkey')
    const own = await (await send(who, '/api/confirm/options', {})).json()
    expect(await codeIn(confirm(ben, key.getJSON(ORIGIN, own)))).toBe('400 invalid_passkey')
    expect(await codeIn(send(who, '/api/tokens', { name: 'x' }))).toBe('400 invalid_password')
  })
})

describe('an address', () => {
  it.each([
    ['https://files.example.org', null],
    ['http://localhost:8080', null],
    ['http://files.example.org', 'insecure'],
    ['https://192.0.2.7', 'address'],
    ['http://127.0.0.1:8080', 'address'],
  ])('%s: there are none because of %s', async (externalURL, why) => {
    await using app = await openWithAnna({ config: { externalURL } })
    const who = await app.as('anna')
    expect((await listOf(who)).why).toBe(why)
    const response = await send(who, '/api/passkeys/options', { current_password: PASSWORD })
    expect(response.status).toBe(why === null ? 200 : 403)
  })

  it('is that of the request without externalURL, and a passkey fits its own alone', async () => {
    await using app = await openWithAnna({ config: { externalURL: '' } })
    const who = await app.as('anna')
    const key = authenticator()
    const host = 'a.localhost'
    const { rpID } = await addPasskey(who, key, { origin: `http://${host}`, host })
    expect(rpID).toBe(host)
    const other = 'b.localhost'
    const signed = key.getJSON(`http://${host}`, {
      ...(await signInOptions(app, '', other)),
      rpId: host,
    })
    expect(await codeIn(login(app, signed))).toBe('403 wrong_credentials')
    const page = (name: string) => app.fetch('/login', { headers: { host: name } })
    expect(await (await page(host)).text()).toContain('"Passkeys":true')
    expect(await (await page(other)).text()).not.toContain('"Passkeys"')
  })

  it('tells nothing to a page as long as nobody has a passkey', async () => {
    await using app = await openWithAnna()
    expect(await (await app.fetch('/login')).text()).not.toContain('"Passkeys"')
    expect(existsSync(`${app.store.file}.passkeys`)).toBe(false)
    expect(await readFile(app.store.file, 'utf8')).not.toContain('"requires"')
  })
})

describe('an administrator', () => {
  it('sees how many an account has and resets them, which ends its sessions', async () => {
    await using app = await openWithAnna()
    const { key, who } = await withPasskey(app)
    const admin = await app.as('admin')
    const all: AccountFactorRecord[] = await (await admin.fetch('/api/second-factors')).json()
    expect(all).toEqual([{ userID: 2, active: false, required: false, passkeys: 1 }])
    const reset = () =>
      send(admin, '/api/second-factors/2', { current_password: PASSWORD }, 'DELETE')
    expect((await reset()).status).toBe(204)
    expect((await who.fetch('/api/resources/')).status).toBe(401)
    expect((await signInWith(app, key)).status).toBe(403)
    expect((await reset()).status).toBe(404)
  })

  it('locks out whoever had the account with a new password', async () => {
    await using app = await openWithAnna()
    const { key } = await withPasskey(app)
    const data = { id: 2, password: 'Green-Carpet-98-Wall' }
    const body = { what: 'user', which: ['password'], data, current_password: PASSWORD }
    expect((await send(await app.as('admin'), '/api/users/2', body, 'PUT')).status).toBe(200)
    expect((await signInWith(app, key)).status).toBe(403)
  })

  it('takes them along with the account', async () => {
    await using app = await openWithAnna()
    await withPasskey(app)
    const body = { current_password: PASSWORD }
    await send(await app.as('admin'), '/api/users/2', body, 'DELETE')
    expect(app.store.all(PASSKEYS)).toEqual([])
  })
})

describe('the records', () => {
  it('keep programs away that do not know them, and outlive a restart', async () => {
    await using app = await openWithAnna()
    const { passkey } = await withPasskey(app)
    const document = JSON.parse(await readFile(app.store.file, 'utf8'))
    expect(document.requires).toEqual(['passkeys'])
    const again = await openStore(app.store.file)
    expect(again.all(PASSKEYS)).toMatchObject([{ id: passkey.id, userID: 2 }])
    await again.close()
  })

  it('are out of reach of tokens', async () => {
    await using app = await openWithAnna()
    const { who, passkey } = await withPasskey(app)
    const wanted = { name: 'script', perm: { download: true }, current_password: PASSWORD }
    const { token } = (await (await send(who, '/api/tokens', wanted)).json()) as { token: string }
    const answers = await Promise.all(
      [
        'GET /api/passkeys',
        'POST /api/passkeys',
        'POST /api/passkeys/options',
        `PATCH /api/passkeys/${passkey.id}`,
        `DELETE /api/passkeys/${passkey.id}`,
        'GET /api/confirm',
        'POST /api/confirm/options',
      ].map((request) => {
        const [method = '', path = ''] = request.split(' ')
        const init = { method, headers: { 'X-Auth': token } }
        return codeIn(app.fetch(path, method === 'GET' ? init : { ...init, body: '{}' }))
      }),
    )
    expect(new Set(answers)).toEqual(new Set(['403 token_not_allowed']))
  })
})
