// What an operation does besides the change itself: conditions, names that are taken, hooks, shares.

import { readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../src/lib/errors.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import { transfer } from '../../src/operations/move.ts'
import { remove } from '../../src/operations/remove.ts'
import { targetAt } from '../../src/operations/shares.ts'
import { appendToUpload, beginUpload, findUpload } from '../../src/operations/uploads/uploads.ts'
import { createFile, makeFolder, saveFile } from '../../src/operations/write.ts'
import { SHARES } from '../../src/store/collections.ts'
import type { Share } from '../../src/store/document.ts'
import { type Setup, setUp } from '../support/operations.ts'
import { changeRecords } from '../support/records.ts'

const at = vpathOf
const body = (text: string) => ({ stream: Readable.from([Buffer.from(text)]), sizeBytes: 0 })
const KEEP = { replace: false, rename: false }
const exists = expect.objectContaining({ code: 'exists' })

describe('a name that is taken', () => {
  it('is exists for a new file, unless it is to be replaced', async () => {
    await using setup = await setUp({ 'a.txt': 'old' })
    const { tree } = setup
    const write = (replace: boolean) =>
      createFile(setup.actor(), at('/a.txt'), body('new'), { replace })
    await expect(write(false)).rejects.toEqual(exists)
    expect(await tree.read('a.txt')).toBe('old')
    await write(true)
    expect(await tree.read('a.txt')).toBe('new')
  })

  it('is exists for an upload in parts, before its first byte', async () => {
    await using setup = await setUp({ 'a.txt': 'old' })
    const facts = () => ({ lengthBytes: 1, mtimeMs: null })
    const begun = beginUpload(setup.actor(), at('/a.txt'), {
      replace: false,
      facts,
    })
    await expect(begun).rejects.toEqual(exists)
  })

  it.each(['copy', 'rename'])(
    'is exists for a %s, replaced, or another one is taken',
    async (action) => {
      await using setup = await setUp({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
      const { tree } = setup
      const actor = setup.actor()
      await expect(transfer(actor, action, at('/a.txt'), at('/b.txt'), KEEP)).rejects.toEqual(
        exists,
      )
      const renamed = { ...KEEP, rename: true }
      expect(await transfer(actor, action, at('/a.txt'), at('/b.txt'), renamed)).toBe('/b(1).txt')
      await transfer(actor, action, at('/b(1).txt'), at('/c.txt'), { ...KEEP, replace: true })
      expect(await tree.read('b.txt')).toBe('b')
      expect(await tree.read('c.txt')).toBe('a')
    },
  )
})

describe('a save', () => {
  it('is refused by its condition, and changes nothing then', async () => {
    await using setup = await setUp({ 'a.txt': 'old' })
    const { tree } = setup
    const changed = new AppError('precondition_failed', 'it has changed')
    const save = (size: number) =>
      saveFile(setup.actor(), at('/a.txt'), body('new'), ({ sizeBytes }) => {
        if (sizeBytes !== size) throw changed
      })
    await expect(save(4)).rejects.toBe(changed)
    expect(await tree.read('a.txt')).toBe('old')
    await save(3)
    expect(await tree.read('a.txt')).toBe('new')
  })

  it('is refused when the file has changed while the body came', async () => {
    await using setup = await setUp({ 'a.txt': 'old' })
    const { tree } = setup
    const changed = new AppError('precondition_failed', 'it has changed')
    const stream = Readable.from(
      (async function* () {
        yield Buffer.from('mine')
        await tree.add({ 'a.txt': 'theirs' })
      })(),
    )
    const saving = saveFile(
      setup.actor(),
      at('/a.txt'),
      { stream, sizeBytes: 0 },
      ({ sizeBytes }) => {
        if (sizeBytes !== 3) throw changed
      },
    )
    await expect(saving).rejects.toBe(changed)
    expect(await readdir(tree.root)).toEqual(['a.txt'])
    expect(await tree.read('a.txt')).toBe('theirs')
  })
})

it.each(['/y', '/x'])('a move waits while a save puts %s in place', async (path) => {
  await using setup = await setUp({ x: 'x', y: 'y', 'other-0': '' })
  const { tree, services } = setup
  const actor = setup.actor()
  const saved = Promise.withResolvers<void>()
  const place = await actor.scope.entryPath(at(path))
  const saving = services.saves.withLock(place, () => saved.promise)
  const moving = transfer(actor, 'rename', at('/y'), at('/x'), { ...KEEP, replace: true })
  // Moves that begin later come to their end meanwhile.
  for (let n = 0; n < 5; n++)
    await transfer(actor, 'rename', at(`/other-${n}`), at(`/other-${n + 1}`), KEEP)
  expect(await tree.read('x')).toBe('x')
  saved.resolve()
  await Promise.all([saving, moving])
  expect(await readdir(tree.root)).toEqual(['.fb-versions', 'other-5', 'x'])
  expect(await tree.read('x')).toBe('y')
})

it.each(['a', 'new'])(
  'a file that comes does not follow its folder to another place',
  async (name) => {
    await using setup = await setUp({ 'd/a': 'old', 'private/x': 'x' })
    const { tree } = setup
    const stream = Readable.from(
      (async function* () {
        yield Buffer.from('mine')
        await rename(tree.at('d'), tree.at('private/d'))
      })(),
    )
    const sent = { stream, sizeBytes: 0 }
    const written = createFile(setup.actor(), at(`/d/${name}`), sent, { replace: true })
    await expect(written).rejects.toMatchObject({ code: 'forbidden' })
    expect(await readdir(tree.at('private/d'))).toEqual(['a'])
    expect(await tree.read('private/d/a')).toBe('old')
  },
)

it('what takes more room than there is ends before its first byte', async () => {
  await using setup = await setUp({})
  const { tree } = setup
  const lengthBytes = 2 ** 52
  const stream = new Readable({
    read() {
      throw new Error('a byte was asked for')
    },
  })
  const full = expect.objectContaining({ code: 'no_space' })
  const tooLarge = { stream, sizeBytes: lengthBytes }
  const written = createFile(setup.actor(), at('/a'), tooLarge, { replace: false })
  await expect(written).rejects.toEqual(full)
  const facts = () => ({ lengthBytes, mtimeMs: null })
  const begun = beginUpload(setup.actor(), at('/a'), { replace: false, facts })
  await expect(begun).rejects.toEqual(full)
  expect(await readdir(tree.root)).toEqual([])
})

it('an upload in parts is in place with its last byte and its own time', async () => {
  await using setup = await setUp({})
  const { tree } = setup
  const actor = setup.actor()
  const path = at('/new/a.txt')
  const append = (offset: number, text: string) =>
    appendToUpload(actor, path, {
      stream: Readable.from([Buffer.from(text)]),
      offset: () => offset,
    })
  const facts = () => ({ lengthBytes: 5, mtimeMs: 1_000_000_000_000 })
  await beginUpload(actor, path, { replace: false, facts })
  expect(await append(0, 'he')).toEqual({ offsetBytes: 2, isDone: false })
  expect(await findUpload(actor, path, { completes: false })).toMatchObject({
    offsetBytes: 2,
  })
  expect(await append(2, 'llo')).toEqual({ offsetBytes: 5, isDone: true })
  expect(await tree.read('new/a.txt')).toBe('hello')
  expect((await actor.scope.stat(path)).mtimeNs).toBe(1_000_000_000_000_000_000n)
})

describe('hooks', () => {
  async function withHooks(content: Record<string, string>, line: (out: string) => string) {
    const setup = await setUp(content)
    const out = join(setup.tree.base, 'hooks.txt')
    const events = ['upload', 'save', 'copy', 'rename', 'delete']
    const commands = Object.fromEntries(
      events.flatMap((event) => [
        [`before_${event}`, [line(out)]],
        [`after_${event}`, [line(out)]],
      ]),
    )
    await changeRecords(setup.services.store, ({ settings }) => ({
      settings: { ...settings, commands },
    }))
    return Object.assign(setup, {
      lines: async () => (await readFile(out, 'utf8')).trim().split('\n'),
    })
  }

  it('run before and after each kind of change', async () => {
    const record = (out: string) => `sh -c 'echo "$TRIGGER" >> ${out}'`
    await using setup = await withHooks({ 'a.txt': 'a' }, record)
    const actor = setup.actor()
    await makeFolder(actor, at('/d'))
    await createFile(actor, at('/d/b'), body('b'), { replace: false })
    await saveFile(actor, at('/a.txt'), body('new'), () => {})
    await transfer(actor, 'copy', at('/a.txt'), at('/c'), KEEP)
    await transfer(actor, 'rename', at('/c'), at('/d/c'), KEEP)
    await remove(actor, at('/d'))
    const events = ['upload', 'upload', 'save', 'copy', 'rename', 'delete']
    expect(await setup.lines()).toEqual(
      events.flatMap((event) => [`before_${event}`, `after_${event}`]),
    )
  })

  it('prevent the change when one before it fails', async () => {
    await using setup = await withHooks({ 'a.txt': 'a' }, () => 'false')
    const { tree } = setup
    const removing = remove(setup.actor(), at('/a.txt'))
    await expect(removing).rejects.toMatchObject({ code: 'command_failed' })
    expect(await tree.read('a.txt')).toBe('a')
  })
})

describe('a share', () => {
  const shareOf = async (setup: Setup, path: string, userID = 1): Promise<void> => {
    const share: Share = {
      hash: `hash${userID}`,
      path,
      userID,
      expire: 0,
      passwordHash: '',
      token: '',
      target: await targetAt(setup.actor(userID).scope, at(path)),
    }
    await setup.services.store.transaction((tx) => tx.insert(SHARES, share))
  }
  const sharesOf = ({ services }: Setup) =>
    services.store.all(SHARES).map(({ path, ended }) => (ended ? `${path} ended` : path))

  it('follows a move of its owner, and ends in the list of anybody else', async () => {
    await using setup = await setUp({ 'd/a.txt': 'a' })
    await shareOf(setup, '/d/a.txt')
    await shareOf(setup, '/d/a.txt', 2)
    await transfer(setup.actor(), 'rename', at('/d'), at('/e'), KEEP)
    expect(sharesOf(setup)).toEqual(['/e/a.txt', '/d/a.txt ended'])
  })

  it('stays in every list when an entry is renamed onto itself', async () => {
    await using setup = await setUp({ 'd/a.txt': 'a' })
    await shareOf(setup, '/d/a.txt')
    await shareOf(setup, '/d/a.txt', 2)
    for (const how of [KEEP, { ...KEEP, replace: true }])
      expect(await transfer(setup.actor(), 'rename', at('/d'), at('/d'), how)).toBe('/d')
    expect(sharesOf(setup)).toEqual(['/d/a.txt', '/d/a.txt'])
  })

  it('ends with a deletion', async () => {
    await using setup = await setUp({ 'd/a.txt': 'a' })
    await shareOf(setup, '/d/a.txt')
    await shareOf(setup, '/d/a.txt', 2)
    await remove(setup.actor(), at('/d'))
    expect(sharesOf(setup)).toEqual(['/d/a.txt ended'])
  })

  it('is one of the new file after a save', async () => {
    await using setup = await setUp({ 'a.txt': 'a' })
    await shareOf(setup, '/a.txt')
    const actor = setup.actor()
    await saveFile(actor, at('/a.txt'), body('new'), () => {})
    const { ino } = await actor.scope.identify(at('/a.txt'))
    expect(setup.services.store.all(SHARES)[0]?.target?.ino).toBe(String(ino))
  })
})

it('a deletion of what was seen leaves what came since', async () => {
  await using setup = await setUp({ 'd/a.txt': 'a', 'd/b.txt': 'b' })
  const { tree } = setup
  const seen = async () => new Map([[at('/d'), null]])
  await expect(remove(setup.actor(), at('/d'), { trash: null, seen })).rejects.toMatchObject({
    code: 'precondition_failed',
  })
  expect(await readdir(tree.at('d'))).toEqual(['a.txt', 'b.txt'])
})
