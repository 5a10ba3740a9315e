import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import {
  appendToPartial,
  completePartial,
  createPartial,
  createResumables,
  type Destination,
  findPartial,
} from '../../src/files/transfer/resumable.ts'
import { createTempRegistry, type TempRegistry } from '../../src/files/volume/temp-registry.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import { DISKS, scopeOf } from '../support/scope.ts'
import { makeTree, type Tree } from '../support/tree.ts'

async function destinationIn(
  tree: Tree,
  temps?: TempRegistry,
  { path = '/a.txt', owner = 1 } = {},
): Promise<Destination> {
  const scope = scopeOf(tree, { temps })
  return { scope, place: await scope.place(vpathOf(path)), owner, mayReplace: true }
}

it('an upload that is not complete any more replaces nothing', async () => {
  await using tree = await makeTree({ 'a.txt': 'old' })
  const resumables = createResumables()
  const destination = await destinationIn(tree)
  const upload = await createPartial(resumables, destination, {
    lengthBytes: 5,
    replace: true,
    mtimeMs: null,
  })
  await expect(
    completePartial(resumables, destination, { upload }, (commit) => commit()),
  ).rejects.toMatchObject({ code: 'conflict' })
  expect(await readFile(tree.at('a.txt'), 'utf8')).toBe('old')
})

it('a complete upload whose place another one took since it was opened replaces nothing', async () => {
  await using tree = await makeTree({ 'a.txt': 'old' })
  const resumables = createResumables()
  const destination = await destinationIn(tree)
  const facts = { lengthBytes: 5, replace: true, mtimeMs: null }
  await createPartial(resumables, destination, facts)
  const hello = Readable.from([Buffer.from('hello')])
  const complete = await appendToPartial(resumables, destination, 0, hello)
  await createPartial(resumables, destination, facts)
  await expect(
    completePartial(resumables, destination, complete, (commit) => commit()),
  ).rejects.toMatchObject({ code: 'conflict' })
  await complete.temp.release()
  expect(await readFile(tree.at('a.txt'), 'utf8')).toBe('old')
  expect(await findPartial(resumables, destination)).toMatchObject({ offsetBytes: 0 })
})

it('a complete upload of an old file that could not be moved into place is not swept', async () => {
  await using tree = await makeTree({})
  const registry = createTempRegistry(DISKS, join(tree.base, 'uploads'), 60 * 60_000)
  const destination = await destinationIn(tree, registry)
  const resumables = createResumables()
  const facts = { lengthBytes: 5, replace: true, mtimeMs: 1_000_000_000_000 }
  const upload = await createPartial(resumables, destination, facts)
  const hello = Readable.from([Buffer.from('hello')])
  await (await appendToPartial(resumables, destination, 0, hello)).temp.release()
  await mkdir(tree.at('a.txt'))
  await expect(
    completePartial(resumables, destination, { upload }, (commit) => commit()),
  ).rejects.toThrow()
  await registry.sweep()
  expect(await findPartial(resumables, destination)).toMatchObject({ offsetBytes: 5 })
  await registry.close()
})

it('a new upload drops an unfinished one of an earlier run, whatever that was to be', async () => {
  await using tree = await makeTree({ 'a.txt': 'old' })
  const destination = await destinationIn(tree)
  const before = { lengthBytes: 9, replace: false, mtimeMs: 1_000 }
  await createPartial(createResumables(), destination, before)
  const resumables = createResumables()
  await createPartial(resumables, destination, { lengthBytes: 5, replace: true, mtimeMs: null })
  const hel = Readable.from([Buffer.from('hel')])
  await (await appendToPartial(resumables, destination, 0, hel)).temp.release()
  const temps = (await readdir(tree.root)).filter((name) => name !== 'a.txt')
  expect(temps).toEqual([expect.stringMatching(/-5-r-/)])
  expect(await findPartial(createResumables(), destination)).toMatchObject({ offsetBytes: 3 })
})

it('uploads begun at once each drop the unfinished one of an earlier run', async () => {
  await using tree = await makeTree({})
  const targets = await Promise.all(
    ['/a.txt', '/b.txt', '/c.txt'].map((path) => destinationIn(tree, undefined, { path })),
  )
  const begin = (lengthBytes: number) => {
    const resumables = createResumables()
    const facts = { lengthBytes, replace: true, mtimeMs: null }
    return Promise.all(targets.map((target) => createPartial(resumables, target, facts)))
  }
  await begin(9)
  await begin(5)
  const temps = await readdir(tree.root)
  expect(temps).toHaveLength(3)
  expect(temps.filter((name) => !name.includes('-5-r-'))).toEqual([])
})

it('a folder that could not be searched is searched again', async () => {
  await using tree = await makeTree({})
  const destination = await destinationIn(tree)
  await createPartial(createResumables(), destination, {
    lengthBytes: 9,
    replace: true,
    mtimeMs: null,
  })
  const { scope } = destination
  const failing = {
    ...destination,
    scope: { ...scope, findTemps: () => Promise.reject(new Error('the disk fails')) },
  }
  const resumables = createResumables()
  const facts = { lengthBytes: 5, replace: true, mtimeMs: null }
  await expect(createPartial(resumables, failing, facts)).rejects.toThrow('the disk fails')
  await createPartial(resumables, destination, facts)
  expect(await readdir(tree.root)).toEqual([expect.stringMatching(/-5-r-/)])
})
