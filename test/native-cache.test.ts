import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { nativeCandidates, setUpNativeCache } from '../src/native-cache.ts'
import { makeTree, type Tree } from './support/tree.ts'

const FILES = [
  { path: '@a/one/one.node', sizeBytes: 3, sha256: '1' },
  { path: '@a/lib/lib.so.1', sizeBytes: 4, sha256: '2' },
  { path: 'b/b.node', sizeBytes: 1, sha256: '3' },
]

const original = process.dlopen
afterEach(() => {
  process.dlopen = original
})

/** The inside of an executable as a folder, and a loader that notes what it is asked to load. */
async function setUp(tree: Tree, candidates: string[], refuse = ''): Promise<string[]> {
  const loaded: string[] = []
  process.dlopen = ((_module: unknown, file: string) => {
    if (refuse && file.startsWith(refuse)) throw new Error('failed to map segment')
    loaded.push(file)
  }) as typeof process.dlopen
  await tree.add({
    'node_modules/@a/one/one.node': 'one',
    'node_modules/@a/lib/lib.so.1': 'lib1',
    'node_modules/b/b.node': 'b',
  })
  setUpNativeCache({ files: FILES, modules: tree.at('node_modules'), candidates })
  return loaded
}

function dlopen(file: string): void {
  process.dlopen({ exports: {} } as NodeJS.Module, file)
}

describe('native parts of the executable', () => {
  it('are unpacked with the libraries beside them, for the owner only', async () => {
    await using tree = await makeTree({})
    const cache = join(tree.base, 'cache')
    const loaded = await setUp(tree, [cache])
    dlopen(tree.at('node_modules/@a/one/one.node'))
    const [folder = ''] = await readdir(cache)
    expect(loaded).toEqual([join(cache, folder, '@a/one/one.node')])
    expect(await readFile(join(cache, folder, '@a/lib/lib.so.1'), 'utf8')).toBe('lib1')
    expect((await stat(join(cache, folder))).mode & 0o777).toBe(0o700)
    expect((await stat(loaded[0] ?? '')).mode & 0o777).toBe(0o500)
    // Another package waits until it is needed.
    expect(await readdir(join(cache, folder))).toEqual(['@a'])
  })

  it('are unpacked once, and again when one was cut short', async () => {
    await using tree = await makeTree({})
    const cache = join(tree.base, 'cache')
    const loaded = await setUp(tree, [cache])
    dlopen(tree.at('node_modules/b/b.node'))
    const before = await stat(loaded[0] ?? '')
    dlopen(tree.at('node_modules/b/b.node'))
    expect((await stat(loaded[0] ?? '')).ino).toBe(before.ino)
    await chmod(loaded[0] ?? '', 0o700)
    await writeFile(loaded[0] ?? '', '')
    dlopen(tree.at('node_modules/b/b.node'))
    expect(await readFile(loaded[0] ?? '', 'utf8')).toBe('b')
  })

  it('go to the next place when one is not writable or may not run programs', async () => {
    await using tree = await makeTree({ 'not-a-folder': '' })
    const noexec = join(tree.base, 'noexec')
    const good = join(tree.base, 'good')
    const loaded = await setUp(tree, [tree.at('not-a-folder'), noexec, good], noexec)
    dlopen(tree.at('node_modules/b/b.node'))
    expect(loaded[0]).toContain(good)
  })

  it('are never loaded from a folder that others can write to', async () => {
    await using tree = await makeTree({})
    const shared = join(tree.base, 'shared')
    await mkdir(shared)
    await chmod(shared, 0o777)
    await setUp(tree, [shared])
    expect(() => dlopen(tree.at('node_modules/b/b.node'))).toThrow(/writable for others/)
  })

  it.skipIf(process.getuid?.() !== 0)(
    'are never loaded from the folder of somebody else',
    async () => {
      await using tree = await makeTree({})
      const foreign = join(tree.base, 'foreign')
      await mkdir(foreign, { mode: 0o700 })
      execFileSync('chown', ['65534', foreign])
      await setUp(tree, [foreign])
      expect(() => dlopen(tree.at('node_modules/b/b.node'))).toThrow(/belongs to somebody else/)
    },
  )

  it('leave modules on disk to the system', async () => {
    await using tree = await makeTree({})
    const loaded = await setUp(tree, [join(tree.base, 'cache')])
    dlopen('/usr/lib/other.node')
    expect(loaded).toEqual(['/usr/lib/other.node'])
  })
})

describe('places to unpack to', () => {
  it('is the named one alone when there is one', () => {
    expect(nativeCandidates({ FILEBROWSER_NATIVE_DIR: '/x', XDG_CACHE_HOME: '/y' })).toEqual(['/x'])
  })

  it('are never relative, also without any environment', () => {
    const places = nativeCandidates({})
    expect(places.length).toBeGreaterThan(0)
    for (const place of places) expect(place).toMatch(/^\//)
  })
})
