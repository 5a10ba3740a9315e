// WebDAV by the executable: the test suite of others for such servers, and what a crash leaves.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { basic } from '../support/dav.ts'
import { hiddenIn, PARTS, PARTS_TARGET, sendSome, writeForms } from '../support/dav-writes.ts'
import { waitFor } from '../support/deadline.ts'
import { ADMIN, type Program, startProgram } from '../support/program.ts'
import { needProgram } from '../support/programs.ts'
import { makeTree } from '../support/tree.ts'

const run = promisify(execFile)

/** Tests of each part of litmus 0.13. */
const COUNTS = { basic: 16, copymove: 13, props: 30, locks: 41, http: 4 }
it('litmus finds nothing', async () => {
  needProgram('litmus')
  await using tree = await makeTree({})
  await using program = await startProgram(tree, { args: ['--davPasswords', '-b', '/base'] })
  // It leaves its notes where it runs.
  const cwd = await mkdtemp(join(tmpdir(), 'filebrowser-litmus-'))
  try {
    const url = `${program.origin}/base/dav/`
    const { stdout } = await run('litmus', ['-k', url, ADMIN.username, ADMIN.password], {
      cwd,
      env: { ...process.env, TESTS: Object.keys(COUNTS).join(' ') },
    })
    for (const [part, count] of Object.entries(COUNTS))
      expect(stdout).toContain(
        `<- summary for \`${part}': of ${count} tests run: ${count} passed, 0 failed. 100.0%`,
      )
    expect(stdout.match(/WARNING/g) ?? []).toEqual([])
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
    const first = await ask(program, 'PUT', `${PARTS}/1`, { body: 'first' })
    expect(first.status).toBe(201)
    const half = Buffer.alloc(bytes / 2, 'new')
    const sockets = await Promise.all(forms.map((form) => sendSome(program.port, form, own, half)))
    await waitFor(
      'all of them to be on their way',
      async () => (await hiddenIn(tree.root)).length === forms.length,
    )
    await program.kill()
    for (const socket of sockets) socket.destroy()
  }
  const expectOld = async (but = '') => {
    for (const { name } of forms)
      if (name !== but) expect(await tree.read(`${name}.bin`), name).toBe(old(name))
  }
  {
    // Parts that had come are there again.
    await using program = await startProgram(tree, { args })
    await expectOld()
    const listed = await ask(program, 'PROPFIND', PARTS, { headers: { Depth: '1' } })
    expect(await listed.text()).toMatch(/\/u\/1</)
    const second = await ask(program, 'PUT', `${PARTS}/2`, { body: ' second' })
    expect(second.status).toBe(201)
    const joined = await ask(program, 'MOVE', `${PARTS}/.file`, { headers: PARTS_TARGET })
    expect(joined.status).toBe(204)
    expect(await tree.read('in-parts.bin')).toBe('first second')
    await ask(program, 'MKCOL', PARTS, { headers: PARTS_TARGET })
    await program.kill()
  }
  const left = await hiddenIn(tree.root)
  expect(left).toHaveLength(forms.length)
  for (const name of left) await utimes(tree.at(name), 1_000, 1_000)
  await using _program = await startProgram(tree, { args: [...args, '--tusExpiry', '1s'] })
  await waitFor('the clean-up', async () => (await hiddenIn(tree.root)).length === 0)
  await expectOld('in-parts')
})
