// Several trees as one: what stands at the top, and what goes from one to another.
import { mkdtemp, readdir, rename, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bareTop, joinScopes } from '../../src/files/place/joined.ts'
import type { ScopeOptions } from '../../src/files/place/scope.ts'
import { copyTree } from '../../src/files/transfer/copy.ts'
import { moveTree } from '../../src/files/transfer/move.ts'
import { AppError } from '../../src/lib/errors.ts'
import type { VPath } from '../../src/lib/vpath.ts'
import { reserve } from '../../src/operations/write.ts'
import { listDetailed, scopeOf, VOLUME } from '../support/scope.ts'
import { makeTree as makeTreeIn, type Tree } from '../support/tree.ts'

const { signal } = new AbortController()
const always = { replace: true, signal, reserve }
const vpath = (text: string) => text as VPath
const TOP = vpath('/')
let memory = ''

beforeAll(async () => {
  memory = await mkdtemp('/dev/shm/filebrowser-joined-')
})
afterAll(async () => {
  for (const tree of trees) await tree[Symbol.asyncDispose]()
  await rm(memory, { recursive: true, force: true })
})

const trees: Tree[] = []
const makeTree: typeof makeTreeIn = async (...args) => {
  const tree = await makeTreeIn(...args)
  trees.push(tree)
  return tree
}

/** A home on the disk and a mount `photos` in memory, or on the same disk. */
async function joined(
  { home = {}, photos = {} }: { home?: Record<string, string>; photos?: Record<string, string> },
  options: Partial<ScopeOptions> & { sameDisk?: boolean } = {},
) {
  const { sameDisk, ...rest } = options
  const top = await makeTree(home)
  const mount = await makeTree(photos, undefined, sameDisk ? undefined : memory)
  const at = (tree: Tree, base: string) => scopeOf(tree, { base: vpath(base), ...rest })
  const scope = joinScopes(scopeOf(top, rest), new Map([['photos', at(mount, '/photos')]]))
  return { top, mount, scope }
}

const namesOf = (entries: { name: string }[]) => entries.map(({ name }) => name)
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error) => (error as AppError).code,
  )

describe('the top', () => {
  it('lists the mounts among the entries of the home, in one order', async () => {
    const { scope } = await joined({ home: { 'a.txt': '', 'z.txt': '' }, photos: { x: '' } })
    expect(namesOf(await scope.list(TOP))).toEqual(['a.txt', 'photos', 'z.txt'])
    const found = await listDetailed(scope, TOP, signal)
    expect(found.map(({ name, stat }) => [name, stat.kind])).toEqual([
      ['a.txt', 'file'],
      ['photos', 'dir'],
      ['z.txt', 'file'],
    ])
  })

  it('shows the mount where an entry of the home has its name', async () => {
    const { scope } = await joined({ home: { 'photos/own': '' }, photos: { given: '' } })
    expect(namesOf(await scope.list(TOP))).toEqual(['photos'])
    expect(namesOf(await scope.list(vpath('/photos')))).toEqual(['given'])
    expect(await scope.exists(vpath('/photos/own'))).toBe(false)
  })

  it('is searched with all that is mounted, by the paths that it is opened by', async () => {
    const { scope } = await joined({ home: { 'photos/own': '', a: '' }, photos: { 'd/x': '' } })
    const found: string[] = []
    for await (const batch of scope.walk(TOP, { signal, intoDenied: false }))
      for (const { vpath } of batch) found.push(vpath)
    expect(found).toEqual(['/a', '/photos', '/photos/d', '/photos/d/x'])
  })

  it('leaves out what a rule denies, by the path at the top', async () => {
    const may = (path: VPath) => path !== '/photos/no' && path !== '/a'
    const { scope } = await joined({ home: { a: '' }, photos: { no: '', yes: '' } }, { may })
    expect(namesOf(await scope.list(TOP))).toEqual(['photos'])
    expect(namesOf(await scope.list(vpath('/photos')))).toEqual(['yes'])
    expect(await codeOf(scope.openRead(vpath('/photos/no')))).toBe('forbidden')
  })

  it('leaves out a mount whose folder is gone, and goes on', async () => {
    const { scope, mount } = await joined({ home: { a: '' }, photos: { x: '' } })
    await rename(mount.root, `${mount.root}-away`)
    expect(namesOf(await listDetailed(scope, TOP, signal))).toEqual(['a'])
    expect(await codeOf(scope.stat(vpath('/photos')))).toBe('not_mounted')
    expect(await codeOf(scope.makeFolder(vpath('/photos/new')))).toBe('not_mounted')
    expect(await codeOf(scope.openTemp(vpath('/photos/new'), { parents: true }))).toBe(
      'not_mounted',
    )
    expect(await codeOf(stat(mount.root))).toBe('ENOENT')
  })

  it('is empty and takes nothing without a home', async () => {
    const { top, mount } = await joined({ home: { a: '' } })
    const bare = bareTop(VOLUME, top.root)
    const photos = scopeOf(mount, { base: vpath('/photos') })
    const scope = joinScopes(bare, new Map([['photos', photos]]))
    expect(namesOf(await scope.list(TOP))).toEqual(['photos'])
    expect(namesOf(await listDetailed(scope, TOP, signal))).toEqual(['photos'])
    expect((await scope.stat(TOP)).kind).toBe('dir')
    for (const refused of [
      scope.makeFolder(vpath('/new')),
      scope.openTemp(vpath('/new')),
      scope.openRead(vpath('/a')),
      scope.rename(vpath('/photos/x'), vpath('/x'), { replace: false }),
    ])
      expect(await codeOf(refused)).not.toBe('done')
    expect(await codeOf(scope.makeFolder(vpath('/new')))).toBe('forbidden')
  })
})

describe('a mount itself', () => {
  it.each([
    ['removed', (scope) => scope.remove(vpath('/photos'), signal)],
    ['removed alone', (scope) => scope.removeSingle(vpath('/photos'), null)],
    [
      'moved into the home',
      (scope) => scope.rename(vpath('/photos'), vpath('/b'), { replace: true }),
    ],
    ['replaced', (scope) => scope.rename(vpath('/a'), vpath('/photos'), { replace: true })],
    [
      'moved within',
      (scope) => scope.rename(vpath('/photos'), vpath('/photos/b'), { replace: true }),
    ],
  ] as [string, (scope: Awaited<ReturnType<typeof joined>>['scope']) => Promise<unknown>][])(
    'cannot be %s',
    async (_, act) => {
      const { scope, mount } = await joined({ home: { a: '' }, photos: { x: '' } })
      expect(await codeOf(act(scope))).toBe('forbidden')
      expect(await readdir(mount.root)).toEqual(['x'])
    },
  )

  it('is no way out of its folder', async () => {
    const { scope, mount } = await joined({ photos: { x: '' } })
    await symlink(mount.outside, mount.at('out'))
    expect(await codeOf(scope.stat(vpath('/photos/out/secret.txt')))).toBe('forbidden')
    expect(namesOf(await scope.list(vpath('/photos')))).toEqual(['x'])
  })
})

describe.each([
  ['between two disks', false],
  ['on one disk', true],
])('%s', (_, sameDisk) => {
  it('a move is a copy that arrives first', async () => {
    const content = { home: { 'd/a.txt': 'a', 'd/e/b.txt': 'b' }, photos: { x: '' } }
    const { scope, top, mount } = await joined(content, { sameDisk })
    await moveTree(scope, vpath('/d'), vpath('/photos/d'), always)
    expect(await readdir(top.root)).toEqual([])
    expect(await mount.read('d/a.txt')).toBe('a')
    expect(await mount.read('d/e/b.txt')).toBe('b')
    await moveTree(scope, vpath('/photos/d/e/b.txt'), vpath('/b.txt'), always)
    expect(await top.read('b.txt')).toBe('b')
    expect(await readdir(mount.at('d/e'))).toEqual([])
  })

  it('a copy arrives, and the source stays', async () => {
    const { scope, top, mount } = await joined({ photos: { 'd/x': 'x' } }, { sameDisk })
    await copyTree(scope, vpath('/photos/d'), vpath('/d'), always)
    expect(await top.read('d/x')).toBe('x')
    expect(await mount.read('d/x')).toBe('x')
  })
})

describe('a mount that holds the home', () => {
  /** `/all` is the folder that the home `ann` lies in. */
  async function around() {
    const served = await makeTree({ 'ann/f.txt': 'f', 'ann/d/x': 'x' })
    const home = scopeOf({ ...served, root: join(served.root, 'ann') })
    const all = scopeOf(served, { base: vpath('/all') })
    return { served, scope: joinScopes(home, new Map([['all', all]])) }
  }

  it.each([
    ['/all/ann/f.txt', '/f.txt'],
    ['/f.txt', '/all/ann/f.txt'],
    ['/d', '/all/ann/d'],
    ['/d', '/all/ann/d/below'],
    ['/all/ann', '/in'],
  ])('keeps what is moved onto or into itself by another name: %s to %s', async (from, to) => {
    const { served, scope } = await around()
    await expect(moveTree(scope, vpath(from), vpath(to), always)).rejects.toThrow(AppError)
    expect(await served.read('ann/f.txt')).toBe('f')
    expect(await served.read('ann/d/x')).toBe('x')
  })
})
