// Whatever status the wire demands, an outcome that is expected has a code of its own: `internal` is
// left for what nobody expected, and only that writes a stack trace into the log.
import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { AppError, fromErrno } from '../../src/lib/errors.ts'
import type { Settings } from '../../src/store/document.ts'
import { type OpenedApp, openApp, PASSWORD } from '../support/app.ts'

type Answer = [status: number, code: string | null]
type Ask = (path: string, init?: RequestInit) => Promise<Answer>

async function answerOf(response: Response): Promise<Answer> {
  await response.arrayBuffer()
  return [response.status, response.headers.get('x-error-code')]
}

async function asAdmin(app: OpenedApp): Promise<Ask> {
  const admin = await app.as('admin')
  return async (path, init) => answerOf(await admin.fetch(path, init))
}

/** Nothing was logged as a failure that nobody expected. */
function expectCalm(app: OpenedApp) {
  expect(app.errors).toEqual([])
  expect(app.log.filter((line) => /\n\s+at |node:internal/.test(line))).toEqual([])
}

const put = { method: 'PUT', body: 'x' }
const post = { method: 'POST', body: 'x' }
const patch = { method: 'PATCH' }

it('what lies in the way, cannot be named or cannot be shown says which of these it is', async () => {
  await using app = await openApp({
    tree: {
      'a.txt': 'a',
      'folder/b.txt': 'b',
      'broken.png': 'not a picture',
      'old/plain.txt': 'x',
    },
    settings: { createUserDir: true },
  })
  const notUtf8 = Buffer.concat([Buffer.from(app.tree.at('old/')), Buffer.from([0xfc])])
  await writeFile(notUtf8, 'x')
  const ask = await asAdmin(app)
  const long = 'x'.repeat(300)
  const tus = { method: 'POST', headers: { 'Upload-Length': '3' } }
  const account = { username: '..', password: 'Three-Green-Lamps-41', scope: '' }
  const users = (data: object, which: string[] = []) =>
    JSON.stringify({ what: 'user', which, current_password: PASSWORD, data })
  const copy = (query: string) => `/api/resources/${query}`
  const cases: [path: string, init: RequestInit, status: number, code: string][] = [
    ['/api/resources/a.txt/x', {}, 500, 'not_a_folder'],
    ['/api/raw/a.txt/x', {}, 500, 'not_a_folder'],
    ['/api/resources/a.txt/', post, 500, 'not_a_folder'],
    ['/api/resources/a.txt/x.txt', post, 500, 'not_a_folder'],
    ['/api/tus/a.txt/x.txt', tus, 500, 'not_a_folder'],
    ['/api/resources/folder?override=true', post, 500, 'is_a_folder'],
    ['/api/resources/folder', put, 500, 'is_a_folder'],
    [`/api/resources/${long}`, {}, 500, 'invalid_name'],
    [`/api/resources/${long}`, post, 500, 'invalid_name'],
    [`/api/tus/${long}`, tus, 500, 'invalid_name'],
    [copy(`a.txt?action=rename&destination=/${long}`), patch, 500, 'invalid_name'],
    [copy('a.txt?action=copy&destination=/a.txt&override=true'), patch, 500, 'same_place'],
    [copy('old?action=copy&destination=/new'), patch, 500, 'incomplete'],
    ['/api/preview/thumb/broken.png', {}, 500, 'damaged'],
    ['/api/users', { method: 'POST', body: users(account) }, 500, 'invalid_name'],
    ['/api/users/1', { method: 'PUT', body: users({ id: 1 }, ['foo']) }, 500, 'bad_request'],
  ]
  const seen: string[] = []
  for (const [path, init] of cases) seen.push(`${path.slice(0, 80)}: ${await ask(path, init)}`)
  expect(seen).toEqual(cases.map(([path, , ...answer]) => `${path.slice(0, 80)}: ${answer}`))
  expectCalm(app)
})

it('a command of an event that fails, is missing or cannot be read', async () => {
  for (const line of ['false', '/none/such', 'echo "open']) {
    await using app = await openApp({
      tree: { 'a.txt': 'x' },
      config: { enableExec: true },
      settings: { commands: { before_delete: [line] } },
    })
    const ask = await asAdmin(app)
    expect(await ask('/api/resources/a.txt', { method: 'DELETE' }), line).toEqual([
      500,
      'command_failed',
    ])
    expectCalm(app)
    expect(app.log.join('\n'), line).toMatch(/before_delete: /)
  }
})

const withAuth = (
  authMethod: Settings['authMethod'],
  auther: Partial<Settings['auther']>,
): Partial<Settings> => ({ authMethod, auther: { ...auther } as Settings['auther'] })

it('a way to sign in that does not work at the moment', async () => {
  const ways: [title: string, settings: Partial<Settings>][] = [
    ['program missing', withAuth('hook', { command: '/none/such' })],
    ['program failing', withAuth('hook', { command: 'false' })],
    ['program silent', withAuth('hook', { command: 'true' })],
    ['no header', withAuth('proxy', { header: 'X-User' })],
    [
      'no human check',
      withAuth('json', { recaptcha: { host: 'http://127.0.0.1:9', key: 'k', secret: 's' } }),
    ],
  ]
  const seen: string[] = []
  for (const [title, settings] of ways) {
    await using app = await openApp({ settings })
    const body = JSON.stringify({ username: 'admin', password: PASSWORD, recaptcha: 'x' })
    const [status, code] = await answerOf(await app.fetch('/api/login', { method: 'POST', body }))
    seen.push(`${title}: ${status} ${code}`)
    expectCalm(app)
  }
  expect(seen).toEqual(ways.map(([title]) => `${title}: 500 sign_in_unavailable`))
})

it('every failure that a disk is known for, and nothing else is counted among them', () => {
  const known = `ENOENT EEXIST ENOTEMPTY EACCES EPERM EROFS ELOOP ENOSPC EDQUOT ENOTDIR EISDIR EINVAL
    EILSEQ ENAMETOOLONG EBUSY ETXTBSY EFBIG EIO ENXIO ENODEV ENOTCONN EHOSTDOWN EREMOTEIO ESTALE ETIMEDOUT`
  for (const code of known.trim().split(/\s+/)) {
    const error = fromErrno(Object.assign(new Error(code), { code }), '/a.txt')
    expect(error.code, code).not.toBe('internal')
    expect(error.message, code).toBe(`${code} at /a.txt`)
  }
  for (const unexpected of [new TypeError('x'), Object.assign(new Error('x'), { code: 'EBADF' })])
    expect(fromErrno(unexpected, '/a.txt')).toMatchObject({ code: 'internal', status: 500 })
  expect(fromErrno(Object.assign(new Error('x'), { code: 'EBUSY' }), '/a.txt').status).toBe(500)
  expect(fromErrno(new AppError('exists', 'x'), '/a.txt').code).toBe('exists')
})
