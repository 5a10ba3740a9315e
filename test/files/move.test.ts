// Moving must lose nothing: not what comes into the source meanwhile, and not by half a failure.
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDisks } from '../../src/files/disks/disks.ts'
import type { Scope } from '../../src/files/place/scope.ts'
import { copyTree } from '../../src/files/transfer/copy.ts'
import { moveTree } from '../../src/files/transfer/move.ts'
import { createDiskVolume } from '../../src/files/volume/disk-volume.ts'
import { AppError } from '../../src/lib/errors.ts'
import { toVPath } from '../../src/lib/vpath.ts'
import { reserve } from '../../src/operations/write.ts'
import { MAY_MOUNT, mountDisk, mountFile, mountFolder } from '../support/mounts.ts'
import { scopeOf } from '../support/scope.ts'
import { makeTree } from '../support/tree.ts'

const vpath = (text: string) => toVPath(text) ?? expect.unreachable(text)

function failingRename(scope: Scope, code: string): Scope {
  const cause = Object.assign(new Error(code), { code })
  return { ...scope, rename: () => Promise.reject(new AppError('internal', code, { cause })) }
}

/** A scope whose folders lie on different file systems. */
const onTwoDisks = (scope: Scope) => failingRename(scope, 'EXDEV')

const always = () => ({ replace: true, signal: new AbortController().signal, reserve })

describe('what comes into a folder while it is moved stays', () => {
  it('when the folder is merged into another', async () => {
    await using tree = await makeTree({ 'from/sub/a.txt': 'a', 'to/sub/b.txt': 'b' })
    const scope = scopeOf(tree)
    const busy: Scope = {
      ...scope,
      rename: async (source, target, options) => {
        await scope.rename(source, target, options)
        await writeFile(tree.at('from/sub/late.txt'), 'late')
      },
    }
    await moveTree(busy, vpath('/from'), vpath('/to'), always())
    expect(await readdir(tree.at('to/sub'))).toEqual(['a.txt', 'b.txt'])
    expect(await readdir(tree.at('from/sub'))).toEqual(['late.txt'])
  })

  it('when the move goes to another disk', async () => {
    await using tree = await makeTree({ 'from/sub/a.txt': 'a', 'from/b.txt': 'b' })
    const scope = onTwoDisks(scopeOf(tree))
    const busy: Scope = {
      ...scope,
      openFolder: async (folder) => {
        // Once the folder has been read.
        if (folder === '/from/sub') await writeFile(tree.at('from/sub/late.txt'), 'late')
        return scope.openFolder(folder)
      },
    }
    await moveTree(busy, vpath('/from'), vpath('/to'), always())
    expect(await readdir(tree.root, { recursive: true })).toEqual(
      expect.arrayContaining(['to/sub/a.txt', 'to/b.txt', 'from/sub/late.txt']),
    )
    expect(await readdir(tree.at('from'))).toEqual(['sub'])
    expect(await readdir(tree.at('from/sub'))).toEqual(['late.txt'])
  })

  it('and a file that was changed after its copy was made', async () => {
    await using tree = await makeTree({ 'from/a.txt': 'a', 'from/b.txt': 'b' })
    const scope = onTwoDisks(scopeOf(tree))
    const busy: Scope = {
      ...scope,
      setMode: async (target, mode) => {
        await writeFile(tree.at('from/a.txt'), 'changed')
        await scope.setMode(target, mode)
      },
    }
    await expect(moveTree(busy, vpath('/from'), vpath('/to'), always())).rejects.toThrow(/stays/)
    expect(await tree.read('from/a.txt')).toBe('changed')
    expect(await readdir(tree.at('from'))).toEqual(['a.txt'])
  })
})

it('a move to another disk removes links, and nothing behind them', async () => {
  await using tree = await makeTree({
    'from/a.txt': 'a',
    'from/folder': { link: '../kept' },
    'from/file': { link: '../kept/b.txt' },
    'kept/b.txt': 'b',
  })
  const scope = onTwoDisks(scopeOf(tree))
  await moveTree(scope, vpath('/from'), vpath('/to'), always())
  expect((await readdir(tree.root)).sort()).toEqual(['kept', 'to'])
  expect(await tree.read('kept/b.txt')).toBe('b')
  expect(await tree.read('to/folder/b.txt')).toBe('b')
})

describe.runIf(process.getuid?.() === 0)('a move that may not remove the old name', () => {
  it.each([
    // Whose files they are decides in a folder with this bit.
    ['because the folder is sticky', 0o1777],
    ['because the folder is read-only', 0o555],
  ])('changes nothing, %s', async (_, mode) => {
    await using tree = await makeTree({ 'from/a.txt': 'a', to: null })
    await chmod(tree.base, 0o755)
    await chmod(tree.at('from'), mode)
    await chmod(tree.at('from/a.txt'), 0o666)
    await chmod(tree.at('to'), 0o777)
    process.seteuid?.(65534)
    try {
      const moving = scopeOf(tree).rename(vpath('/from/a.txt'), vpath('/to/a.txt'), {
        replace: false,
      })
      await expect(moving).rejects.toMatchObject({ code: 'forbidden' })
    } finally {
      process.seteuid?.(0)
    }
    expect(await readdir(tree.at('to'))).toEqual([])
    expect(await readdir(tree.at('from'))).toEqual(['a.txt'])
  })
})

describe('a link that leads back', () => {
  it.each([
    ['to its own folder', '.'],
    ['to a folder above, where the copy goes to as well', '../..'],
  ])('%s is not followed by a copy', async (_, link) => {
    await using tree = await makeTree({ 'from/sub/a.txt': 'a', 'from/sub/x': { link } })
    await tree.add({ 'from/y': { link: '.' } })
    const copying = copyTree(scopeOf(tree), vpath('/from'), vpath('/to'), always())
    await expect(copying).rejects.toThrow(/leads back/)
    const names = await readdir(tree.at('to'), { recursive: true })
    expect(names.filter((name) => name.endsWith('a.txt'))).toEqual(['sub/a.txt'])
  })
})

it('a link does not take the place of the file it leads to', async () => {
  await using tree = await makeTree({
    'real/a.txt': 'kept',
    'links/a.txt': { link: '../real/a.txt' },
  })
  const scope = scopeOf(tree)
  for (const [source, target] of [
    ['/links/a.txt', '/real/a.txt'],
    ['/links', '/real'],
  ] as const) {
    const moved = moveTree(scope, vpath(source), vpath(target), always())
    await expect(moved).rejects.toMatchObject({ code: 'bad_request' })
    expect(await tree.read('real/a.txt')).toBe('kept')
  }
  await moveTree(scope, vpath('/real/a.txt'), vpath('/links/a.txt'), always())
  expect(await tree.read('links/a.txt')).toBe('kept')
})

it('a folder does not go into itself by way of a link', async () => {
  await using tree = await makeTree({ 'real/a.txt': 'kept', link: { link: 'real' } })
  for (const replace of [false, true]) {
    const moved = moveTree(scopeOf(tree), vpath('/real'), vpath('/link/in'), {
      ...always(),
      replace,
    })
    await expect(moved).rejects.toMatchObject({ code: 'bad_request', message: 'source is parent' })
  }
  expect(await tree.read('real/a.txt')).toBe('kept')
})

it('a name that the disk does not take is no folder that goes into itself', async () => {
  await using tree = await makeTree({ 'a.txt': 'a', 'folder/b.txt': 'b' })
  const scope = failingRename(scopeOf(tree), 'EINVAL')
  for (const [source, target] of [
    ['/a.txt', '/a:b.txt'],
    ['/folder', '/fol:der'],
  ] as const) {
    const moved = moveTree(scope, vpath(source), vpath(target), always())
    await expect(moved).rejects.toMatchObject({ message: 'EINVAL' })
  }
})

it('an entry that differs in case only is not replaced unasked', async () => {
  await using tree = await makeTree({ 'a.txt': 'lower', 'b.txt': 'b' })
  // Where case counts: elsewhere this is the same file.
  await tree.add({ 'A.txt': 'upper' })
  if ((await tree.read('a.txt')) === 'upper') return
  const options = { ...always(), replace: false }
  const moved = moveTree(scopeOf(tree), vpath('/A.txt'), vpath('/a.txt'), options)
  await expect(moved).rejects.toMatchObject({ code: 'exists' })
  expect(await tree.read('a.txt')).toBe('lower')
  await moveTree(scopeOf(tree), vpath('/b.txt'), vpath('/B.txt'), options)
  expect(await tree.read('B.txt')).toBe('b')
})

describe.skipIf(!MAY_MOUNT)('what is a mount of its own (needs root)', () => {
  it('is written when a file is moved onto it, and stays one', async () => {
    await using tree = await makeTree({ 'new.yml': 'new' })
    const source = join(tree.outside, 'app.yml')
    await writeFile(source, 'old: and longer than the new one')
    await using _file = await mountFile(source, tree.at('app.yml'))
    const scope = scopeOf(tree, { volume: createDiskVolume(createDisks()) })
    await moveTree(scope, vpath('/new.yml'), vpath('/app.yml'), always())
    expect(await readFile(source, 'utf8')).toBe('new')
    expect(await readdir(tree.root)).toEqual(['app.yml'])
  })

  it('takes in the folder that is moved onto it', async () => {
    await using tree = await makeTree({ 'from/sub/a.txt': 'a', 'from/b.txt': 'b' })
    const source = join(tree.outside, 'disk')
    await mkdir(join(source, 'sub'), { recursive: true })
    await using _folder = await mountFolder(source, tree.at('to'))
    const scope = scopeOf(tree, { volume: createDiskVolume(createDisks()) })
    await moveTree(scope, vpath('/from'), vpath('/to'), always())
    expect(await readFile(join(source, 'sub/a.txt'), 'utf8')).toBe('a')
    expect(await readFile(join(source, 'b.txt'), 'utf8')).toBe('b')
    expect(await readdir(tree.root)).toEqual(['to'])
  })

  it('is not moved itself, nor is anything written in its stead', async () => {
    await using tree = await makeTree({ 'b.yml': 'b' })
    const source = join(tree.outside, 'app.yml')
    await writeFile(source, 'a')
    await using _file = await mountFile(source, tree.at('app.yml'))
    const scope = scopeOf(tree, { volume: createDiskVolume(createDisks()) })
    const moving = moveTree(scope, vpath('/app.yml'), vpath('/b.yml'), always())
    await expect(moving).rejects.toMatchObject({ code: 'locked' })
    expect(await tree.read('b.yml')).toBe('b')
    expect(await readFile(source, 'utf8')).toBe('a')
  })

  it.each(['/free.yml', '/new/free.yml'])(
    'is not copied to %s when it cannot be moved',
    async (to) => {
      await using tree = await makeTree({ 'new/x': 'x' })
      const source = join(tree.outside, 'app.yml')
      await writeFile(source, 'a')
      await using _file = await mountFile(source, tree.at('app.yml'))
      const scope = scopeOf(tree, { volume: createDiskVolume(createDisks()) })
      const moving = moveTree(scope, vpath('/app.yml'), vpath(to), { ...always(), replace: false })
      await expect(moving).rejects.toMatchObject({ code: 'locked', status: 500 })
      expect(await readdir(tree.root)).toEqual(['app.yml', 'new'])
      expect(await readdir(tree.at('new'))).toEqual(['x'])
      expect(await readFile(source, 'utf8')).toBe('a')
    },
  )
})

describe.skipIf(!MAY_MOUNT)('a folder in which something is mounted (needs root)', () => {
  it('is not moved to another disk, and nothing of it is copied or removed', async () => {
    await using tree = await makeTree({ 'from/a.txt': 'a', 'from/sub/disk': null, to: null })
    const source = join(tree.outside, 'disk')
    await mkdir(source)
    await writeFile(join(source, 'inner.txt'), 'inner')
    await using _to = await mountDisk(tree.at('to'), 1024 * 1024)
    await using _inner = await mountFolder(source, tree.at('from/sub/disk'))
    const scope = scopeOf(tree, { volume: createDiskVolume(createDisks()) })
    for (const replace of [true, false]) {
      const moving = moveTree(scope, vpath('/from'), vpath('/to/from'), { ...always(), replace })
      await expect(moving).rejects.toMatchObject({ code: 'locked', status: 500 })
    }
    expect(await readdir(tree.at('to'))).toEqual([])
    expect(await readdir(tree.root, { recursive: true })).toEqual(
      expect.arrayContaining(['from/a.txt', 'from/sub/disk/inner.txt']),
    )
  })

  it('is moved on its disk, with the mount', async () => {
    await using tree = await makeTree({ 'from/sub/disk': null, to: null })
    const source = join(tree.outside, 'disk')
    await mkdir(source)
    await writeFile(join(source, 'inner.txt'), 'inner')
    // It is unmounted by the path it has come back to.
    await using _ = await mountFolder(source, tree.at('from/sub/disk'))
    const scope = scopeOf(tree, { volume: createDiskVolume(createDisks()) })
    await moveTree(scope, vpath('/from'), vpath('/to/moved'), always())
    expect(await tree.read('to/moved/sub/disk/inner.txt')).toBe('inner')
    await moveTree(scope, vpath('/to/moved'), vpath('/from'), always())
  })
})

it('a move to another disk works where nothing tells what is mounted', async () => {
  await using tree = await makeTree({ 'a.txt': 'a' })
  const disks = { ...createDisks(), isKnownMount: () => null, holdsMount: () => null }
  const volume = createDiskVolume(disks)
  await moveTree(onTwoDisks(scopeOf(tree, { volume })), vpath('/a.txt'), vpath('/b.txt'), always())
  expect(await readdir(tree.root)).toEqual(['b.txt'])
})
