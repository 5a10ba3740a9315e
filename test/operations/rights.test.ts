// Every change asks for rights and rules by itself, whoever calls it: here nobody has asked before.
import { readdir } from 'node:fs/promises'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { isTempName } from '../../src/files/volume/temp-name.ts'
import { AppError } from '../../src/lib/errors.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import type { Actor } from '../../src/operations/actor.ts'
import { transfer } from '../../src/operations/move.ts'
import { remove } from '../../src/operations/remove.ts'
import { appendToUpload, beginUpload } from '../../src/operations/uploads/uploads.ts'
import { createFile, makeFolder, saveFile } from '../../src/operations/write.ts'
import { defaultPermissions } from '../../src/store/document.ts'
import { waitFor } from '../support/deadline.ts'
import { setUp } from '../support/operations.ts'
import { changeRecords } from '../support/records.ts'

const at = vpathOf
const body = (text: string) => ({ stream: Readable.from([Buffer.from(text)]), sizeBytes: 0 })
const KEEP = { replace: false, rename: false }

type Run = (actor: Actor, folder: string) => Promise<unknown>
const ALL: Record<string, Run> = {
  createFile: (a, folder) => createFile(a, at(folder, 'new'), body('x'), { replace: false }),
  saveFile: (a, folder) => saveFile(a, at(folder, 'a.txt'), body('x'), () => {}),
  makeFolder: (a, folder) => makeFolder(a, at(folder, 'new')),
  // An empty one is put in place at once.
  beginUpload: (a, folder) =>
    beginUpload(a, at(folder, 'new'), {
      replace: false,
      facts: () => ({ lengthBytes: 0, mtimeMs: null }),
    }),
  remove: (a, folder) => remove(a, at(folder, 'a.txt')),
  move: (a, folder) => transfer(a, 'rename', at(folder, 'a.txt'), at(folder, 'new'), KEEP),
  copy: (a, folder) => transfer(a, 'copy', at(folder, 'a.txt'), at(folder, 'new'), KEEP),
}
const NONE = { create: false, modify: false, rename: false, delete: false }
/** All but unfinished uploads, which may be gone on with. */
const namesIn = async (folder: string) =>
  (await readdir(folder)).filter((name) => !isTempName(name))
const DENIED = { allow: false, regex: false, regexp: null, path: '/denied' }

describe.each(Object.entries(ALL))('%s', (_name, run) => {
  it('is forbidden without the right', async () => {
    await using setup = await setUp({ 'a.txt': 'old' }, { perm: NONE })
    const { tree } = setup
    await expect(run(setup.actor(), '/')).rejects.toMatchObject({ code: 'forbidden' })
    expect(await readdir(tree.root)).toEqual(['a.txt'])
    expect(await tree.read('a.txt')).toBe('old')
  })

  it('is forbidden where a rule denies', async () => {
    const content = { 'denied/a.txt': 'old' }
    await using setup = await setUp(content, { user: { rules: [DENIED] } })
    const { tree } = setup
    await expect(run(setup.actor(), '/denied')).rejects.toMatchObject({
      code: 'forbidden',
    })
    expect(await readdir(tree.at('denied'))).toEqual(['a.txt'])
    expect(await tree.read('denied/a.txt')).toBe('old')
  })

  it('is not done when the session has ended meanwhile', async () => {
    await using setup = await setUp({ 'a.txt': 'old' })
    const { tree } = setup
    const ended = new AppError('unauthenticated', 'the session has ended')
    const demand = () => {
      throw ended
    }
    await expect(run(setup.actor(1, { demand }), '/')).rejects.toBe(ended)
    expect(await namesIn(tree.root)).toEqual(['a.txt'])
    expect(await tree.read('a.txt')).toBe('old')
  })
})

describe('what nobody offers is answered once the caller may ask for it', () => {
  const DENIED_BY_RULE = { user: { rules: [DENIED] } }

  it('to save a folder', async () => {
    await using setup = await setUp({ 'a/b.txt': 'old' })
    const save = () => saveFile(setup.actor(), at('/a'), body('x'), () => {}, { isFolder: true })
    await expect(save()).rejects.toMatchObject({ code: 'method_not_allowed' })
    await setup.change(1, { perm: { ...defaultPermissions(), modify: false } })
    await expect(save()).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('another action than to copy and to rename', async () => {
    await using setup = await setUp({ 'a.txt': 'old' }, DENIED_BY_RULE)
    const link = (target: string) => transfer(setup.actor(), 'link', at('/a.txt'), at(target), KEEP)
    await expect(link('/b.txt')).rejects.toMatchObject({ code: 'bad_request' })
    await expect(link('/denied/b.txt')).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('rights that end amid a body', () => {
  const NO_MORE = { perm: { ...defaultPermissions(), ...NONE } }

  it('end a save, and the old content stays', async () => {
    await using setup = await setUp({ 'a.txt': 'old' })
    const { tree } = setup
    const stream = new PassThrough()
    const saving = saveFile(setup.actor(), at('/a.txt'), { stream, sizeBytes: 1_000 }, () => {})
    const refused = expect(saving).rejects.toMatchObject({ code: 'forbidden' })
    stream.write('new')
    await waitFor('the save to begin', async () => (await readdir(tree.root)).length === 2)
    await setup.change(1, NO_MORE)
    await refused
    expect(await readdir(tree.root)).toEqual(['a.txt'])
    expect(await tree.read('a.txt')).toBe('old')
  })

  it('end an upload that goes on, and put nothing in place', async () => {
    await using setup = await setUp({})
    const { tree } = setup
    const actor = setup.actor()
    const facts = () => ({ lengthBytes: 6, mtimeMs: null })
    await beginUpload(actor, at('/new'), { replace: false, facts })
    const stream = new PassThrough()
    const appending = appendToUpload(actor, at('/new'), { stream, offset: () => 0 })
    const refused = expect(appending).rejects.toMatchObject({ code: 'forbidden' })
    stream.write('abc')
    await setup.change(1, NO_MORE)
    await refused
    expect(await namesIn(tree.root)).toEqual([])
  })
})

describe.each(['rename', 'copy', 'remove'])('%s', (name) => {
  const expectForbidden = async (actor: Actor) => {
    const asked =
      name === 'remove' ? remove(actor, at('/p')) : transfer(actor, name, at('/p'), at('/q'), KEEP)
    await expect(asked).rejects.toMatchObject({ code: 'forbidden' })
  }

  it('leaves a folder alone that holds what a rule denies', async () => {
    const content = { 'p/denied/x': 'secret', 'p/y': 'y' }
    const rules = [{ ...DENIED, path: '/p/denied' }]
    await using setup = await setUp(content, { user: { rules } })
    const { tree } = setup
    await expectForbidden(setup.actor())
    expect(await readdir(tree.root)).toEqual(['p'])
  })

  it('leaves a folder alone where a command before it has put what a rule denies', async () => {
    const rules = [{ ...DENIED, path: '/p/denied' }]
    await using setup = await setUp({ 'p/y': 'y' }, { user: { rules } })
    const { tree } = setup
    const event = name === 'remove' ? 'delete' : name
    await changeRecords(setup.services.store, ({ settings }) => ({
      settings: {
        ...settings,
        commands: { [`before_${event}`]: [`touch ${tree.at('p/denied')}`] },
      },
    }))
    await expectForbidden(setup.actor())
    expect(await readdir(tree.root)).toEqual(['p'])
    expect(await readdir(tree.at('p'))).toEqual(['denied', 'y'])
  })

  it('leaves a folder alone that a rule denies in part when the caller is asked for again', async () => {
    await using setup = await setUp({ 'p/denied': 'secret' })
    const rules = [{ ...DENIED, path: '/p/denied' }]
    const actor = setup.actor(1, {
      demand(this: Actor) {
        Object.assign(this, { user: { ...this.user, rules } })
      },
    })
    await expectForbidden(actor)
    expect(await readdir(setup.tree.root)).toEqual(['p'])
  })
})
