// A copy of a hundred thousand files goes on after twenty kills, as if there had been none.
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { begin, jobOf } from '../support/jobs.ts'
import { loginAs } from '../support/login.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

const FOLDERS = 500
const FILES = 200
const KILLS = 20
const WAIT_MS = 600_000

const pathOf = (i: number) => `${Math.floor(i / FILES)}/${i % FILES}.txt`

/** The inode of each file that has come, by its number. */
async function inodesIn(folder: string): Promise<Map<number, number>> {
  const found = new Map<number, number>()
  for (const name of await readdir(folder).catch(() => []))
    for (const file of await readdir(join(folder, name))) {
      if (!file.endsWith('.txt')) continue
      const { ino } = await stat(join(folder, name, file))
      found.set(Number(name) * FILES + Number.parseInt(file, 10), ino)
    }
  return found
}

it('its target equals its source, and under one in a hundred was done twice', async () => {
  const count = FOLDERS * FILES
  const content = Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`from/${pathOf(i)}`, `${i} `.repeat(100)]),
  )
  await using tree = await makeTree({ ...content, to: null })
  const target = tree.at('to/from')
  const seen = new Map<number, Set<number>>()
  let id = ''
  for (let kill = 1; kill <= KILLS; kill++) {
    await using program = await startProgram(tree)
    const admin = await loginAs(program.origin)
    if (id === '') id = (await begin(admin, { kind: 'copy', items: ['/from'], to: '/to' })).id
    const wanted = (count / (KILLS + 1)) * kill
    const isThere = async () => (await jobOf(admin, id)).filesDone >= wanted
    await waitFor(`kill ${kill}`, isThere, WAIT_MS)
    await program.kill()
    for (const [i, ino] of await inodesIn(target)) seen.set(i, (seen.get(i) ?? new Set()).add(ino))
  }
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  const end = await waitFor(
    'the end',
    async () => {
      const job = await jobOf(admin, id)
      return job.endedAt === null ? null : job
    },
    WAIT_MS,
  )
  expect(end).toMatchObject({ state: 'done', filesDone: count, errors: [] })
  const now = await inodesIn(target)
  expect(now.size).toBe(count)
  for (let i = 0; i < count; i++)
    if ((await readFile(join(target, pathOf(i)), 'utf8')) !== `${i} `.repeat(100))
      expect.unreachable(`${pathOf(i)} differs`)
  const twice = [...seen].filter(([i, inodes]) => inodes.size > 1 || !inodes.has(now.get(i) ?? 0))
  process.stdout.write(`${twice.length} of ${count} files were done twice\n`)
  expect(twice.length).toBeLessThan(count / 100)
})
