import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { nativeCandidates, unpackedPackages } from '../src/native-cache.ts'
import { makeTree } from './support/tree.ts'

const CONTENTS: Record<string, string> = {
  '@a/one/index.js': 'exports.words = [require("@a/lib"), __filename]',
  '@a/lib/index.js': 'module.exports = "lib"',
  '@a/lib/lib.so.1': 'lib1',
  'b/index.js': 'if (__filename.includes("noexec")) throw new Error("failed to map segment")',
  'b/b.wasm': 'wasm',
}
const FOLDERS = { '@a/one': ['@a/lib', '@a/one'], b: ['b'] }

/** Packages as the executable carries them. */
function packagesFor(...candidates: string[]) {
  return unpackedPackages({
    packed: () => ({
      files: Object.entries(CONTENTS).map(([path, text]) => ({
        path,
        sizeBytes: text.length,
        sha256: createHash('sha256').update(text).digest('hex'),
      })),
      folders: FOLDERS,
    }),
    read: (path) => Buffer.from(CONTENTS[path] ?? ''),
    candidates,
  })
}

describe('packages of the executable', () => {
  it('are unpacked with all that they need, for the owner only', async () => {
    await using tree = await makeTree({})
    const cache = join(tree.base, 'cache')
    const { words } = packagesFor(cache).load('@a/one') as { words: string[] }
    const [folder = ''] = await readdir(cache)
    const modules = join(cache, folder, 'node_modules')
    expect(words).toEqual(['lib', join(modules, '@a/one/index.js')])
    expect(await readFile(join(modules, '@a/lib/lib.so.1'), 'utf8')).toBe('lib1')
    expect((await stat(join(cache, folder))).mode & 0o777).toBe(0o700)
    expect((await stat(words[1] ?? '')).mode & 0o777).toBe(0o500)
    // Another package waits until it is needed.
    expect(await readdir(modules)).toEqual(['@a'])
  })

  it('are unpacked once, and again when a file was cut short', async () => {
    await using tree = await makeTree({})
    const cache = join(tree.base, 'cache')
    const file = packagesFor(cache).resolve('b/b.wasm')
    const before = await stat(file)
    expect(packagesFor(cache).resolve('b/b.wasm')).toBe(file)
    expect((await stat(file)).ino).toBe(before.ino)
    await chmod(file, 0o700)
    await writeFile(file, '')
    packagesFor(cache).resolve('b/b.wasm')
    expect(await readFile(file, 'utf8')).toBe('wasm')
  })

  it('are unpacked by several threads at the same time', async () => {
    await using tree = await makeTree({})
    const cache = join(tree.base, 'cache')
    const source = `
      const { parentPort, workerData } = require('node:worker_threads')
      import(workerData.module).then(({ unpackedPackages }) => {
        const text = 'x'.repeat(1 << 20)
        const files = Array.from({ length: 50 }, (_, i) => (
          { path: 'b/' + i, sizeBytes: text.length, sha256: String(i) }))
        const folders = { b: ['b'] }
        const { resolve } = unpackedPackages({
          packed: () => ({ files, folders }), read: () => Buffer.from(text), candidates: [workerData.cache] })
        parentPort.once('message', () => parentPort.postMessage(resolve('b/0')))
        parentPort.postMessage('ready')
      })`
    const module = new URL('../src/native-cache.ts', import.meta.url).href
    const threads = Array.from(
      { length: 4 },
      () => new Worker(source, { eval: true, workerData: { module, cache } }),
    )
    const answers = () =>
      Promise.all(threads.map((thread) => once(thread, 'message').then(([word]) => word as string)))
    try {
      await answers()
      const unpacked = answers()
      for (const thread of threads) thread.postMessage('go')
      expect(new Set(await unpacked).size).toBe(1)
    } finally {
      await Promise.all(threads.map((thread) => thread.terminate()))
    }
  })

  it('go to the next place when one is not writable or may not run programs', async () => {
    await using tree = await makeTree({ 'not-a-folder': '' })
    const good = join(tree.base, 'good')
    const packages = packagesFor(tree.at('not-a-folder'), join(tree.base, 'noexec'), good)
    packages.load('b')
    expect(packages.resolve('b')).toContain(good)
  })

  it('say where they could not be loaded, and what to set', async () => {
    await using tree = await makeTree({ 'not-a-folder': '' })
    const noexec = join(tree.base, 'noexec')
    expect(() => packagesFor(tree.at('not-a-folder'), noexec).load('b')).toThrow(
      /^cannot load b; set FILEBROWSER_NATIVE_DIR .*\n.*not-a-folder.*\n.*noexec.*failed to map segment$/,
    )
  })

  it('are never loaded from a folder that others can write to', async () => {
    await using tree = await makeTree({})
    const shared = join(tree.base, 'shared')
    await mkdir(shared)
    await chmod(shared, 0o777)
    expect(() => packagesFor(shared).load('b')).toThrow(/writable for others/)
  })

  it.skipIf(process.getuid?.() !== 0)(
    'are never loaded from the folder of somebody else',
    async () => {
      await using tree = await makeTree({})
      const foreign = join(tree.base, 'foreign')
      await mkdir(foreign, { mode: 0o700 })
      execFileSync('chown', ['65534', foreign])
      expect(() => packagesFor(foreign).load('b')).toThrow(/belongs to somebody else/)
    },
  )

  it('that did not travel are not looked for on the disk', async () => {
    await using tree = await makeTree({})
    const cache = join(tree.base, 'cache')
    expect(() => packagesFor(cache).load('vitest')).toThrow("Cannot find module 'vitest'")
    expect(await readdir(tree.base)).not.toContain('cache')
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
