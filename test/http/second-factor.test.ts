import { existsSync } from 'node:fs'
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { AccountFactorRecord } from '../../src/access-types.ts'
import type { Enrolment, SecondFactorRecord, SecondStep } from '../../src/api-types.ts'
import { requireSecondFactor } from '../../src/auth/second-factor/factors.ts'
import { SECOND_FACTORS, SETTINGS, USERS } from '../../src/store/collections.ts'
import { openStore } from '../../src/store/store.ts'
import { type OpenedApp, openApp, PASSWORD, type TestAppOptions } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'
import { codeOf } from '../support/totp.ts'

const STEP_MS = 30_000
const OTHER_PASSWORD = 'Green-Carpet-98-Wall'

const openWithAnna = (options: TestAppOptions = {}) =>
  openApp({ users: [{ username: 'anna' }, { username: 'ben' }], ...options })

const post = (path: string, app: Pick<OpenedApp, 'fetch'>, body: object, method = 'POST') =>
  app.fetch(path, { method, body: JSON.stringify(body) })

const codeIn = async (response: Response) =>
  `${response.status} ${response.headers.get('X-Error-Code')}`

interface Enrolled {
  secret: string
  recovery: string[]
  /** A session from before. */
  who: SignedIn
}

/** Gives an account its factor, as it is a minute later: the codes of now count. */
async function enrol(app: OpenedApp, username = 'anna'): Promise<Enrolled> {
  const who = await app.as(username)
  const begun = await post('/api/second-factor', who, { current_password: PASSWORD })
  const { secret }: Enrolment = await begun.json()
  const done = await post('/api/second-factor', who, { code: codeOf(secret) }, 'PUT')
  expect(done.status).toBe(200)
  await forgetSteps(app)
  const { recovery }: { recovery: string[] } = await done.json()
  return { secret, recovery, who }
}

function forgetSteps(app: OpenedApp): Promise<void> {
  return app.store.transaction((tx) => {
    for (const factor of tx.all(SECOND_FACTORS))
      tx.replace(SECOND_FACTORS, { ...factor, lastStep: 0 })
  })
}

const login = (app: OpenedApp, more: object = {}, username = 'anna') =>
  post('/api/login', app, { username, password: PASSWORD, ...more })

async function ticketFor(app: OpenedApp, username = 'anna'): Promise<string> {
  const response = await login(app, { code: '' }, username)
  expect(await codeIn(response)).toBe('401 second_factor_required')
  return ((await response.json()) as SecondStep).ticket
}

const second = (app: OpenedApp, body: object) => post('/api/login/second', app, body)

describe('signing in with a second step', () => {
  it('gives a ticket to who knows of steps, and the token for ticket and code', async () => {
    await using app = await openWithAnna()
    const { secret } = await enrol(app)
    const first = await login(app, { code: '' })
    const { ticket, methods }: SecondStep = await first.json()
    expect(methods).toEqual(['code', 'recovery'])
    const response = await second(app, { ticket, code: codeOf(secret) })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain')
    expect(response.headers.getSetCookie()[0]).toMatch(/^auth=.+HttpOnly/)
    const headers = { 'X-Auth': await response.text() }
    expect((await app.fetch('/api/resources/', { headers })).status).toBe(200)
  })

  it('says in a sentence what to do where nobody knows of steps, and takes the digits behind the password', async () => {
    await using app = await openWithAnna()
    const { secret } = await enrol(app)
    const asked = await login(app)
    expect(await codeIn(asked)).toBe('401 second_factor_required')
    expect(await asked.text()).toMatch(/append the six digits to your password/)
    const response = await login(app, { password: PASSWORD + codeOf(secret) })
    expect(response.status).toBe(200)
  })

  it('takes a code once, also of the steps beside', async () => {
    await using app = await openWithAnna()
    const { secret } = await enrol(app)
    const [before, now, next] = [-1, 0, 1].map((steps) => codeOf(secret, steps))
    expect((await login(app, { code: now })).status).toBe(200)
    expect(await codeIn(await login(app, { code: now }))).toBe('403 wrong_credentials')
    expect(await codeIn(await login(app, { code: before }))).toBe('403 wrong_credentials')
    expect((await login(app, { code: next })).status).toBe(200)
  })

  it('takes a code with blanks, as apps show it, and none from further away', async () => {
    await using app = await openWithAnna()
    const { secret } = await enrol(app)
    expect(await codeIn(await login(app, { code: codeOf(secret, 3) }))).toBe(
      '403 wrong_credentials',
    )
    const code = codeOf(secret)
    expect((await login(app, { code: `${code.slice(0, 3)} ${code.slice(3)}` })).status).toBe(200)
  })

  it('lets one of many equal codes in that come at once', async () => {
    await using app = await openWithAnna()
    const { secret } = await enrol(app)
    const code = codeOf(secret)
    const tickets = await Promise.all([1, 2, 3, 4].map(() => ticketFor(app)))
    const answers = await Promise.all(tickets.map((ticket) => second(app, { ticket, code })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('takes a ticket once, though two different codes come with it', async () => {
    await using app = await openWithAnna()
    const { secret, recovery } = await enrol(app)
    const ticket = await ticketFor(app)
    const answers = await Promise.all([
      second(app, { ticket, code: codeOf(secret) }),
      second(app, { ticket, recovery: recovery[0] }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    expect((await second(app, { ticket, code: codeOf(secret, 1) })).status).toBe(401)
  })

  it('lets somebody who mistyped go on with the same ticket', async () => {
    await using app = await openWithAnna()
    const { secret } = await enrol(app)
    const ticket = await ticketFor(app)
    expect(await codeIn(await second(app, { ticket, code: '12345' }))).toBe('403 wrong_credentials')
    expect((await second(app, { ticket, code: codeOf(secret) })).status).toBe(200)
  })

  it('takes no ticket any more once the password is another', async () => {
    await using app = await openWithAnna()
    const { secret } = await enrol(app)
    const ticket = await ticketFor(app)
    await app.store.transaction((tx) => {
      const anna = tx.find(USERS, 'username', 'anna')[0]
      if (anna) tx.replace(USERS, { ...anna, password: 'another hash' })
    })
    expect((await second(app, { ticket, code: codeOf(secret) })).status).toBe(401)
  })

  it('does not count the right code with a wrong password, nor use it up', async () => {
    await using app = await openWithAnna()
    const { secret } = await enrol(app)
    const code = codeOf(secret)
    expect((await login(app, { password: 'wrong', code })).status).toBe(403)
    expect((await login(app, { code })).status).toBe(200)
  })

  it('remembers over a restart which codes have counted', async () => {
    await using app = await openWithAnna()
    const { secret } = await enrol(app)
    const step = Math.floor(Date.now() / STEP_MS)
    const code = codeOf(secret)
    expect((await login(app, { code })).status).toBe(200)
    const again = await openStore(app.store.file)
    const lastStep = again.get(SECOND_FACTORS, 2)?.lastStep ?? 0
    await again.close()
    expect(lastStep).toBeGreaterThanOrEqual(step)
  })
})

describe('wrong codes', () => {
  it('leave the line of a refused sign-in, which a password that waits for its code does not', async () => {
    await using app = await openWithAnna()
    await enrol(app)
    const lines = () => app.log.filter((line) => line.startsWith('/api/login: 403 '))
    const ticket = await ticketFor(app)
    await login(app)
    expect(lines()).toEqual([])
    await second(app, { ticket, code: '000' })
    expect(lines()).toHaveLength(1)
    expect(lines()[0]).toMatch(
      /^\/api\/login: 403 [\d.]+ wrong code; the clock of the server says /,
    )
  })

  it('count for the account from anywhere: after five it waits, whoever has the password', async () => {
    await using app = await openWithAnna({ config: { trustedProxies: ['127.0.0.1'] } })
    const { secret } = await enrol(app)
    const from = async (address: string, code: string) => {
      const body = JSON.stringify({ username: 'anna', password: PASSWORD, code })
      return app.fetch('/api/login', {
        method: 'POST',
        headers: { 'X-Forwarded-For': address },
        body,
      })
    }
    for (let i = 1; i <= 5; i++) expect((await from(`203.0.113.${i}`, 'xxxxxx')).status).toBe(403)
    const blocked = await from('198.51.100.7', codeOf(secret))
    expect(await codeIn(blocked)).toBe('429 too_many_requests')
    expect(Number(blocked.headers.get('Retry-After'))).toBeGreaterThan(0)
  })

  it('are not forgiven by a right password alone', async () => {
    await using app = await openWithAnna({
      config: { loginRateLimit: { attempts: 3, windowMs: 60_000 } },
    })
    const { secret } = await enrol(app)
    for (let i = 0; i < 3; i++) {
      expect((await login(app)).status).toBe(401)
      expect((await login(app, { code: 'xxxxxx' })).status).toBe(403)
    }
    expect((await login(app, { code: codeOf(secret) })).status).toBe(429)
  })

  it('say nothing of an account that has no factor', async () => {
    await using app = await openWithAnna()
    expect((await login(app, { code: '123456' }, 'ben')).status).toBe(200)
    expect((await login(app, { code: '123456' }, 'nobody')).status).toBe(403)
  })
})

describe('recovery codes', () => {
  it('are ten of eighty bits, sign in once each, and are kept as hashes', async () => {
    await using app = await openWithAnna()
    const { recovery, who } = await enrol(app)
    expect(recovery).toHaveLength(10)
    expect(new Set(recovery).size).toBe(10)
    for (const code of recovery)
      expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
    const typed = (recovery[0] ?? '').toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o')
    expect((await second(app, { ticket: await ticketFor(app), recovery: typed })).status).toBe(200)
    const again = await second(app, { ticket: await ticketFor(app), recovery: recovery[0] })
    expect(again.status).toBe(403)
    const own: SecondFactorRecord = await (await who.fetch('/api/second-factor')).json()
    expect(own).toMatchObject({ active: true, recovery: 9 })
    const kept = await readFile(`${app.store.file}.secondFactors`, 'utf8')
    for (const code of recovery) expect(kept).not.toContain(code)
  })

  it('are renewed with password and code, and the old ones count no more', async () => {
    await using app = await openWithAnna()
    const { secret, recovery, who } = await enrol(app)
    const renew = (body: object) => post('/api/second-factor/recovery', who, body)
    const code = codeOf(secret)
    expect(await codeIn(await renew({ code }))).toBe('400 invalid_password')
    expect(await codeIn(await renew({ current_password: PASSWORD }))).toBe('400 invalid_code')
    const renewed = await renew({ current_password: PASSWORD, code })
    const fresh = ((await renewed.json()) as { recovery: string[] }).recovery
    const ticket = await ticketFor(app)
    expect((await second(app, { ticket, recovery: recovery[1] })).status).toBe(403)
    expect((await second(app, { ticket, recovery: fresh[1] })).status).toBe(200)
  })
})

describe('a second factor', () => {
  it('is there only after a right code', async () => {
    await using app = await openWithAnna()
    const who = await app.as('anna')
    const refused = await post('/api/second-factor', who, { current_password: 'wrong' })
    expect(await codeIn(refused)).toBe('400 invalid_password')
    const nothing = await post('/api/second-factor', who, { code: '123456' }, 'PUT')
    expect(nothing.status).toBe(404)
    const begun = await post('/api/second-factor', who, { current_password: PASSWORD })
    const { secret, uri }: Enrolment = await begun.json()
    expect(uri).toBe(
      `otpauth://totp/File%20Browser:anna?issuer=File%20Browser&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    )
    const wrong = await post('/api/second-factor', who, { code: '12345' }, 'PUT')
    expect(await codeIn(wrong)).toBe('400 invalid_code')
    expect((await login(app)).status).toBe(200)
  })

  it('costs no file as long as nobody has one', async () => {
    await using app = await openWithAnna()
    await (await app.as('anna')).fetch('/api/second-factor')
    expect(existsSync(`${app.store.file}.secondFactors`)).toBe(false)
    expect(await readFile(app.store.file, 'utf8')).not.toContain('"requires"')
  })

  it('keeps programs away from the database that do not know it, until it is gone', async () => {
    await using app = await openWithAnna()
    const { secret, who } = await enrol(app)
    const requires = async () => JSON.parse(await readFile(app.store.file, 'utf8')).requires
    expect(await requires()).toEqual(['secondFactors'])
    const body = { current_password: PASSWORD, code: codeOf(secret) }
    expect((await post('/api/second-factor', who, body, 'DELETE')).status).toBe(204)
    expect(await requires()).toBeUndefined()
  })

  it('is not lost with its file: the database is not opened until that is back, or given up in words', async () => {
    await using app = await openWithAnna()
    await enrol(app)
    const { file } = app.store
    const copy = `${app.tree.base}/copy.json`
    const document = await readFile(file, 'utf8')
    await writeFile(copy, document)
    await expect(openStore(copy)).rejects.toThrow(/needs .*copy\.json\.secondFactors, which is not/)
    await copyFile(`${file}.secondFactors`, `${copy}.secondFactors`)
    const restored = await openStore(copy)
    expect(restored.count(SECOND_FACTORS)).toBe(1)
    await restored.close()
    await rm(`${copy}.secondFactors`)
    await writeFile(copy, JSON.stringify({ ...JSON.parse(document), requires: [] }))
    const given = await openStore(copy)
    expect(given.count(SECOND_FACTORS)).toBe(0)
    await given.close()
  })

  it('is removed with password and code alone', async () => {
    await using app = await openWithAnna()
    const { secret, who } = await enrol(app)
    const remove = (body: object) => post('/api/second-factor', who, body, 'DELETE')
    const code = codeOf(secret)
    await post('/api/confirm', who, { password: PASSWORD })
    expect(await codeIn(await remove({ code }))).toBe('400 invalid_password')
    expect(await codeIn(await remove({ current_password: PASSWORD }))).toBe('400 invalid_code')
    expect((await remove({ current_password: PASSWORD, code })).status).toBe(204)
    expect((await login(app)).status).toBe(200)
  })

  it('goes with the account, and does not come back with its number', async () => {
    await using app = await openWithAnna()
    await enrol(app)
    const admin = await app.as('admin')
    await post('/api/users/2', admin, { current_password: PASSWORD }, 'DELETE')
    expect(app.store.all(SECOND_FACTORS)).toEqual([])
  })

  it('is out of reach of tokens', async () => {
    await using app = await openWithAnna()
    const { who } = await enrol(app)
    const body = { name: 'script', perm: { download: true }, current_password: PASSWORD }
    const { token } = (await (await post('/api/tokens', who, body)).json()) as { token: string }
    const answers = await Promise.all(
      [
        'GET /api/second-factor',
        'POST /api/second-factor',
        'PUT /api/second-factor',
        'DELETE /api/second-factor',
        'POST /api/second-factor/recovery',
        'GET /api/second-factors',
        'PUT /api/second-factors/2',
        'DELETE /api/second-factors/2',
        'POST /api/confirm',
      ].map(async (request) => {
        const [method = '', path = ''] = request.split(' ')
        const init = { method, headers: { 'X-Auth': token } }
        return codeIn(await app.fetch(path, method === 'GET' ? init : { ...init, body: '{}' }))
      }),
    )
    expect(new Set(answers)).toEqual(new Set(['403 token_not_allowed']))
  })
})

// What went wrong elsewhere: gtsteffaniak/filebrowser, by number of the report.
describe('mistakes of the neighbour', () => {
  it('699: saving the profile or the account keeps the factor', async () => {
    await using app = await openWithAnna()
    const { who } = await enrol(app)
    const admin = await app.as('admin')
    const data = await (await admin.fetch('/api/users/2')).json()
    const own = { what: 'user', which: ['locale'], data: { ...data, locale: 'de' } }
    expect((await post('/api/users/2', who, own, 'PUT')).status).toBe(200)
    const all = { what: 'user', which: ['all'], data, current_password: PASSWORD }
    expect((await post('/api/users/2', admin, all, 'PUT')).status).toBe(200)
    expect((await login(app)).status).toBe(401)
  })

  it('1819: an administrator enrols nobody, neither somebody else nor by accident himself', async () => {
    await using app = await openWithAnna()
    const admin = await app.as('admin')
    const body = { current_password: PASSWORD, userID: 2, id: 2, username: 'anna' }
    const { secret, uri }: Enrolment = await (await post('/api/second-factor', admin, body)).json()
    expect(uri).toContain(':admin?')
    await post('/api/second-factor', admin, { code: codeOf(secret), id: 2 }, 'PUT')
    expect((await login(app)).status).toBe(200)
    expect((await login(app, {}, 'admin')).status).toBe(401)
  })

  it('1962: where one is required other settings are saved as ever', async () => {
    await using app = await openWithAnna()
    const { who } = await enrol(app)
    await app.store.transaction((tx) =>
      tx.replace(SETTINGS, { ...tx.settings(), secondFactor: 'everyone' }),
    )
    const data = { id: 2, username: 'anna', singleClick: true }
    const change = { what: 'user', which: ['singleClick'], data }
    expect((await post('/api/users/2', who, change, 'PUT')).status).toBe(200)
  })

  it('2330: codes of an account that was made just now work at once', async () => {
    await using app = await openWithAnna()
    const admin = await app.as('admin')
    const account = await (await admin.fetch('/api/users/2')).json()
    const data = { ...account, id: 0, username: 'cleo', password: PASSWORD }
    const made = { what: 'user', which: [], data, current_password: PASSWORD }
    expect((await post('/api/users', admin, made)).status).toBe(201)
    const { secret } = await enrol(app, 'cleo')
    expect((await login(app, { code: codeOf(secret) }, 'cleo')).status).toBe(200)
  })

  it('2399: what an administrator has reset is enrolled anew and verified', async () => {
    await using app = await openWithAnna()
    const first = await enrol(app)
    const admin = await app.as('admin')
    const body = { current_password: PASSWORD }
    expect((await post('/api/second-factors/2', admin, body, 'DELETE')).status).toBe(204)
    const again = await enrol(app)
    expect(again.secret).not.toBe(first.secret)
    expect((await login(app, { code: codeOf(first.secret) })).status).toBe(403)
    expect((await login(app, { code: codeOf(again.secret) })).status).toBe(200)
  })

  it('1305: each secret is drawn anew, and nobody else is shown one', async () => {
    await using app = await openWithAnna()
    const [anna, ben] = [await enrol(app), await enrol(app, 'ben')]
    expect(anna.secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(anna.secret).not.toBe(ben.secret)
    const admin = await app.as('admin')
    const shown = await Promise.all(
      [
        '/api/users',
        '/api/users/2',
        '/api/second-factors',
        '/api/settings',
        '/api/second-factor',
      ].map(async (path) => (await admin.fetch(path)).text()),
    )
    expect(shown.join()).not.toContain(anna.secret)
  })

  it('1243: who sends the field finds out that a code is needed', async () => {
    await using app = await openWithAnna()
    await enrol(app)
    await expect(ticketFor(app)).resolves.toMatch(/^[\w-]{24}$/)
  })
})

describe('an administrator', () => {
  it('sees who has one and resets it, which ends the sessions of the account', async () => {
    await using app = await openWithAnna()
    const { who } = await enrol(app)
    const admin = await app.as('admin')
    const all: AccountFactorRecord[] = await (await admin.fetch('/api/second-factors')).json()
    expect(all).toEqual([{ userID: 2, active: true, required: false, passkeys: 0 }])
    const reset = (id: number, password: string) =>
      post(`/api/second-factors/${id}`, admin, { current_password: password }, 'DELETE')
    expect(await codeIn(await reset(2, 'wrong'))).toBe('400 invalid_password')
    expect((await reset(2, PASSWORD)).status).toBe(204)
    expect((await who.fetch('/api/resources/')).status).toBe(401)
    expect((await login(app)).status).toBe(200)
    expect((await reset(2, PASSWORD)).status).toBe(404)
  })

  it('does not get rid of the own one that way', async () => {
    await using app = await openWithAnna()
    const { who } = await enrol(app, 'admin')
    const body = { current_password: PASSWORD }
    expect((await post('/api/second-factors/1', who, body, 'DELETE')).status).toBe(403)
  })

  it('is who may: nobody else lists, resets or requires', async () => {
    await using app = await openWithAnna()
    const { who } = await enrol(app)
    expect((await who.fetch('/api/second-factors')).status).toBe(403)
    const body = { current_password: PASSWORD, required: true }
    expect((await post('/api/second-factors/3', who, body, 'PUT')).status).toBe(403)
    expect((await post('/api/second-factors/3', who, body, 'DELETE')).status).toBe(403)
  })
})

describe('who has to have one', () => {
  it.each([
    ['everyone', 'anna', 401],
    ['administrators', 'admin', 401],
    ['administrators', 'anna', 200],
    ['optional', 'anna', 200],
  ] as const)('%s: %s is answered %i', async (secondFactor, username, status) => {
    await using app = await openWithAnna({ settings: { secondFactor } })
    expect((await login(app, {}, username)).status).toBe(status)
  })

  it('gets a ticket for enrolling and nothing else, and is signed in at the end of it', async () => {
    await using app = await openWithAnna({ settings: { secondFactor: 'everyone' } })
    const sentence = await (await login(app)).text()
    expect(sentence).toMatch(/open this server in a browser/)
    const { ticket, methods }: SecondStep = await (await login(app, { code: '' })).json()
    expect(methods).toEqual(['enrol'])
    const step = (body: object) => post('/api/login/enrol', app, { ticket, ...body })
    const { secret }: Enrolment = await (await step({})).json()
    expect(await codeIn(await step({ code: '000' }))).toBe('403 wrong_credentials')
    const done = await step({ code: codeOf(secret) })
    const { token, recovery } = (await done.json()) as { token: string; recovery: string[] }
    expect(recovery).toHaveLength(10)
    const headers = { 'X-Auth': token }
    expect((await app.fetch('/api/resources/', { headers })).status).toBe(200)
    expect((await step({})).status).toBe(401)
    expect((await login(app, { code: codeOf(secret, 1) })).status).toBe(200)
  })

  it('is refused the second step with that ticket', async () => {
    await using app = await openWithAnna({ settings: { secondFactor: 'everyone' } })
    const { ticket }: SecondStep = await (await login(app, { code: '' })).json()
    expect((await second(app, { ticket, code: '123456' })).status).toBe(401)
  })

  it('may be a single account', async () => {
    await using app = await openWithAnna()
    const admin = await app.as('admin')
    const want = (required: boolean) =>
      post('/api/second-factors/2', admin, { required, current_password: PASSWORD }, 'PUT')
    expect((await want(true)).status).toBe(204)
    expect((await login(app)).status).toBe(401)
    expect((await login(app, {}, 'ben')).status).toBe(200)
    expect((await want(false)).status).toBe(204)
    expect((await login(app)).status).toBe(200)
    expect(app.store.all(SECOND_FACTORS)).toEqual([])
  })

  it('keeps it, and has to after a reset too', async () => {
    await using app = await openWithAnna()
    const { secret, who } = await enrol(app)
    await app.store.transaction((tx) => requireSecondFactor(tx, 2, true))
    const body = { current_password: PASSWORD, code: codeOf(secret) }
    expect((await post('/api/second-factor', who, body, 'DELETE')).status).toBe(403)
    const admin = await app.as('admin')
    await post('/api/second-factors/2', admin, { current_password: PASSWORD }, 'DELETE')
    const { methods }: SecondStep = await (await login(app, { code: '' })).json()
    expect(methods).toEqual(['enrol'])
  })

  it('is nobody where it is off: codes are neither asked nor offered, and come back with it', async () => {
    await using app = await openWithAnna()
    const { who } = await enrol(app)
    const set = (secondFactor: 'off' | 'optional') =>
      app.store.transaction((tx) => tx.replace(SETTINGS, { ...tx.settings(), secondFactor }))
    await set('off')
    expect((await login(app)).status).toBe(200)
    expect((await post('/api/second-factor', who, { current_password: PASSWORD })).status).toBe(403)
    await set('optional')
    expect((await login(app)).status).toBe(401)
  })

  it('is told by the command line or the environment first', async () => {
    await using app = await openWithAnna({ config: { secondFactor: 'off' } })
    const admin = await app.as('admin')
    const settings = await (await admin.fetch('/api/settings')).json()
    expect(settings).toMatchObject({ secondFactor: 'off', secondFactorFixed: true })
    const change = { ...settings, secondFactor: 'everyone' }
    expect((await post('/api/settings', admin, change, 'PUT')).status).toBe(200)
    expect(app.store.settings().secondFactor).toBe('optional')
  })

  it('is told by the settings, which clients that do not know of it leave alone', async () => {
    await using app = await openWithAnna()
    const admin = await app.as('admin')
    const { secondFactorFixed, ...settings } = await (await admin.fetch('/api/settings')).json()
    expect([settings.secondFactor, secondFactorFixed]).toEqual(['optional', false])
    const put = (body: object) => post('/api/settings', admin, body, 'PUT')
    expect((await put({ ...settings, secondFactor: 'everyone' })).status).toBe(200)
    const { secondFactor, ...old } = settings
    expect((await put(old)).status).toBe(200)
    expect(app.store.settings().secondFactor).toBe('everyone')
    expect((await put({ ...settings, secondFactor: 'never' })).status).toBe(400)
  })
})

describe('a method that asks for no password', () => {
  it('asks for no code either: proxy and noauth are as before', async () => {
    await using app = await openWithAnna()
    await enrol(app)
    await enrol(app, 'admin')
    const auther = { header: 'X-Remote-User', command: '', recaptcha: null }
    await app.store.transaction((tx) =>
      tx.replace(SETTINGS, { ...tx.settings(), authMethod: 'proxy', auther }),
    )
    const headers = { 'X-Remote-User': 'anna' }
    expect((await app.fetch('/api/login', { method: 'POST', headers })).status).toBe(200)
    await app.store.transaction((tx) =>
      tx.replace(SETTINGS, { ...tx.settings(), authMethod: 'noauth' }),
    )
    expect((await app.fetch('/api/login', { method: 'POST' })).status).toBe(200)
  })
})

describe('a sign-in program', () => {
  it('is given the password without the digits, and its people are asked for a code', async () => {
    await using app = await openWithAnna()
    const { secret } = await enrol(app)
    const file = `${app.tree.base}/hook.sh`
    await writeFile(
      file,
      `[ "$PASSWORD" = ${OTHER_PASSWORD} ] && echo hook.action=auth || echo hook.action=block`,
    )
    const auther = { header: '', command: `/bin/sh ${file}`, recaptcha: null }
    await app.store.transaction((tx) =>
      tx.replace(SETTINGS, { ...tx.settings(), authMethod: 'hook', auther }),
    )
    const code = codeOf(secret)
    expect((await login(app, { password: PASSWORD + code })).status).toBe(403)
    const asked = await login(app, { password: OTHER_PASSWORD, code: '' })
    expect(await codeIn(asked)).toBe('401 second_factor_required')
    expect((await login(app, { password: OTHER_PASSWORD + code })).status).toBe(200)
  })
})

describe('confirming', () => {
  it('by password counts in that session wherever the password is asked', async () => {
    await using app = await openWithAnna()
    const [who, other] = [await app.as('anna'), await app.as('anna')]
    const token = (name: string) => ({ name, perm: {}, current_password: '' })
    expect(await codeIn(await post('/api/tokens', who, token('a')))).toBe('400 invalid_password')
    const wrong = await post('/api/confirm', who, { password: 'wrong' })
    expect(await codeIn(wrong)).toBe('400 invalid_password')
    expect((await post('/api/confirm', who, { password: PASSWORD })).status).toBe(204)
    expect((await post('/api/tokens', who, token('a'))).status).toBe(201)
    expect((await post('/api/tokens', other, token('b'))).status).toBe(400)
    const typed = { ...token('c'), current_password: 'wrong' }
    expect((await post('/api/tokens', who, typed)).status).toBe(400)
  })

  it('by code counts where the account has a factor', async () => {
    await using app = await openWithAnna()
    const { secret, who } = await enrol(app)
    expect(await codeIn(await post('/api/confirm', who, { code: '123' }))).toBe('400 invalid_code')
    expect((await post('/api/confirm', who, { code: codeOf(secret) })).status).toBe(204)
    expect((await post('/api/tokens', who, { name: 'a', perm: {} })).status).toBe(201)
    const ben = await app.as('ben')
    expect((await post('/api/confirm', ben, { code: '123456' })).status).toBe(400)
  })
})
