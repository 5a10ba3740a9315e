// Files that cannot be replaced get their new content all the same, whole or not at all.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, linkSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDisks } from '../../src/files/disks/disks.ts'
import { finishWrites } from '../../src/files/volume/in-place.ts'
import { createTempRegistry } from '../../src/files/volume/temp-registry.ts'
import type { Logger } from '../../src/lib/log.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { HAS_FUSE, mountFuse } from '../support/fuse-disk.ts'
import { MAY_MOUNT, mountDisk, mountFile } from '../support/mounts.ts'
import { DISKS, scopeOf } from '../support/scope.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const HOUR_MS = 60 * 60_000
const TEMP = '.fb-tmp-01234567-89ab-cdef-0123-456789abcdef'

function start(tree: Tree) {
  const registry = createTempRegistry(DISKS, join(tree.base, 'fb.db.uploads'), HOUR_MS)
  const scope = scopeOf(tree, { temps: registry })
  const save = async (path: string, content: string) => {
    const temp = await scope.openTemp(vpathOf(path))
    try {
      await temp.write([Buffer.from(content)], 0, { direct: true })
      return await temp.commit({ replace: true })
    } finally {
      await temp.discard()
    }
  }
  return { registry, save, [Symbol.asyncDispose]: () => registry.close() }
}

function keepWarnings(lines: string[]): Logger {
  const add = (message: string) => void lines.push(message)
  return { info: add, warn: add, error: add, request: () => {} }
}

it.each(['', 'short', 'rather longer than what was there'])(
  'a file with another name keeps it, with the new content %j under both',
  async (content) => {
    await using tree = await makeTree({ 'a.txt': 'what was there' })
    linkSync(tree.at('a.txt'), tree.at('b.txt'))
    await using running = start(tree)
    const done = await running.save('/a.txt', content)
    expect(done).toMatchObject({ sizeBytes: content.length })
    expect([await tree.read('a.txt'), await tree.read('b.txt')]).toEqual([content, content])
    expect(statSync(tree.at('a.txt')).nlink).toBe(2)
    expect((await readdir(tree.root)).sort()).toEqual(['a.txt', 'b.txt'])
    expect(running.registry.noted().size).toBe(0)
  },
)

it('saves at the same time leave the whole of one of them', async () => {
  await using tree = await makeTree({ 'a.txt': '' })
  linkSync(tree.at('a.txt'), tree.at('b.txt'))
  await using running = start(tree)
  const contents = ['a', 'b', 'c', 'd'].map((char) => char.repeat(3_000_000))
  await Promise.all(contents.map((content) => running.save('/a.txt', content)))
  expect(contents).toContain(await tree.read('b.txt'))
})

describe.skipIf(!MAY_MOUNT)('with mounts (needs root)', () => {
  it('a file that is a mount of its own is saved, and stays one', async () => {
    await using tree = await makeTree({})
    const source = join(tree.outside, 'app.yml')
    await writeFile(source, 'old: and longer than the new one')
    await using _file = await mountFile(source, tree.at('app.yml'))
    await using running = start(tree)
    await running.save('/app.yml', 'new: true')
    expect(await readFile(source, 'utf8')).toBe('new: true')
    expect(await tree.read('app.yml')).toBe('new: true')
    expect(await readdir(tree.root)).toEqual(['app.yml'])
  })

  it('a file in a folder that is mounted to be read only is saved by way of the staging folder', async () => {
    await using tree = await makeTree({ 'app.yml': '' })
    const source = join(tree.outside, 'app.yml')
    await writeFile(source, 'old')
    execFileSync('mount', ['--bind', tree.root, tree.root])
    try {
      await using _file = await mountFile(source, tree.at('app.yml'))
      execFileSync('mount', ['-o', 'remount,bind,ro', tree.root])
      await using running = start(tree)
      await running.save('/app.yml', 'new and longer')
      expect(await readFile(source, 'utf8')).toBe('new and longer')
      expect(await readdir(running.registry.stagingFolder)).toEqual([])
      expect(statSync(running.registry.stagingFolder).mode & 0o777).toBe(0o700)
      await expect(running.save('/other.yml', 'x')).rejects.toMatchObject({ code: 'forbidden' })
    } finally {
      execFileSync('umount', [tree.root])
    }
  })

  it('without room for the new content the old one stays whole', async () => {
    await using tree = await makeTree({ disk: null })
    await using _disk = await mountDisk(join(tree.outside, 'disk'), 256 * 1024)
    const source = join(tree.outside, 'disk', 'app.yml')
    await writeFile(source, 'old')
    await using _file = await mountFile(source, tree.at('app.yml'))
    await using running = start(tree)
    const saving = running.save('/app.yml', 'x'.repeat(1024 * 1024))
    await expect(saving).rejects.toMatchObject({ code: 'no_space' })
    expect(await readFile(source, 'utf8')).toBe('old')
    expect((await readdir(tree.root)).sort()).toEqual(['app.yml', 'disk'])
    expect(running.registry.noted().size).toBe(0)
  })

  it('where the disk of the database is full such a save is refused, and the old content stays', async () => {
    await using tree = await makeTree({ 'a.txt': 'what was there' })
    linkSync(tree.at('a.txt'), tree.at('b.txt'))
    const small = join(tree.base, 'small')
    await using _disk = await mountDisk(small, 64 * 1024)
    writeFileSync(join(small, 'full'), '')
    await writeFile(join(small, 'full'), 'x'.repeat(128 * 1024)).catch(() => {})
    const registry = createTempRegistry(DISKS, join(small, 'fb.db.uploads'), HOUR_MS)
    const temp = await scopeOf(tree, { temps: registry }).openTemp(vpathOf('/a.txt'))
    await temp.write([Buffer.from('new content')], 0, { direct: true })
    await expect(temp.commit({ replace: true })).rejects.toMatchObject({ code: 'no_space' })
    await temp.discard()
    expect(await tree.read('b.txt')).toBe('what was there')
    expect((await readdir(tree.root)).sort()).toEqual(['a.txt', 'b.txt'])
    await registry.close()
  })
})

describe.skipIf(process.getuid?.() !== 0)('as another user than root (needs root)', () => {
  it('a writable file in a folder that is not is saved', async () => {
    await using tree = await makeTree({ 'locked/a.txt': 'old' })
    chmodSync(tree.at('locked/a.txt'), 0o666)
    chmodSync(tree.at('locked'), 0o555)
    for (const folder of [tree.base, tree.root]) chmodSync(folder, 0o777)
    process.seteuid?.(65_534)
    try {
      await using running = start(tree)
      await running.save('/locked/a.txt', 'new')
      expect(await tree.read('locked/a.txt')).toBe('new')
      expect(await readdir(tree.at('locked'))).toEqual(['a.txt'])
    } finally {
      process.seteuid?.(0)
    }
  })
})

describe('after a crash amid such a save', () => {
  /** A target that is new to its half, and the whole of the new content beside it. */
  async function interrupted(tree: Tree) {
    const target = tree.at('a.txt')
    await writeFile(target, 'NEW CONTold content')
    const temp = tree.at(TEMP)
    await writeFile(temp, 'NEW CONTENT')
    const registry = createTempRegistry(DISKS, join(tree.base, 'fb.db.uploads'), 0)
    const ino = String((await stat(target)).ino)
    registry.note(temp, { writesTo: { path: target, ino } })
    return { target, temp, registry }
  }

  it('the start finishes it', async () => {
    await using tree = await makeTree({})
    const { target, temp, registry } = await interrupted(tree)
    await registry.sweep()
    expect(existsSync(temp)).toBe(true)
    const lines: string[] = []
    const next = createTempRegistry(DISKS, join(tree.base, 'fb.db.uploads'), 0)
    await finishWrites(DISKS, next, keepWarnings(lines))
    expect(await readFile(target, 'utf8')).toBe('NEW CONTENT')
    expect(await readdir(tree.root)).toEqual(['a.txt'])
    expect(lines).toEqual([expect.stringContaining(`${target}: a save that was interrupted is`)])
    await Promise.all([next.close(), registry.close()])
  })

  it.runIf(HAS_FUSE)(
    'the start goes on without a disk that does not answer, and the next one finishes',
    async () => {
      await using tree = await makeTree({})
      const { target, registry } = await interrupted(tree)
      await using disk = await mountFuse(join(tree.base, 'source'), tree.at('disk'))
      const far = join(tree.at('disk'), 'a.txt')
      const temp = join(tree.at('disk'), TEMP)
      await writeFile(far, 'NEW CONTold content')
      await writeFile(temp, 'NEW CONTENT')
      registry.note(temp, { writesTo: { path: far, ino: String((await stat(far)).ino) } })
      await disk.obey({ hangs: true })
      const lines: string[] = []
      const disks = createDisks()
      const finishing = finishWrites(disks, registry, keepWarnings(lines))
      await withDeadline('the start', 60_000, finishing)
      expect(await readFile(target, 'utf8')).toBe('NEW CONTENT')
      expect(lines.filter((line) => line.includes(far))).toEqual([
        expect.stringContaining('cannot be finished now (EHOSTDOWN)'),
      ])
      await disk.obey({ hangs: false })
      await waitFor('the disk', () =>
        disks
          .of(far)
          .query(() => stat(far))
          .then(Boolean, () => false),
      )
      await finishWrites(disks, registry, keepWarnings(lines))
      expect(await readFile(far, 'utf8')).toBe('NEW CONTENT')
      expect(await readdir(tree.at('disk'))).toEqual(['a.txt'])
      await registry.close()
    },
  )

  it('the start finishes no save over a later one that was confirmed', async () => {
    await using tree = await makeTree({})
    const { target, temp, registry } = await interrupted(tree)
    linkSync(target, tree.at('b.txt'))
    await registry.close()
    {
      await using running = start(tree)
      await running.save('/a.txt', 'saved again')
    }
    const next = createTempRegistry(DISKS, join(tree.base, 'fb.db.uploads'), 0)
    await finishWrites(DISKS, next, keepWarnings([]))
    expect(await readFile(target, 'utf8')).toBe('saved again')
    await next.sweep()
    expect(existsSync(temp)).toBe(false)
    await next.close()
  })

  it('nor over one that was confirmed under another name of the file', async () => {
    await using tree = await makeTree({})
    const { target, registry } = await interrupted(tree)
    linkSync(target, tree.at('b.txt'))
    await registry.close()
    await using running = start(tree)
    await running.save('/b.txt', 'saved again')
    await finishWrites(DISKS, running.registry, keepWarnings([]))
    expect(await readFile(target, 'utf8')).toBe('saved again')
  })

  it('nor over one that is confirmed while the start is finishing', async () => {
    await using tree = await makeTree({ 'a.txt': 'old' })
    linkSync(tree.at('a.txt'), tree.at('b.txt'))
    await using running = start(tree)
    const temp = tree.at(TEMP)
    // So large that it is still being copied when the new save is confirmed.
    await writeFile(temp, '')
    await truncate(temp, 128 * 1024 * 1024)
    const ino = String(statSync(tree.at('a.txt')).ino)
    running.registry.note(temp, { writesTo: { path: tree.at('a.txt'), ino } })
    const finishing = finishWrites(DISKS, running.registry, keepWarnings([]))
    await running.save('/b.txt', 'saved again')
    await finishing
    expect(statSync(tree.at('a.txt')).size).toBe('saved again'.length)
    expect(await tree.read('a.txt')).toBe('saved again')
  })

  it('of two saves under two names of a file the newer one is finished, whole', async () => {
    await using tree = await makeTree({ 'a.txt': 'old' })
    linkSync(tree.at('a.txt'), tree.at('b.txt'))
    const ino = String(statSync(tree.at('a.txt')).ino)
    const file = join(tree.base, 'fb.db.uploads')
    const killed = createTempRegistry(DISKS, file, 0)
    const newer = tree.at(TEMP.replace('0', '1'))
    const older = tree.at(TEMP)
    await writeFile(older, 'o'.repeat(5_000_000))
    await writeFile(newer, 'n'.repeat(5_000_000))
    // The newer one had its temporary file first.
    killed.note(newer)
    killed.note(older, { writesTo: { path: tree.at('a.txt'), ino } })
    killed.note(newer, { writesTo: { path: tree.at('b.txt'), ino } })
    const next = createTempRegistry(DISKS, file, 0)
    const lines: string[] = []
    await finishWrites(DISKS, next, keepWarnings(lines))
    expect(await tree.read('a.txt')).toBe('n'.repeat(5_000_000))
    expect(lines).toHaveLength(1)
    await next.sweep()
    expect((await readdir(tree.root)).sort()).toEqual(['a.txt', 'b.txt'])
    await Promise.all([next.close(), killed.close()])
  })

  it.each(['changed', 'replaced', 'removed'])(
    'a file that was %s since is left alone, and the log says where both are',
    async (how) => {
      await using tree = await makeTree({})
      const { target, temp, registry } = await interrupted(tree)
      await utimes(temp, 1_000, 1_000)
      if (how === 'changed') writeFileSync(target, 'by somebody else')
      else execFileSync('rm', [target])
      if (how === 'replaced') {
        await mkdir(tree.at('keeps the inode'))
        writeFileSync(target, 'by somebody else')
      }
      const lines: string[] = []
      await finishWrites(DISKS, registry, keepWarnings(lines))
      await registry.sweep()
      if (how === 'removed') expect(existsSync(target)).toBe(false)
      else expect(await readFile(target, 'utf8')).toBe('by somebody else')
      expect(await readFile(temp, 'utf8')).toBe('NEW CONTENT')
      expect(lines).toEqual([expect.stringContaining(temp)])
      await registry.close()
    },
  )
})
