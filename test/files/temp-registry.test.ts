import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createLocalDevice } from '../../src/files/disks/device.ts'
import { openTemp, type TempFile } from '../../src/files/volume/temp-file.ts'
import { TEMP_PREFIX } from '../../src/files/volume/temp-name.ts'
import { createTempRegistry, MAX_NOTED } from '../../src/files/volume/temp-registry.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import { admitUpload } from '../../src/operations/uploads/unfinished.ts'
import { DISKS, openTop, scopeOf, VOLUME } from '../support/scope.ts'
import { makeTree } from '../support/tree.ts'

const HOUR_MS = 60 * 60_000
const PLACE = '0123456789abcdef'.repeat(2)

const tempName = () => TEMP_PREFIX + randomUUID()

/** Leaves an old file behind. */
async function leave(folder: string, name = tempName(), content = 'x'): Promise<string> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), content)
  await utimes(join(folder, name), 1_000, 1_000)
  return join(folder, name)
}

it('removes what was noted, and nothing that only has such a name', async () => {
  await using tree = await makeTree({})
  const registry = createTempRegistry(DISKS, join(tree.base, 'uploads'), HOUR_MS)
  const theirs = ['.fb-tmp-thesis.tar', `${TEMP_PREFIX}up-notes`, tempName()]
  for (const name of theirs) await leave(tree.root, name)
  registry.note(await leave(tree.root))
  await registry.sweep()
  expect((await readdir(tree.root)).sort()).toEqual(theirs.sort())
  await registry.close()
})

it('a file that is noted is found after the process was killed at once', async () => {
  await using tree = await makeTree({})
  const file = join(tree.base, 'uploads')
  const [first, second] = [tempName(), tempName()].map((name) => join(tree.root, name))
  const killed = createTempRegistry(DISKS, file, HOUR_MS)
  killed.note(second as string)
  killed.forget(second as string)
  killed.note(first as string, { upload: { owner: 7, vpath: '/a' } })
  const next = createTempRegistry(DISKS, file, HOUR_MS)
  expect([...next.noted()]).toEqual([[first, { upload: { owner: 7, vpath: '/a' } }]])
  await killed.close()
  await next.close()
})

it('files that follow each other into a folder share a name, which stays noted', async () => {
  await using tree = await makeTree({})
  const file = join(tree.base, 'uploads')
  const registry = createTempRegistry(DISKS, file, HOUR_MS)
  const scope = scopeOf(tree, { temps: registry })
  const names = new Set<string>()
  for (const name of ['/a', '/b', '/c']) {
    const temp = await scope.openTemp(vpathOf(name))
    for (const path of registry.noted().keys()) names.add(path)
    await temp.commit({ replace: false })
  }
  expect([names.size, [...registry.noted().keys()]]).toEqual([1, [...names]])
  expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(1)
  // One at a time.
  const both = [await scope.openTemp(vpathOf('/d')), await scope.openTemp(vpathOf('/e'))]
  expect(registry.noted().size).toBe(2)
  for (const temp of both) await temp.discard()
  await registry.close()
  expect(await readdir(tree.base)).not.toContain('uploads')
})

it('lines that a crash left half written, or that name other files, are passed over', async () => {
  await using tree = await makeTree({})
  const file = join(tree.base, 'uploads')
  const theirs = await leave(tree.root, 'precious.txt')
  const ours = await leave(tree.root)
  await writeFile(file, `{"temp":"${theirs}"}\n{"temp":"${ours}"}\nnull\n{"temp":"/x/.fb-`)
  const registry = createTempRegistry(DISKS, file, HOUR_MS)
  await registry.sweep()
  expect(await readdir(tree.root)).toEqual(['precious.txt'])
  await registry.close()
})

it('what version 3.0.0 left is removed from the folders it noted, by its exact names', async () => {
  await using tree = await makeTree({})
  const file = join(tree.base, 'uploads')
  const folder = tree.at('disk/deep')
  await writeFile(file, JSON.stringify([folder]))
  const registry = createTempRegistry(DISKS, file, HOUR_MS)
  await registry.sweep()
  // The disk is mounted late.
  await leave(folder)
  await leave(folder, `${TEMP_PREFIX}up-${PLACE}-5-n-`)
  await leave(folder, '.fb-tmp-thesis.tar')
  await registry.sweep()
  expect(await readdir(folder)).toEqual(['.fb-tmp-thesis.tar'])
  await registry.close()
})

it('a file that is away is remembered for the next run, and no list stays without one', async () => {
  await using tree = await makeTree({})
  const file = join(tree.base, 'uploads')
  const registry = createTempRegistry(DISKS, file, HOUR_MS)
  const away = tree.at(`away/${tempName()}`)
  registry.note(away)
  await registry.close()
  const next = createTempRegistry(DISKS, file, HOUR_MS)
  expect([...next.noted().keys()]).toEqual([away])
  next.forget(away)
  await next.close()
  await expect(readFile(file)).rejects.toThrow('ENOENT')
})

it('an upload that is complete is kept from the start on, whenever its last byte came', async () => {
  await using tree = await makeTree({})
  const registry = createTempRegistry(DISKS, join(tree.base, 'uploads'), HOUR_MS)
  const complete = `${TEMP_PREFIX}up-${PLACE}-u1-5-n-`
  registry.note(await leave(tree.root, complete, 'whole'))
  registry.note(await leave(tree.root, `${TEMP_PREFIX}up-${PLACE}-u1-6-n-`, 'part'))
  await registry.sweep()
  expect(await readdir(tree.root)).toEqual([complete])
  await registry.close()
})

it('one file that goes meanwhile stops no sweep', async () => {
  await using tree = await makeTree({})
  const registry = createTempRegistry(DISKS, join(tree.base, 'uploads'), HOUR_MS)
  const folder = tree.at('folder')
  for (let round = 0; round < 20; round++) {
    await rm(folder, { recursive: true, force: true })
    const [first, left, last] = [await leave(folder), await leave(folder), await leave(folder)]
    for (const path of [first, left, last]) registry.note(path)
    const swept = registry.sweep()
    await Promise.allSettled([first, last].map((path) => rename(path, join(folder, 'ok'))))
    await swept
    expect((await readdir(folder)).filter((name) => name !== 'ok')).toEqual([])
  }
  await registry.close()
})

it('a full registry takes no further uploads, and notes what is made all the same', async () => {
  await using tree = await makeTree({})
  const file = join(tree.base, 'uploads')
  const lines = Array.from({ length: MAX_NOTED }, (_, n) => {
    const temp = `/nowhere/${TEMP_PREFIX}up-${PLACE}-u${n}-9-n-`
    return `${JSON.stringify({ temp, upload: { owner: n, vpath: '/a' } })}\n`
  })
  await writeFile(file, lines.join(''))
  const registry = createTempRegistry(DISKS, file, HOUR_MS)
  expect(registry.noted().size).toBe(MAX_NOTED)
  await expect(admitUpload(VOLUME, registry, 1)).rejects.toMatchObject({
    code: 'too_many_requests',
  })
  const temp = join(tree.root, tempName())
  registry.note(temp)
  expect(registry.noted().has(temp)).toBe(true)
  registry.forget(temp)
  registry.forget([...registry.noted().keys()][0] as string)
  await admitUpload(VOLUME, registry, 1)
})

it('a file whose folder cannot be synced leaves the next one alone that has taken its name', async () => {
  await using tree = await makeTree({})
  const registry = createTempRegistry(DISKS, join(tree.base, 'uploads'), HOUR_MS)
  const begin = async (name: string, syncFolder: () => Promise<void>) => {
    const device = { ...createLocalDevice(), syncFolder }
    const { folder } = await openTop(tree, device)
    return openTemp(folder, name, { fileMode: 0o640 }, registry)
  }
  let second: TempFile | undefined
  const first = await begin('first', async () => {
    second = await begin('second', async () => {})
    throw new Error('EIO')
  })
  await expect(first.commit({ replace: true })).rejects.toThrow('EIO')
  await first.discard()
  await second?.commit({ replace: true })
  expect((await readdir(tree.root)).sort()).toEqual(['first', 'second'])
  await registry.close()
})
