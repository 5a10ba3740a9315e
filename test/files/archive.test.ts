import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { chmod, chown, mkdir, rename, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createArchiveWriter,
  missingFormats,
  parseArchiveFormat,
} from '../../src/files/archive/archive.ts'
import type { VPath } from '../../src/lib/vpath.ts'
import { createThreads } from '../../src/programs/threads.ts'
import {
  archiveTo,
  archiveToFile,
  describeTree,
  FORMATS,
  openScope,
  run,
  sizeOf,
  type TreeFacts,
  unpack,
} from '../support/archives.ts'
import { treesInMemory } from '../support/in-memory.ts'
import { needProgram } from '../support/programs.ts'
import { AWKWARD_NAMES, makeTree, type Tree } from '../support/tree.ts'

const MIB = 1024 * 1024

/** Archives the tree and gives what the usual programs make of it. */
async function roundTrip(tree: Tree, format: (typeof FORMATS)[number]): Promise<TreeFacts> {
  const file = join(tree.base, `archive-${format}`)
  const into = join(tree.base, `unpacked-${format}`)
  await mkdir(into)
  await archiveToFile(file, openScope(tree.root), format)
  await unpack(format, file, into)
  return describeTree(into)
}

/** Names in a zip or tar, as the archive holds them. */
async function namesIn(
  tree: Tree,
  ...rest: Parameters<typeof openScope> extends [string, ...infer R] ? R : never
) {
  const file = join(tree.base, 'names.tar')
  await archiveToFile(file, openScope(tree.root, ...rest), 'tar')
  return execFileSync('tar', ['-tf', file, '--quoting-style=literal'], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
    .sort()
}

function withoutBackslashes(facts: TreeFacts): TreeFacts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, entry]) => [name.replaceAll('\\', '_'), entry]),
  )
}

/** Root may read everything: takes that right from this process until disposed. */
async function asNobody(tree: Tree): Promise<Disposable> {
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    await chown(tree.base, 65534, 65534)
    process.seteuid?.(65534)
  }
  return { [Symbol.dispose]: () => isRoot && process.seteuid?.(0) }
}

const openFiles = () => readdirSync('/proc/self/fd').length

describe.each(FORMATS)('%s', (format) => {
  it('keeps awkward names, contents, modes, times and empty folders', async () => {
    const long = `${'d'.repeat(120)}/${'é'.repeat(90)}`
    const content = Object.fromEntries(AWKWARD_NAMES.map((name) => [name, `in ${name}`]))
    await using tree = await makeTree({
      ...content,
      [`${long}/deep.txt`]: 'deep',
      empty: null,
      'nothing.bin': '',
      'zeros.bin': new Uint8Array(3 * MIB),
      'noise.bin': crypto.getRandomValues(new Uint8Array(65_536)),
      'run.sh': '#!/bin/sh\n',
    })
    await chmod(tree.at('run.sh'), 0o755)
    await chmod(tree.at('plain.txt'), 0o600)
    await utimes(tree.at('run.sh'), 1_704_164_645, 1_704_164_645)
    await utimes(tree.at('empty'), 1_004_164_646, 1_004_164_646)

    expect(await roundTrip(tree, format)).toEqual(withoutBackslashes(await describeTree(tree.root)))
  })

  it('holds more than one block of what compresses and what does not', async () => {
    await using tree = await makeTree({ 'a/noise': new Uint8Array(0) })
    const noise = Buffer.alloc(5 * MIB + 123)
    for (let at = 0; at < noise.length; at += 65_536)
      crypto.getRandomValues(noise.subarray(at, at + 65_536))
    await writeFile(tree.at('a/noise'), noise)
    await writeFile(tree.at('text'), 'all work and no play makes a dull file\n'.repeat(150_000))
    expect(await roundTrip(tree, format)).toEqual(await describeTree(tree.root))
  })
})

it('keeps the years that a header has no digits for', async () => {
  await using tree = await makeTree({ old: 'a', 'of-tomorrow': 'b' })
  const years = { old: '1960-06-01', 'of-tomorrow': '2300-06-01' }
  for (const [name, day] of Object.entries(years))
    execFileSync('touch', ['-d', `${day}T00:00:00Z`, join(tree.root, name)])
  const file = join(tree.base, 'years.tar')
  await archiveToFile(file, openScope(tree.root), 'tar')
  const list = execFileSync('tar', ['-tvf', file], {
    encoding: 'utf8',
    env: { TZ: 'UTC', PATH: process.env.PATH },
  })
  for (const [name, day] of Object.entries(years))
    expect(list).toMatch(new RegExp(`${day} .* ${name}`))
})

it('archives 2,000 files', async () => {
  treesInMemory()
  await using tree = await makeTree({})
  for (let i = 0; i < 20; i++) {
    await mkdir(tree.at(`folder ${i}`))
    const names = Array.from({ length: 100 }, (_, j) => tree.at(`folder ${i}/file ${j} ü.txt`))
    await Promise.all(names.map((name) => writeFile(name, name.repeat(20))))
  }
  const before = await describeTree(tree.root)
  for (const format of ['zip', 'targz'] as const)
    expect(await roundTrip(tree, format)).toEqual(before)
})

it('writes zip beyond 65,535 entries so that unzip reads them all', async () => {
  const entries = (async function* () {
    for (let i = 0; i < 66_000; i++)
      yield {
        kind: 'dir' as const,
        name: `d${i}`,
        vpath: `/d${i}` as VPath,
        mode: 0o755,
        mtimeMs: 0,
      }
  })()
  await using tree = await makeTree({})
  const parts: Buffer[] = []
  const write = async (chunk: Uint8Array) => void parts.push(Buffer.from(chunk))
  await createArchiveWriter(createThreads())(
    entries,
    'zip',
    { write },
    new AbortController().signal,
  )
  const file = join(tree.base, 'many.zip')
  await writeFile(file, Buffer.concat(parts))
  needProgram('unzip')
  const list = execFileSync('unzip', ['-Z1', file], { encoding: 'utf8', maxBuffer: 1 << 26 })
  expect(list.split('\n').filter(Boolean)).toHaveLength(66_000)
  await run([
    '/usr/bin/python3',
    '-c',
    'import sys,zipfile;zipfile.ZipFile(sys.argv[1]).testzip()',
    file,
  ])
})

it('gives the names no separator that Windows would see', async () => {
  await using tree = await makeTree({ '..\\..\\evil.sh': 'x', 'C:\\x': 'y' })
  expect(await namesIn(tree)).toEqual(['.._.._evil.sh', 'C:_x'])
})

it('takes names along that are not UTF-8, of files and of folders', async () => {
  await using tree = await makeTree({ 'in/plain.txt': 'a' })
  const latin1 = (name: string) =>
    Buffer.concat([Buffer.from(tree.at('in/')), Buffer.from(name, 'latin1')])
  await mkdir(latin1('M\u00e4rz'))
  await writeFile(latin1('M\u00e4rz/inner.txt'), 'inner')
  await writeFile(latin1('M\u00e4rz/f\u00fcr.txt'), 'deep')
  await writeFile(latin1('\u00e4.txt'), 'one')
  await writeFile(latin1('\u00f6.txt'), 'two')
  await symlink(join(tree.outside, 'secret.txt'), latin1('M\u00e4rz/out'))
  const before = openFiles()
  expect(await namesIn(tree)).toEqual([
    'in/',
    'in/%E4.txt',
    'in/%F6.txt',
    'in/M%E4rz/',
    'in/M%E4rz/f%FCr.txt',
    'in/M%E4rz/inner.txt',
    'in/plain.txt',
  ])
  expect(openFiles()).toBeLessThanOrEqual(before)
  const file = join(tree.base, 'names.tar')
  const contents = execFileSync('tar', [
    '-xOf',
    file,
    'in/%E4.txt',
    'in/%F6.txt',
    'in/M%E4rz/f%FCr.txt',
  ])
  expect(contents.toString()).toBe('deeponetwo')
  const denied = await namesIn(tree, (vpath) => !vpath.endsWith('inner.txt'))
  expect(denied).not.toContain('in/M%E4rz/inner.txt')
})

it('gives names that are not UTF-8 none that a sibling has', async () => {
  await using tree = await makeTree({ '%E4.txt': 'text', '%E4': null })
  for (const name of ['\u00e4.txt', '\u00e4', '%E4\u00e4', '\u00e4\u00e4'])
    await writeFile(Buffer.concat([Buffer.from(tree.at('/')), Buffer.from(name, 'latin1')]), 'x')
  expect(await namesIn(tree)).toEqual(
    ['%25E4%E4', '%E4%E4', '%E4(1)', '%E4(1).txt', '%E4.txt', '%E4/'].sort(),
  )
})

it('goes on without a folder that cannot be read, whatever its name', async () => {
  await using tree = await makeTree({ 'in/plain.txt': 'a' })
  const unreadable = Buffer.concat([Buffer.from(tree.at('in/M')), Buffer.from([0xe4])])
  await mkdir(unreadable)
  await chmod(unreadable, 0o300)
  using _ = await asNobody(tree)
  expect(await namesIn(tree)).toEqual(['in/', 'in/M%E4/', 'in/plain.txt'])
})

it('does not keep a descriptor for each level without end', async () => {
  await using tree = await makeTree({ in: null })
  let deepest = Buffer.concat([Buffer.from(tree.at('in/')), Buffer.from([0xe4])])
  for (let depth = 0; depth < 300; depth++) deepest = Buffer.concat([deepest, Buffer.from('/d')])
  await mkdir(deepest, { recursive: true })
  const before = openFiles()
  await expect(namesIn(tree)).rejects.toThrow('too deep')
  // Less, when what earlier tests opened is closed meanwhile.
  expect(openFiles()).toBeLessThanOrEqual(before)
})

it('names no accounts of the host', async () => {
  await using tree = await makeTree({ 'a.txt': 'a', folder: null })
  const file = join(tree.base, 'owners.tar')
  await archiveToFile(file, openScope(tree.root), 'tar')
  const list = execFileSync('tar', ['-tvf', file], { encoding: 'utf8' })
  expect(list).toMatch(/^-\S+ 0\/0 /m)
  expect(list).not.toContain('root')
})

it('leaves out what a rule denies, with all that lies below', async () => {
  await using tree = await makeTree({ 'a/b.txt': 'b', 'secret/x.txt': 'x', 'a/secret/y.txt': 'y' })
  const names = await namesIn(tree, (vpath) => !vpath.split('/').includes('secret'))
  expect(names).toEqual(['a/', 'a/b.txt'])
})

it('stores links inside as what they lead to, without going round in circles', async () => {
  await using tree = await makeTree({ 'a/f.txt': 'f', 'b/g.txt': 'g' })
  await symlink('.', tree.at('a/self'))
  await symlink('..', tree.at('a/up'))
  await symlink('../b', tree.at('a/b-again'))
  await symlink('a/f.txt', tree.at('f-again'))
  await symlink(tree.outside, tree.at('out'))
  await symlink('nowhere', tree.at('dangling'))
  expect(await namesIn(tree)).toEqual([
    'a/',
    'a/b-again/',
    'a/b-again/g.txt',
    'a/f.txt',
    'b/',
    'b/g.txt',
    'f-again',
  ])
})

it('does not open pipes', async () => {
  await using tree = await makeTree({ 'z.txt': 'z' })
  execFileSync('mkfifo', [tree.at('pipe')])
  expect(await namesIn(tree)).toEqual(['z.txt'])
})

it('leaves out a file that goes between being listed and being opened', async () => {
  await using tree = await makeTree({ 'a.txt': 'a', 'b/c.txt': 'c' })
  const scope = openScope(tree.root)
  let moved = false
  const watching = {
    ...scope,
    openFolder: async (vpath: Parameters<typeof scope.openFolder>[0]) => {
      const held = await scope.openFolder(vpath)
      if (!moved) await rename(tree.at('a.txt'), join(tree.base, 'gone'))
      moved = true
      return held
    },
  }
  const file = join(tree.base, 'gone.tar')
  await archiveToFile(file, watching, 'tar')
  expect(execFileSync('tar', ['-tf', file], { encoding: 'utf8' })).toBe('b/\nb/c.txt\n')
})

it.each(['zip', 'tar'] as const)(
  'fails when a file shrinks behind its %s header, and closes it',
  async (format) => {
    await using tree = await makeTree({})
    await writeFile(tree.at('log'), '')
    await truncate(tree.at('log'), 80 * MIB)
    const before = openFiles()
    let bytes = 0
    const write = async (chunk: Uint8Array) => {
      bytes += chunk.length
      await truncate(tree.at('log'), 1000)
    }
    await expect(archiveTo({ write }, openScope(tree.root), format)).rejects.toThrow(/shorter/)
    expect(bytes).toBeLessThan(80 * MIB)
    expect(openFiles()).toBeLessThanOrEqual(before)
  },
)

it.each(FORMATS)('stops %s on abort and closes every file', async (format) => {
  await using tree = await makeTree({})
  for (let i = 0; i < 20; i++) await writeFile(tree.at(`f${i}`), Buffer.alloc(3 * MIB, `${i}`))
  // Threads and modules that stay after the first use are not leaks.
  await archiveTo({ write: async () => {} }, openScope(tree.root), format)
  const before = openFiles()
  const controller = new AbortController()
  const write = async () => controller.abort()
  const { signal } = controller
  await expect(archiveTo({ write }, openScope(tree.root), format, { signal })).rejects.toThrow()
  expect(openFiles()).toBeLessThanOrEqual(before)
})

it.each(FORMATS)('passes on the failure of the target of %s', async (format) => {
  await using tree = await makeTree({ 'a.txt': 'a' })
  for (let i = 0; i < 10; i++) await writeFile(tree.at(`f${i}`), Buffer.alloc(3 * MIB, `${i}`))
  const write = async () => {
    throw new Error('the pipe is broken')
  }
  await expect(archiveTo({ write }, openScope(tree.root), format)).rejects.toThrow(/pipe is broken/)
})

it('compresses', async () => {
  await using tree = await makeTree({
    text: 'the quick brown fox, again and again\n'.repeat(100_000),
  })
  for (const format of FORMATS.slice(2)) {
    const file = join(tree.base, format)
    await archiveToFile(file, openScope(tree.root), format)
    expect(await sizeOf(file), format).toBeLessThan(400_000)
  }
})

describe('tar.xz', () => {
  const there = { platform: 'linux', arch: 'x64' }
  const missing = { platform: 'linux', arch: 'arm64' }

  it('is offered where it is compressed, and refused by name where it is not', () => {
    expect(missingFormats(there)).toEqual([])
    expect(parseArchiveFormat('tarxz', there)).toBe('tarxz')
    expect(missingFormats(missing)).toEqual(['tarxz'])
    expect(() => parseArchiveFormat('tarxz', missing)).toThrow(
      '.tar.xz is not made on this platform',
    )
    expect(parseArchiveFormat('targz', missing)).toBe('targz')
  })
})
