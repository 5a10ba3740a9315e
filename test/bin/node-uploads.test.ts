// Uploads go on with another node when theirs is killed or stands still; one that wakes up writes nothing into the file.
// A command that a node takes with it is logged by another one, and does not run again.
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { holdRequest } from '../support/held-request.ts'
import { loginAs } from '../support/login.ts'
import { hasPostgres, POSTGRES_PASSWORD, startPostgres } from '../support/postgres.ts'
import { type Program, runProgram, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { pieceHeaders, tusAt } from '../support/tus.ts'

const ENV = { PGPASSWORD: POSTGRES_PASSWORD }
/** Not what the upload is to hold. */
const LATE = 'x'.repeat(299_000)
const RIGHT = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251))

test.runIf(hasPostgres())('uploads go on elsewhere', async () => {
  await using postgres = await startPostgres()
  await using tree = await makeTree({})
  const database = await postgres.makeDatabase()
  const start = (name: string) =>
    startProgram(tree, {
      database,
      args: ['--stateDir', name, '--nodeName', name, '--disableExec=false'],
      env: ENV,
    })
  await using killed = await start('killed')
  await using stopped = await start('stopped')
  await using third = await start('third')
  const { token } = await loginAs(third.origin)
  const begin = async (node: Program, name: string) => {
    const [here, there] = [tusAt(node.origin, token, name), tusAt(third.origin, token, name)]
    expect(await here.create(RIGHT.length)).toBe(201)
    expect(await here.append(0, RIGHT.subarray(0, 1_000))).toEqual({ status: 204, offset: 1_000 })
    const held = await holdRequest(node.port, `PATCH /api/tus/${name}`, LATE, {
      ...pieceHeaders(1_000),
      'X-Auth': token,
    })
    await waitFor('the first byte', async () => (await there.head()).offset === 1_001)
    return { held, there }
  }
  const a = await begin(killed, 'a.bin')
  const b = await begin(stopped, 'b.bin')
  const [ran, lasts] = [join(tree.base, 'ran'), join(tree.base, 'lasts')]
  await writeFile(lasts, '')
  const line = `sh -c 'echo $FILE >> ${ran}; while [ -e ${lasts} ]; do sleep 0.1; done'`
  const set = ['cmds', 'add', 'after_delete', line, '-d', database]
  expect(await runProgram(set, { cwd: tree.base, env: ENV })).toMatchObject({ code: 0 })
  await writeFile(tree.at('gone.txt'), '')
  const init = { method: 'DELETE', headers: { 'X-Auth': token } }
  const cutOff = expect(fetch(`${killed.origin}/api/resources/gone.txt`, init)).rejects.toThrow()
  await waitFor('the command', () => readFile(ran, 'utf8'))
  await killed.kill()
  await cutOff
  stopped.process.kill('SIGSTOP')
  try {
    // It waits for it in the socket.
    const late = b.held.finish()
    const begun = performance.now()
    // What the client has sent counts from where it was told that it had come; the byte after that was another one.
    for (const { there } of [a, b])
      expect((await there.head()).offset).toBeGreaterThanOrEqual(1_000)
    const rest = RIGHT.subarray(1_001)
    const answers = await Promise.all([a, b].map(({ there }) => there.append(1_001, rest)))
    expect(answers).toEqual(Array(2).fill({ status: 204, offset: RIGHT.length }))
    expect(performance.now() - begun).toBeLessThan(14_000)
    const whole = Buffer.from(RIGHT)
    whole.write('x', 1_000)
    for (const name of ['a.bin', 'b.bin'])
      expect((await readFile(tree.at(name))).equals(whole), name).toBe(true)
    const before = await stat(tree.at('b.bin'))
    stopped.process.kill('SIGCONT')
    expect(await late).not.toBe(204)
    expect((await readFile(tree.at('b.bin'))).equals(whole)).toBe(true)
    expect((await stat(tree.at('b.bin'))).mtimeMs).toBe(before.mtimeMs)
    // It takes part again.
    const again = tusAt(stopped.origin, token, 'c.bin')
    await waitFor('an upload', async () => (await again.create(3)) === 201)
    expect(await again.append(0, Buffer.from('abc'))).toEqual({ status: 204, offset: 3 })
  } finally {
    stopped.process.kill('SIGCONT')
    await rm(lasts)
  }
  await waitFor('a word about the command', () =>
    [stopped, third].some((node) => node.output().includes('/gone.txt: node killed went away')),
  )
  expect(await readFile(ran, 'utf8')).toBe(`${tree.at('gone.txt')}\n`)
})
