// WebDAV by the executable: the test suite of others for such servers, and what a crash leaves.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { UserRecord } from '../../src/api-types.ts'
import { basic } from '../support/dav.ts'
import {
  hiddenIn,
  PARTS,
  PARTS_1,
  PARTS_TARGET,
  sendSome,
  writeForms,
} from '../support/dav-writes.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { cpuMsOf } from '../support/process-facts.ts'
import { ADMIN, type Program, startProgram } from '../support/program.ts'
import { needProgram } from '../support/programs.ts'
import { makeTree } from '../support/tree.ts'
import { createUser, PASSWORD } from '../web/settings-steps.ts'

const run = promisify(execFile)

/** Tests of each part of litmus 0.13. */
const COUNTS = { basic: 16, copymove: 13, props: 30, locks: 41, http: 4 }

const SCOPED = { username: 'anna', password: PASSWORD } as const
/** Such are asked for every path; what they are about is beside that on which litmus works. */
const RULES: UserRecord['rules'] = [
  { regex: false, allow: false, path: '/secret', regexp: null },
  { regex: true, allow: false, path: '', regexp: { raw: '\\.hidden$' } },
]

it.each([
  ['the administrator', ADMIN, ''],
  ['an account with a scope and rules', SCOPED, '/team'],
] as const)('litmus finds nothing as %s, below a base URL', async (_, who, scope) => {
  needProgram('litmus')
  await using tree = await makeTree({
    'team/a.txt': 'a',
    'team/secret/b.txt': 'b',
    'team/c.hidden': 'c',
  })
  await using program = await startProgram(tree, { args: ['--davPasswords', '-b', '/base'] })
  const origin = `${program.origin}/base`
  if (scope) await createUser({ origin }, { ...SCOPED, scope, rules: RULES })
  // It leaves its notes where it runs.
  const cwd = await mkdtemp(join(tmpdir(), 'filebrowser-litmus-'))
  try {
    const url = `${origin}/dav/`
    const { stdout } = await run('litmus', ['-k', url, who.username, who.password], {
      cwd,
      env: { ...process.env, TESTS: Object.keys(COUNTS).join(' ') },
    })
    for (const [part, count] of Object.entries(COUNTS))
      expect(stdout).toContain(
        `<- summary for \`${part}': of ${count} tests run: ${count} passed, 0 failed. 100.0%`,
      )
    expect(stdout.match(/WARNING/g) ?? []).toEqual([])
    if (scope) {
      const headers = basic(who.username, who.password)
      const statusOf = async (path: string) => (await fetch(url + path, { headers })).status
      expect(await Promise.all(['a.txt', 'secret/b.txt', 'c.hidden'].map(statusOf))).toEqual([
        200, 403, 403,
      ])
    }
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
})

const own = basic(ADMIN.username, ADMIN.password)
const ask = ({ origin }: Program, method: string, path: string, more: RequestInit = {}) =>
  fetch(origin + path, { method, ...more, headers: { ...own, ...more.headers } })

it('kill -9 amid a write leaves the old file, in every form, and nothing after the clean-up', async () => {
  const bytes = 400 * 1024
  const forms = writeForms(bytes)
  const old = (name: string) => `old content of ${name}`
  await using tree = await makeTree(
    Object.fromEntries(forms.map(({ name }) => [`${name}.bin`, old(name)])),
  )
  const args = ['--davPasswords']
  {
    await using program = await startProgram(tree, { args })
    const begun = await ask(program, 'MKCOL', PARTS, { headers: PARTS_TARGET })
    expect(begun.status).toBe(201)
    expect((await ask(program, 'MKCOL', PARTS_1)).status).toBe(201)
    for (const parts of [PARTS, PARTS_1]) {
      const first = await ask(program, 'PUT', `${parts}/1`, { body: 'first' })
      expect(first.status).toBe(201)
    }
    const half = Buffer.alloc(bytes / 2, 'new')
    const sockets = await Promise.all(forms.map((form) => sendSome(program.port, form, own, half)))
    await waitFor(
      'all of them to be on their way',
      async () => (await hiddenIn(tree.root)).length === forms.length,
    )
    await program.kill()
    for (const socket of sockets) socket.destroy()
  }
  const expectOld = async (...but: string[]) => {
    for (const { name } of forms)
      if (!but.includes(name)) expect(await tree.read(`${name}.bin`), name).toBe(old(name))
  }
  {
    // Parts that had come are there again.
    await using program = await startProgram(tree, { args })
    await expectOld()
    for (const [parts, name] of [
      [PARTS, 'in-parts.bin'],
      [PARTS_1, 'in-parts-1.bin'],
    ] as const) {
      const headers = { Destination: `/dav/${name}` }
      const listed = await ask(program, 'PROPFIND', parts, { headers: { Depth: '1' } })
      expect(await listed.text()).toMatch(/\/1</)
      const second = await ask(program, 'PUT', `${parts}/2`, { body: ' second' })
      expect(second.status).toBe(201)
      const joined = await ask(program, 'MOVE', `${parts}/.file`, { headers })
      expect(joined.status).toBe(204)
      expect(await tree.read(name)).toBe('first second')
    }
    await ask(program, 'MKCOL', PARTS, { headers: PARTS_TARGET })
    await ask(program, 'MKCOL', PARTS_1)
    await program.kill()
  }
  const left = await hiddenIn(tree.root)
  expect(left).toHaveLength(forms.length)
  for (const name of left) await utimes(tree.at(name), 1_000, 1_000)
  await using _program = await startProgram(tree, { args: [...args, '--tusExpiry', '1s'] })
  await waitFor('the clean-up', async () => (await hiddenIn(tree.root)).length === 0)
  await expectOld('in-parts', 'in-parts-1')
})

it('200 requests with one password of an account cost one computation of its hash', async () => {
  await using tree = await makeTree({ 'a.txt': 'hello' })
  const args = ['--davPasswords', '--loginRateLimit', '0']
  await using program = await startProgram(tree, { args })
  const statuses = async (secret: string) => {
    const headers = basic(ADMIN.username, secret)
    const asked = Array.from({ length: 200 }, () => ask(program, 'HEAD', '/dav/a.txt', { headers }))
    return new Set((await Promise.all(asked)).map(({ status }) => status))
  }
  const spentMs = async (work: () => Promise<unknown>) => {
    const before = await cpuMsOf(program.process.pid as number)
    await work()
    return (await cpuMsOf(program.process.pid as number)) - before
  }
  const session = await loginAs(program.origin)
  const wanted = { name: 'phone', perm: { download: true }, folder: '/', expires: '' }
  const made = await session.fetch('/api/tokens', {
    method: 'POST',
    body: JSON.stringify({ ...wanted, current_password: ADMIN.password }),
  })
  const { token } = (await made.json()) as { token: string }
  // Loads what is loaded once.
  expect(await statuses(token)).toEqual(new Set([200]))
  const guess = (n: number) =>
    ask(program, 'HEAD', '/dav/a.txt', { headers: basic(ADMIN.username, `wrong ${n}`) })
  await guess(0)
  const hashMs = (await spentMs(() => Promise.all([1, 2, 3, 4, 5, 6].map(guess)))) / 6
  const byTokenMs = await spentMs(() => statuses(token))
  const byPasswordMs = await spentMs(async () =>
    expect(await statuses(ADMIN.password)).toEqual(new Set([200])),
  )
  expect((byPasswordMs - byTokenMs) / hashMs).toBeLessThan(20)
})
