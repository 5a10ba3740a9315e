// The program is killed amid a copy: the next start goes on with it, and does almost nothing twice.
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { begin, endOf, jobOf, listOf } from '../support/jobs.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

const FOLDERS = 15
const FILES = 100
const contentOf = (folder: number, file: number) => `${folder}/${file} `.repeat(200)

/** Inodes of all files below a folder. */
async function inodesIn(folder: string): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('.fb-')) continue
    const path = join(entry.parentPath, entry.name)
    found.set(path, (await stat(path)).ino)
  }
  return found
}

it('a copy of 1,500 files goes on after each of two kills, and under one in a hundred is done twice', async () => {
  const content = Object.fromEntries(
    Array.from({ length: FOLDERS * FILES }, (_, i) => {
      const [folder, file] = [Math.floor(i / FILES), i % FILES]
      return [`from/${folder}/${file}.txt`, contentOf(folder, file)]
    }),
  )
  await using tree = await makeTree({ ...content, to: null })
  const target = tree.at('to/from')
  const seen: Map<string, number>[] = []
  let id = ''
  for (const files of [200, 800]) {
    await using program = await startProgram(tree)
    const admin = await loginAs(program.origin)
    if (id === '') id = (await begin(admin, { kind: 'copy', items: ['/from'], to: '/to' })).id
    await waitFor(`${files} files`, async () => (await jobOf(admin, id)).filesDone >= files)
    await program.kill()
    seen.push(await inodesIn(target))
  }
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  expect(await endOf(admin, id)).toMatchObject({ state: 'done', filesDone: 1_500, errors: [] })
  expect((await listOf(admin)).map((job) => job.id)).toEqual([id])
  const now = await inodesIn(target)
  expect(now.size).toBe(FOLDERS * FILES)
  for (let folder = 0; folder < FOLDERS; folder++)
    for (let file = 0; file < FILES; file++)
      expect(await readFile(join(target, `${folder}/${file}.txt`), 'utf8')).toBe(
        contentOf(folder, file),
      )
  const twice = seen.flatMap((then) => [...then].filter(([path, ino]) => now.get(path) !== ino))
  expect(twice.length).toBeLessThan(15)
  // At least the first kill came before the end.
  expect(seen[0]?.size).toBeLessThan(FOLDERS * FILES)
})

it('a move to another disk goes on after a kill, and each file is whole on one side at least', async () => {
  const content = Object.fromEntries(
    Array.from({ length: 4 * FILES }, (_, i) => [`from/${i % 4}/${i}.txt`, contentOf(0, i)]),
  )
  await using tree = await makeTree(content)
  const photos = join(tree.base, 'photos')
  await mkdir(photos)
  const args = ['--roots', `photos=${photos}`]
  const read = (path: string) => readFile(path, 'utf8').catch(() => null)
  const sides = async (i: number) => [
    await read(tree.at(`from/${i % 4}/${i}.txt`)),
    await read(join(photos, `from/${i % 4}/${i}.txt`)),
  ]
  let id = ''
  {
    await using program = await startProgram(tree, { args })
    const admin = await loginAs(program.origin)
    const grants = [{ who: 'everyone', see: true, download: true, create: true }]
    const { password } = ADMIN
    const folder = { place: 'photos:/', as: 'photos', grants, current_password: password }
    const told = await admin.fetch('/api/folders', { method: 'PUT', body: JSON.stringify(folder) })
    expect(told.status).toBe(200)
    id = (await begin(admin, { kind: 'move', items: ['/from'], to: '/photos' })).id
    await waitFor('some files', async () => (await jobOf(admin, id)).filesDone >= 100)
    await program.kill()
  }
  for (let i = 0; i < 4 * FILES; i++) {
    const found = (await sides(i)).filter((text) => text !== null)
    expect(new Set(found)).toEqual(new Set([contentOf(0, i)]))
  }
  await using program = await startProgram(tree, { args })
  const admin = await loginAs(program.origin)
  expect(await endOf(admin, id)).toMatchObject({ state: 'done', errors: [] })
  for (let i = 0; i < 4 * FILES; i++) expect(await sides(i)).toEqual([null, contentOf(0, i)])
  expect(await readdir(tree.root)).not.toContain('from')
})

it('a stop waits neither for who listens nor for who waits for an end, and the next start goes on', async () => {
  const content = Object.fromEntries(
    Array.from({ length: 10 * FILES }, (_, i) => [`from/${i}.txt`, contentOf(0, i)]),
  )
  await using tree = await makeTree({ ...content, to: null })
  let id = ''
  {
    await using program = await startProgram(tree)
    const admin = await loginAs(program.origin)
    const stream = await admin.fetch('/api/events')
    id = (await begin(admin, { kind: 'copy', items: ['/from'], to: '/to' })).id
    const told = admin.fetch(`/api/jobs/${id}?wait=30`)
    await waitFor('some files', async () => (await jobOf(admin, id)).filesDone >= 100)
    expect(await program.stop()).toBe(0)
    expect((await told).status).toBe(200)
    expect(await stream.text()).toContain('retry: ')
  }
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  expect(await endOf(admin, id)).toMatchObject({ state: 'done', filesDone: 1_000 })
})
