// A 7z too large for memory goes through bsdtar, and its names lead out of the folder as little as those of small ones.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runToEnd } from '../support/jobs.ts'
import { loginAs } from '../support/login.ts'
import { startProgram } from '../support/program.ts'
import { needProgram } from '../support/programs.ts'
import { makeTree } from '../support/tree.ts'

const MIB = 1024 * 1024
/** More than is unpacked in memory. */
const LARGE_BYTES = 257 * MIB

it('is unpacked by bsdtar, but for names that lead elsewhere', async () => {
  needProgram('bsdtar')
  await using tree = await makeTree({ in: null })
  const content = randomBytes(LARGE_BYTES)
  await writeFile(join(tree.base, 'large.bin'), content)
  for (const name of ['up.txt', 'absolute.txt', 'fine.txt'])
    await writeFile(join(tree.base, name), name)
  const names = ['-s', ',^up,../../up,', '-s', `,^absolute,${tree.base}/made,`]
  const how = ['--format=7zip', '--options', '7zip:compression=store', ...names]
  const files = ['large.bin', 'up.txt', 'absolute.txt', 'fine.txt']
  execFileSync('bsdtar', ['-cPf', tree.at('in/x.7z'), ...how, ...files], { cwd: tree.base })
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  const job = await runToEnd(admin, { kind: 'extract', items: ['/in/x.7z'], to: '/in/to' })
  expect(job).toMatchObject({ state: 'failed', errorCount: 2, filesDone: 2 })
  expect(job.errors.map(({ code }) => code)).toEqual(['invalid_name', 'invalid_name'])
  expect((await readdir(tree.at('in/to'))).sort()).toEqual(['fine.txt', 'large.bin'])
  expect((await readFile(tree.at('in/to/large.bin'))).equals(content)).toBe(true)
  expect((await readdir(tree.root)).sort()).toEqual(['in'])
  expect((await readdir(tree.base)).filter((name) => name.startsWith('made'))).toEqual([])
}, 300_000)
