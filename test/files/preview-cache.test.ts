import { readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cacheName, createDiskCache, createMemoryCache } from '../../src/files/preview/cache.ts'
import { makeTree } from '../support/tree.ts'

const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0])

function picture(sizeBytes: number): { contentType: string; bytes: Buffer } {
  return { contentType: 'image/jpeg', bytes: Buffer.concat([JPEG, Buffer.alloc(sizeBytes - 4)]) }
}

function keyOf(name: string, mtimeMs = 1_704_164_645_000) {
  return { realPath: `/srv/${name}`, mtimeMs, variant: 'thumb' }
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for (const name of await readdir(folder, { recursive: true })) {
    const stats = await stat(join(folder, name))
    if (stats.isFile()) bytes += stats.size
  }
  return bytes
}

describe('names in the cache folder', () => {
  it('are those of the original', () => {
    expect(cacheName(keyOf('a.png'))).toBe(
      join('6', 'eb', '6ebf5cefb064d9466f8ce70d597b5f44352caa16'),
    )
  })

  it('differ by path, second and size', () => {
    const names = [
      keyOf('a.png'),
      keyOf('b.png'),
      keyOf('a.png', 1_704_164_646_000),
      { ...keyOf('a.png'), variant: 'big' },
    ].map(cacheName)
    expect(new Set(names).size).toBe(4)
  })
})

describe('the cache folder', () => {
  it('gives back what was put in, for exactly that state of the file', async () => {
    await using tree = await makeTree({})
    const cache = createDiskCache(join(tree.base, 'cache'), 0)
    await cache.put(keyOf('a.png'), picture(100))
    expect((await cache.get(keyOf('a.png')))?.bytes.length).toBe(100)
    expect((await cache.get(keyOf('a.png')))?.contentType).toBe('image/jpeg')
    // Changed again within the same second.
    expect(await cache.get(keyOf('a.png', 1_704_164_645_001))).toBeNull()
    expect(await cache.get(keyOf('b.png'))).toBeNull()
  })

  it('forgets what was made of the files of a folder, and of no other', async () => {
    await using tree = await makeTree({})
    for (const cache of [createDiskCache(join(tree.base, 'cache'), 0), createMemoryCache()]) {
      for (const name of ['a/x.png', 'a/b/y.png', 'ab/z.png'])
        await cache.put(keyOf(name), picture(100))
      await cache.put(keyOf('a/x.png', 1_000), picture(100))
      await cache.forget('/srv/a')
      for (const key of [keyOf('a/x.png'), keyOf('a/x.png', 1_000), keyOf('a/b/y.png')])
        expect(await cache.get(key)).toBeNull()
      expect(await cache.get(keyOf('ab/z.png'))).not.toBeNull()
    }
  })

  it('knows of no more files than it holds', async () => {
    await using tree = await makeTree({})
    const folder = join(tree.base, 'cache')
    const cache = createDiskCache(folder, 10_000)
    for (let i = 0; i < 60; i++) await cache.put(keyOf(`${i}/a.png`), picture(1000))
    const names = (await readdir(folder, { recursive: true })).filter((name) =>
      /[0-9a-f]{40}$/.test(name),
    )
    const [noted, held] = [true, false].map(
      (inIndex) => names.filter((name) => name.startsWith('index') === inIndex).length,
    )
    expect(held).toBeLessThanOrEqual(10)
    expect(noted).toBe(held)
  })

  it('stays within its size and keeps what was used last', async () => {
    await using tree = await makeTree({})
    const folder = join(tree.base, 'cache')
    const cache = createDiskCache(folder, 10_000)
    for (let i = 0; i < 9; i++) await cache.put(keyOf(`${i}.png`), picture(1000))
    expect(await cache.get(keyOf('0.png'))).not.toBeNull()
    for (let i = 9; i < 14; i++) {
      await cache.put(keyOf(`${i}.png`), picture(1000))
      await cache.get(keyOf('0.png'))
    }
    expect(await bytesIn(folder)).toBeLessThanOrEqual(10_000)
    expect(await cache.get(keyOf('0.png'))).not.toBeNull()
    expect(await cache.get(keyOf('13.png'))).not.toBeNull()
    expect(await cache.get(keyOf('1.png'))).toBeNull()
  })

  it('leaves files alone that are not its own', async () => {
    await using tree = await makeTree({ 'holiday.jpg': 'x'.repeat(50_000) })
    const cache = createDiskCache(tree.root, 2000)
    for (let i = 0; i < 5; i++) await cache.put(keyOf(`${i}.png`), picture(1000))
    expect(await tree.read('holiday.jpg')).toHaveLength(50_000)
  })

  it('is private, and no trouble when it cannot be written', async () => {
    await using tree = await makeTree({ file: 'not a folder' })
    const folder = join(tree.base, 'cache')
    const cache = createDiskCache(folder, 0)
    await cache.put(keyOf('a.png'), picture(100))
    const file = join(folder, cacheName(keyOf('a.png')))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await expect(
      createDiskCache(tree.at('file'), 0).put(keyOf('a'), picture(9)),
    ).resolves.toBeUndefined()
  })

  it('does not give out a file that is no picture', async () => {
    await using tree = await makeTree({})
    const folder = join(tree.base, 'cache')
    const cache = createDiskCache(folder, 0)
    await cache.put(keyOf('a.png'), picture(100))
    const file = join(folder, cacheName(keyOf('a.png')))
    const { atime, mtime } = await stat(file)
    await writeFile(file, '<script>alert(1)</script>')
    await utimes(file, atime, mtime)
    expect(await cache.get(keyOf('a.png'))).toBeNull()
  })
})

describe('previews in memory', () => {
  it('stay within their size and keep what was used last', async () => {
    const cache = createMemoryCache(10_000)
    await cache.put(keyOf('kept.png'), picture(4000))
    await cache.put(keyOf('old.png'), picture(4000))
    await cache.get(keyOf('kept.png'))
    await cache.put(keyOf('new.png'), picture(4000))
    expect(await cache.get(keyOf('old.png'))).toBeNull()
    expect(await cache.get(keyOf('kept.png'))).not.toBeNull()
    expect(await cache.get(keyOf('new.png'))).not.toBeNull()
    // One that fills more than half of it is made anew rather than kept in place of all others.
    await cache.put(keyOf('full.png'), picture(9000))
    expect(await cache.get(keyOf('kept.png'))).not.toBeNull()
  })
})
