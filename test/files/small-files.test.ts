// Many small files are made by a thread: whole and with all that belongs to them, or not at all.
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { chmod, readdir, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createLocalDevice } from '../../src/files/disks/device.ts'
import { openChild } from '../../src/files/volume/open-folder.ts'
import { addToBatch, createBatch } from '../../src/files/volume/small/small-batch.ts'
import { createSmallFiles, MANY_FILES } from '../../src/files/volume/small/small-files.ts'
import { TEMP_PREFIX } from '../../src/files/volume/temp-name.ts'
import { createTempRegistry } from '../../src/files/volume/temp-registry.ts'
import { createThreads, type Threads } from '../../src/programs/threads.ts'
import { DISKS, openTop } from '../support/scope.ts'
import { makeTree, type Tree } from '../support/tree.ts'

/** One such call, and the disk is asked through the pool for a while. */
const SLOW_MS = 1_000
const MTIME_MS = 1_000_000_000_000
const MANY = Array.from({ length: MANY_FILES }, (_, i) => `file ${i}.txt`)
const DISK = createLocalDevice()
const MEMORY = createLocalDevice({ isMemory: true })

function threadsUntilTheEnd(): Threads {
  const threads = createThreads()
  onTestFinished(threads.close)
  return threads
}

/** Each has its name as content, in two pieces. */
async function make(tree: Tree, names: readonly string[], device = DISK) {
  const { folder } = await openTop(tree, device)
  const batch = createBatch()
  for (const name of names) {
    const pieces = [Buffer.from(name.slice(0, 2)), Buffer.from(name.slice(2))]
    addToBatch(batch, { name, mode: 0o604, mtimeMs: MTIME_MS }, pieces)
  }
  const small = createSmallFiles(threadsUntilTheEnd())
  try {
    return (await small?.make(folder, batch, { fileMode: 0o640 })) ?? expect.unreachable()
  } finally {
    await folder.close()
  }
}

/** Those of the folder `from`, into the folder `to`. */
async function copy(tree: Tree, names: readonly string[], keepsTimes = true) {
  const { folder } = await openTop(tree, DISK)
  const [from, into] = [await openChild(folder, 'from'), await openChild(folder, 'to')]
  const small = createSmallFiles(threadsUntilTheEnd())
  try {
    return (await small?.copy(from, into, names, { keepsTimes })) ?? expect.unreachable()
  } finally {
    for (const each of [from, into, folder]) await each.close()
  }
}

const below = (folder: string, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`${folder}/${name}`, name]))

it.each([
  ['a disk', DISK],
  ['memory', MEMORY],
])('on %s each has content, bits and time, and nothing is left beside it', async (_, device) => {
  await using tree = await makeTree({})
  const made = await make(tree, MANY, device)
  expect((await readdir(tree.root)).sort()).toEqual(MANY.toSorted())
  for (const name of MANY) {
    const found = statSync(tree.at(name), { bigint: true })
    const { ino, mtimeNs, size } = found
    expect(made.get(name)).toMatchObject({ sizeBytes: Number(size), ino, mtimeNs })
    expect(found.mtimeMs).toBe(BigInt(MTIME_MS))
    expect(found.mode & 0o777n).toBe(0o604n)
    expect(readFileSync(tree.at(name), 'utf8')).toBe(name)
  }
})

it('takes no name that is taken, follows no link there, and makes the others', async () => {
  const [taken = '', linked = '', ...others] = MANY
  await using tree = await makeTree({ [taken]: 'first', behind: 'the link' })
  await symlink('behind', tree.at(linked))
  const made = await make(tree, MANY)
  expect([...made.keys()]).toEqual(others)
  expect(await tree.read(taken)).toBe('first')
  expect(await tree.read('behind')).toBe('the link')
  expect((await readdir(tree.root)).sort()).toEqual(['behind', ...MANY].sort())
})

it('a copy has content, bits and time of its source', async () => {
  const [first = ''] = MANY
  await using tree = await makeTree({ ...below('from', MANY), to: null })
  await chmod(tree.at(`from/${first}`), 0o751)
  await utimes(tree.at(`from/${first}`), new Date(), new Date(MTIME_MS))
  const made = await copy(tree, MANY)
  for (const name of MANY) expect(await tree.read(`to/${name}`)).toBe(name)
  const found = statSync(tree.at(`to/${first}`), { bigint: true })
  expect(found.mtimeMs).toBe(BigInt(MTIME_MS))
  expect(found.mode & 0o777n).toBe(0o751n)
  expect(made.get(first)?.sourceMtimeNs).toBe(BigInt(MTIME_MS) * 1_000_000n)
  expect(made.get(first)?.ino).toBe(found.ino)
})

it('a copy may have a time of its own', async () => {
  await using tree = await makeTree({ ...below('from', MANY), to: null })
  for (const name of MANY) await utimes(tree.at(`from/${name}`), new Date(), new Date(MTIME_MS))
  await copy(tree, MANY, false)
  for (const name of MANY) expect(statSync(tree.at(`to/${name}`)).mtimeMs).toBeGreaterThan(MTIME_MS)
})

it('links, pipes and large files are not copied, and nobody waits for a pipe', async () => {
  const special = ['link', 'pipe', 'large', 'folder', 'gone']
  await using tree = await makeTree({
    ...below('from', MANY),
    'from/large': Buffer.alloc(1024 * 1024 + 1),
    'from/folder': null,
    secret: 'of another folder',
    to: null,
  })
  await symlink('../secret', tree.at('from/link'))
  execFileSync('mkfifo', [tree.at('from/pipe')])
  const made = await copy(tree, [...special, ...MANY])
  expect([...made.keys()]).toEqual(MANY)
  expect((await readdir(tree.at('to'))).sort()).toEqual(MANY.toSorted())
})

it('few files start no thread', async () => {
  await using tree = await makeTree({})
  expect((await make(tree, MANY.slice(1))).size).toBe(0)
  expect(await readdir(tree.root)).toEqual([])
})

it('a disk that is slow is left alone', async () => {
  await using tree = await makeTree({})
  const device = createLocalDevice()
  for (const ms of [SLOW_MS, SLOW_MS]) device.measure(ms)
  expect((await make(tree, MANY, device)).size).toBe(0)
  expect(await readdir(tree.root)).toEqual([])
})

it('hidden names are noted before any is made, and forgotten when none is there', async () => {
  await using tree = await makeTree({ ...below('from', MANY), to: null })
  const { folder } = await openTop(tree, DISK)
  const [from, into] = [await openChild(folder, 'from'), await openChild(folder, 'to')]
  const temps = createTempRegistry(DISKS, join(tree.base, 'x.uploads'), MTIME_MS)
  const small = createSmallFiles(threadsUntilTheEnd(), temps)
  const copying = small?.copy(from, into, MANY, { keepsTimes: true })
  const noted = [...temps.noted().keys()]
  expect(noted).toHaveLength(MANY_FILES)
  expect(noted.every((path) => path.startsWith(tree.at(`to/${TEMP_PREFIX}`)))).toBe(true)
  await copying
  await temps.close()
  expect(temps.noted().size).toBe(0)
  for (const each of [from, into, folder]) await each.close()
})

it('when the thread ends amid its work nothing hidden stays', async () => {
  await using tree = await makeTree({ ...below('from', MANY), to: null })
  const { folder } = await openTop(tree, DISK)
  const [from, into] = [await openChild(folder, 'from'), await openChild(folder, 'to')]
  const threads = createThreads()
  const copying = createSmallFiles(threads)?.copy(from, into, MANY, { keepsTimes: true })
  await threads.close()
  expect((await copying)?.size).toBe(0)
  expect(await readdir(tree.at('to'))).toEqual([])
  for (const each of [from, into, folder]) await each.close()
})
