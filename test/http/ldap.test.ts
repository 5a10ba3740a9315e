import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Enrolment, SecondStep, UserRecord } from '../../src/api-types.ts'
import { hashPassword } from '../../src/auth/hash.ts'
import { groupsOf } from '../../src/store/access/groups.ts'
import { IDENTITIES, SECOND_FACTORS, USERS } from '../../src/store/collections.ts'
import { findUserByName } from '../../src/store/users.ts'
import { type OpenedApp, openApp, PASSWORD, type TestAppOptions } from '../support/app.ts'
import { makeGroup } from '../support/groups.ts'
import { loginAs, type SignedIn } from '../support/login.ts'
import {
  BASE,
  DIRECTORY_PASSWORD,
  group,
  ldapConfig,
  person,
  type Slapd,
  startSlapd,
} from '../support/slapd.ts'
import { codeOf } from '../support/totp.ts'

const STAFF = `cn=staff,ou=groups,${BASE}`
const CHIEFS = `cn=chiefs,ou=groups,${BASE}`

let slapd: Slapd
beforeAll(async () => {
  slapd = await startSlapd({
    anonymousCredentials: true,
    ldif: [
      ...['mona', 'jörg', 'admin', 'nina', 'root'].map((uid) => person(uid)),
      group('staff', ['mona', 'jörg', 'nina', 'admin']),
      group('chiefs', ['root']),
    ].join('\n'),
  })
})
afterAll(() => slapd?.[Symbol.asyncDispose]())

/** Everybody of the directory may come in, unless said otherwise. */
function openWith(ldap: Record<string, unknown> = {}, options: TestAppOptions = {}) {
  const all = { url: slapd.url, create: true, allowedGroups: ['*'], ...ldap }
  return openApp({ ...options, config: { ...ldapConfig(all), ...options.config } })
}

type Asked = Pick<OpenedApp, 'fetch'>

const send = (who: Asked, path: string, body: object, method = 'POST') =>
  who.fetch(path, { method, body: JSON.stringify(body) })

const login = (app: Asked, username: string, password = DIRECTORY_PASSWORD, more: object = {}) =>
  send(app, '/api/login', { username, password, recaptcha: '', ...more })

const answerOf = async (response: Response | Promise<Response>) => {
  const { status, headers } = await response
  return `${status} ${headers.get('X-Error-Code') ?? ''}`.trim()
}

const signIn = (app: OpenedApp, username: string): Promise<SignedIn> =>
  loginAs('', username, DIRECTORY_PASSWORD, (path, init) => app.fetch(path, init))

const names = (app: OpenedApp) => app.store.all(USERS).map(({ username }) => username)

/** Puts people into a group and takes others out. */
function setMembers(dn: string, uids: string[]): void {
  const members = uids.map((uid) => `member: uid=${uid},ou=people,${BASE}`).join('\n')
  slapd.modify(`dn: ${dn}\nchangetype: modify\nreplace: member\n${members}\n`)
}

describe('people of the directory', () => {
  test('have sessions that end with ldap.sessionMax, local accounts have not', async () => {
    await using app = await openWith({ sessionMax: 1 })
    const renew = ({ token }: SignedIn) =>
      app.fetch('/api/renew', { method: 'POST', headers: { 'X-Auth': token } })
    expect((await renew(await signIn(app, 'mona'))).status).toBe(401)
    const local = await loginAs('', 'admin', PASSWORD, (path, init) => app.fetch(path, init))
    expect((await renew(local)).status).toBe(200)
  })

  test('get an account in the directory’s spelling, one for all spellings', async () => {
    await using app = await openWith()
    for (const typed of ['MONA', 'mona', ' Mona '])
      expect((await login(app, typed)).status).toBe(200)
    expect(names(app)).toEqual(['admin', 'mona'])
    const mona = findUserByName(app.store, 'mona')
    expect(mona).toMatchObject({ scope: '/users/mona', lockPassword: true })
    expect(mona?.perm.admin).toBe(false)
  })

  test('whose first sign-ins come at once get one account', async () => {
    await using app = await openWith()
    const answers = await Promise.all(['jörg', 'JÖRG', 'Jörg'].map((name) => login(app, name)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(names(app)).toEqual(['admin', 'jörg'])
  })

  test('get none where no accounts are made', async () => {
    await using app = await openWith({ create: false })
    expect(await answerOf(login(app, 'mona'))).toBe('403 wrong_credentials')
    expect(names(app)).toEqual(['admin'])
  })

  test('are kept out by a wrong, an empty and a foreign password', async () => {
    await using app = await openWith()
    for (const password of ['wrong', '', PASSWORD])
      expect(await answerOf(login(app, 'mona', password))).toBe('403 wrong_credentials')
    expect(await answerOf(login(app, '', DIRECTORY_PASSWORD))).toBe('403 wrong_credentials')
    expect(names(app)).toEqual(['admin'])
  })

  test('stay who they are when the directory gives them another name', async () => {
    await using app = await openWith()
    await signIn(app, 'nina')
    const id = findUserByName(app.store, 'nina')?.id
    const rename = (from: string, to: string) =>
      slapd.modify(
        `dn: uid=${from},ou=people,${BASE}\nchangetype: modrdn\nnewrdn: uid=${to}\ndeleteoldrdn: 1\n`,
      )
    rename('nina', 'nina.l')
    try {
      const session = await signIn(app, 'nina.l')
      const own: UserRecord = await (await session.fetch(`/api/users/${id}`)).json()
      expect(own.username).toBe('nina')
      expect(await answerOf(login(app, 'nina'))).toBe('403 wrong_credentials')
    } finally {
      rename('nina.l', 'nina')
    }
  })

  test('are refused in the words that watchers of the log know, and only refusals are', async () => {
    await using app = await openWith()
    const lines = () => app.log.filter((line) => line.startsWith('/api/login: 403'))
    await signIn(app, 'mona')
    expect(lines()).toHaveLength(0)
    await login(app, 'mona', 'wrong')
    expect(lines()).toHaveLength(1)
  })

  test('are slowed down when they guess', async () => {
    await using app = await openWith(
      {},
      { config: { loginRateLimit: { attempts: 3, windowMs: 60_000 } } },
    )
    for (const name of ['mona', 'Mona', 'MONA'])
      expect(await answerOf(login(app, name, 'wrong'))).toBe('403 wrong_credentials')
    expect(await answerOf(login(app, 'mona'))).toBe('429 too_many_requests')
  })
})

describe('accounts that have a password here', () => {
  test('keep it, and the directory’s opens nothing', async () => {
    await using app = await openWith()
    expect((await login(app, 'admin', PASSWORD)).status).toBe(200)
    expect(await answerOf(login(app, 'admin'))).toBe('403 wrong_credentials')
    expect(app.store.all(IDENTITIES)).toEqual([])
  })

  test('are not handed over by another spelling of their name', async () => {
    await using app = await openWith({ linkByName: true })
    expect(await answerOf(login(app, 'ADMIN'))).toBe('500 sign_in_unavailable')
    expect(app.log.join('\n')).toContain('no account for admin')
    expect(app.store.all(IDENTITIES)).toEqual([])
  })

  test('are handed over where it is said, with their files, and then have the directory’s password alone', async () => {
    await using app = await openWith({ linkByName: true }, { users: [{ username: 'mona' }] })
    expect((await login(app, 'mona', PASSWORD)).status).toBe(200)
    const id = findUserByName(app.store, 'mona')?.id
    expect((await login(app, 'mona')).status).toBe(200)
    expect(app.store.all(IDENTITIES)).toMatchObject([{ userID: id, username: 'mona' }])
    expect(await answerOf(login(app, 'mona', PASSWORD))).toBe('403 wrong_credentials')
  })

  test('are not handed over while strangers may make some', async () => {
    const options = { users: [{ username: 'mona' }], settings: { signup: true } }
    await using app = await openWith({ linkByName: true }, options)
    expect(await answerOf(login(app, 'mona'))).toBe('403 wrong_credentials')
    expect(app.store.all(IDENTITIES)).toEqual([])
  })

  test('are not handed over where it is not said', async () => {
    await using app = await openWith({}, { users: [{ username: 'mona' }] })
    expect(await answerOf(login(app, 'mona'))).toBe('403 wrong_credentials')
    expect((await login(app, 'mona', PASSWORD)).status).toBe(200)
  })
})

describe('groups', () => {
  beforeEach(() => {
    setMembers(STAFF, ['mona', 'jörg'])
    setMembers(CHIEFS, ['root'])
  })

  test('decide who may come in, at each sign-in', async () => {
    await using app = await openWith({ allowedGroups: ['staff'] })
    expect((await login(app, 'mona')).status).toBe(200)
    expect(await answerOf(login(app, 'nina'))).toBe('403 wrong_credentials')
    setMembers(STAFF, ['nina'])
    expect(await answerOf(login(app, 'mona'))).toBe('403 wrong_credentials')
    expect(app.log.join('\n')).toContain('mona is in none of the allowed groups')
    expect((await login(app, 'nina')).status).toBe(200)
  })

  test.each(['STAFF', STAFF, STAFF.replaceAll(',', ' , ').toUpperCase()])(
    'are known as %s',
    async (name) => {
      await using app = await openWith({ allowedGroups: [name] })
      expect((await login(app, 'mona')).status).toBe(200)
      expect(await answerOf(login(app, 'nina'))).toBe('403 wrong_credentials')
    },
  )

  test('give administration and take it, and the record never has it', async () => {
    await using app = await openWith({ adminGroup: 'Chiefs' })
    const isAdmin = async () =>
      (await (await signIn(app, 'mona')).fetch('/api/users')).status === 200
    expect(await isAdmin()).toBe(false)
    setMembers(CHIEFS, ['root', 'mona'])
    expect(await isAdmin()).toBe(true)
    const mona = findUserByName(app.store, 'mona')
    expect(mona?.perm.admin).toBe(false)
    const admin = await app.as('admin')
    const identities = await (await admin.fetch('/api/identities')).json()
    expect(identities).toEqual([{ userID: mona?.id, from: 'directory', admin: true }])
    setMembers(CHIEFS, ['root'])
    expect(await isAdmin()).toBe(false)
  })

  test('give and take memberships of the groups that claim them, by name or DN, and leave others', async () => {
    await using app = await openWith()
    await makeGroup(app.store, { name: 'by DN', claims: [CHIEFS.toUpperCase()] })
    await makeGroup(app.store, { name: 'by name', claims: ['Chiefs'], perm: { execute: true } })
    await makeGroup(app.store, { name: 'not theirs', claims: ['nobody'] })
    const namesOf = (id: number) => groupsOf(app.store, id).map(({ name }) => name)
    await signIn(app, 'mona')
    await makeGroup(app.store, { name: 'by hand', members: [2] })
    setMembers(CHIEFS, ['root', 'mona'])
    await signIn(app, 'mona')
    expect(namesOf(2)).toEqual(['by hand', 'by DN', 'by name'])
    setMembers(CHIEFS, ['root'])
    await signIn(app, 'mona')
    expect(namesOf(2)).toEqual(['by hand'])
  })
})

describe('a directory that does not answer', () => {
  test('is said plainly, counts as nobody’s guess, and keeps no local account out', async () => {
    await using other = await startSlapd({ ldif: person('mona') })
    const config = { loginRateLimit: { attempts: 2, windowMs: 60_000 } }
    await using app = await openWith({ url: other.url }, { config })
    await signIn(app, 'mona')
    await other.stop()
    for (let i = 0; i < 4; i++) {
      const response = await login(app, 'mona')
      expect(await response.text()).toBe(
        '503 Service Unavailable (the directory does not answer)\n',
      )
      expect(response.headers.get('X-Error-Code')).toBe('sign_in_unavailable')
    }
    expect((await login(app, 'admin', PASSWORD)).status).toBe(200)
    await other.start()
    expect((await login(app, 'mona')).status).toBe(200)
  })

  test('leaves guesses at local passwords what they are', async () => {
    await using app = await openWith({ url: 'ldap://127.0.0.1:1' })
    expect(await answerOf(login(app, 'admin', 'wrong'))).toBe('403 wrong_credentials')
  })

  test('and hangs holds up nobody else', async () => {
    await using other = await startSlapd({ ldif: person('mona') })
    // All come from one address here.
    const config = { loginRateLimit: { attempts: 0, windowMs: 0 } }
    await using app = await openWith({ url: other.url }, { config })
    other.hang()
    let isOver = false
    const waiting = Array.from({ length: 20 }, () =>
      login(app, 'mona').then((response) => {
        isOver = true
        return response.status
      }),
    )
    const admin = await app.as('admin')
    expect((await admin.fetch('/api/resources/')).status).toBe(200)
    expect(isOver).toBe(false)
    other.resume()
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([200]))
  })
})

describe('the second step', () => {
  /** Gives mona a factor whose codes of now count. */
  async function enrol(app: OpenedApp): Promise<string> {
    const mona = await signIn(app, 'mona')
    const begun = await send(mona, '/api/second-factor', { current_password: DIRECTORY_PASSWORD })
    const { secret }: Enrolment = await begun.json()
    const done = await send(mona, '/api/second-factor', { code: codeOf(secret) }, 'PUT')
    expect(done.status).toBe(200)
    await app.store.transaction((tx) => {
      for (const factor of tx.all(SECOND_FACTORS))
        tx.replace(SECOND_FACTORS, { ...factor, lastStep: 0 })
    })
    return secret
  }

  test('is asked for after the directory’s password', async () => {
    await using app = await openWith()
    const secret = await enrol(app)
    const first = await login(app, 'mona', DIRECTORY_PASSWORD, { code: '' })
    const { ticket }: SecondStep = await first.json()
    const second = await send(app, '/api/login/second', { ticket, code: codeOf(secret) })
    expect(second.status).toBe(200)
  })

  test('comes as digits behind the password from clients that know of one step, in any spelling of the name', async () => {
    await using app = await openWith()
    const secret = await enrol(app)
    expect(await answerOf(login(app, 'MONA'))).toBe('401 second_factor_required')
    expect(await answerOf(login(app, 'mona', `wrong${codeOf(secret)}`))).toBe(
      '403 wrong_credentials',
    )
    expect(await answerOf(login(app, 'mona', codeOf(secret)))).toBe('403 wrong_credentials')
    expect((await login(app, 'MONA', DIRECTORY_PASSWORD + codeOf(secret))).status).toBe(200)
  })
})

describe('the own password', () => {
  test('is the directory’s wherever it is asked for', async () => {
    await using app = await openWith()
    const mona = await signIn(app, 'mona')
    const confirm = (password: string) => answerOf(send(mona, '/api/confirm', { password }))
    expect(await confirm('wrong')).toBe('400 invalid_password')
    expect(await confirm('')).toBe('400 invalid_password')
    const token = (current_password: string) =>
      answerOf(send(mona, '/api/tokens', { name: 'x', perm: {}, current_password }))
    expect(await token('wrong')).toBe('400 invalid_password')
    expect(await token(DIRECTORY_PASSWORD)).toBe('201')
    expect(await confirm(DIRECTORY_PASSWORD)).toBe('204')
  })

  test('cannot be asked for while the directory is down', async () => {
    await using other = await startSlapd({ ldif: person('mona') })
    await using app = await openWith({ url: other.url })
    const mona = await signIn(app, 'mona')
    await other.stop()
    const asked = send(mona, '/api/confirm', { password: DIRECTORY_PASSWORD })
    expect(await answerOf(asked)).toBe('503 sign_in_unavailable')
  })

  test('is not changed here, neither by its owner nor by an administrator', async () => {
    await using app = await openWith()
    await signIn(app, 'mona')
    const mona = findUserByName(app.store, 'mona')
    const admin = await app.as('admin')
    const change = (which: string[], password: string) =>
      send(
        admin,
        `/api/users/${mona?.id}`,
        { what: 'user', which, current_password: PASSWORD, data: { ...mona, password } },
        'PUT',
      )
    for (const which of [['password'], ['all']]) {
      const response = await change(which, 'Another-Password-77')
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('it is changed in the directory')
    }
    expect((await change(['all'], '')).status).toBe(200)
    expect(findUserByName(app.store, 'mona')?.password).toBe(mona?.password)
    expect((await login(app, 'mona')).status).toBe(200)
    const own = await signIn(app, 'mona')
    const data = { ...mona, password: 'Another-Password-77' }
    const body = { what: 'user', which: ['password'], current_password: DIRECTORY_PASSWORD, data }
    expect((await send(own, `/api/users/${mona?.id}`, body, 'PUT')).status).toBeGreaterThanOrEqual(
      400,
    )
  })

  test('of before opens nothing, even if something has written one', async () => {
    await using app = await openWith()
    await signIn(app, 'mona')
    const password = await hashPassword(PASSWORD)
    await app.store.transaction((tx) => {
      const mona = findUserByName(tx, 'mona')
      if (mona) tx.replace(USERS, { ...mona, password })
    })
    expect(await answerOf(login(app, 'mona', PASSWORD))).toBe('403 wrong_credentials')
  })
})

test('with the account its tie to the directory goes, and the person comes back as somebody new', async () => {
  await using app = await openWith()
  await signIn(app, 'mona')
  const before = findUserByName(app.store, 'mona')?.id
  const admin = await app.as('admin')
  await send(admin, `/api/users/${before}`, { current_password: PASSWORD }, 'DELETE')
  expect(app.store.all(IDENTITIES)).toEqual([])
})
