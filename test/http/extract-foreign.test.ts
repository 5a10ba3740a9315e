// 7z and rar that jobs unpack: by a library in memory, and above its size by bsdtar.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, openSync } from 'node:fs'
import { open, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { storedRar } from '../../scripts/sample-rar.ts'
import type { ErrorCode } from '../../src/api-types.ts'
import { readByProgram } from '../../src/files/extract/by-program.ts'
import type { Output } from '../../src/files/extract/output.ts'
import { type OpenedApp, openApp } from '../support/app.ts'
import { describeTree } from '../support/archives.ts'
import { runToEnd } from '../support/jobs.ts'
import type { SignedIn } from '../support/login.ts'
import { needProgram } from '../support/programs.ts'
import { makeTree } from '../support/tree.ts'

const TREE = { 'docs/deep/ü.txt': 'ccc', 'docs/empty.txt': '', 'docs/none': null }

async function opened(config: object = {}): Promise<{ app: OpenedApp; ann: SignedIn }> {
  const app = await openApp({ tree: TREE, users: [{ username: 'ann' }], config })
  onTestFinished(() => app[Symbol.asyncDispose]())
  return { app, ann: await app.as('ann') }
}

function pack(folder: string, ...args: string[]): void {
  needProgram('7zz')
  execFileSync('7zz', ['a', '-bd', ...args], { cwd: folder, stdio: 'pipe' })
}

const unpack = (ann: SignedIn, name: string) =>
  runToEnd(ann, { kind: 'extract', items: [`/${name}`], to: '/to' })

/** What breaks in the middle is no header. */
async function breakByte(file: string): Promise<void> {
  const { size } = await stat(file)
  await using handle = await open(file, 'r+')
  await handle.write(Buffer.from('broken'), 0, 6, Math.floor(size / 2))
}

describe('a 7z', () => {
  it('comes back as it was, with bits and times', async () => {
    const { app, ann } = await opened()
    await writeFile(app.tree.at('docs/large.bin'), randomBytes(700_000), { mode: 0o750 })
    await utimes(app.tree.at('docs/deep/ü.txt'), 1_000_000_000, 1_000_000_000)
    const before = await describeTree(app.tree.at('docs'))
    pack(app.tree.root, 'x.7z', 'docs')
    expect((await unpack(ann, 'x.7z')).errors).toEqual([])
    expect(await describeTree(app.tree.at('to/docs'))).toEqual(before)
  })

  it.each([['-p1234'], ['-p1234', '-mhe=on']])('with a password (%s) says so', async (...args) => {
    const { app, ann } = await opened()
    pack(app.tree.root, ...args, 'x.7z', 'docs')
    expect(await unpack(ann, 'x.7z')).toMatchObject({ state: 'failed', reason: 'encrypted' })
  })

  it('whose content is damaged leaves out what is', async () => {
    const { app, ann } = await opened()
    await writeFile(app.tree.at('docs/large.bin'), randomBytes(700_000))
    pack(app.tree.root, '-mx0', 'x.7z', 'docs')
    await breakByte(app.tree.at('x.7z'))
    const job = await unpack(ann, 'x.7z')
    expect(job.errors).toEqual([{ path: '/to/docs/large.bin', code: 'damaged' }])
    expect(await app.tree.read('to/docs/deep/ü.txt')).toBe('ccc')
  })

  it('of which this is a part is none that is supported', async () => {
    const { app, ann } = await opened()
    await writeFile(app.tree.at('docs/large.bin'), randomBytes(50_000))
    pack(app.tree.root, '-v20k', 'x.7z', 'docs')
    expect(await unpack(ann, 'x.7z.001')).toMatchObject({ reason: 'unsupported' })
  })

  it('above 256 MiB is too large without bsdtar', async () => {
    const { app, ann } = await opened({ bsdtarPath: '' })
    await using file = await open(app.tree.at('x.7z'), 'w')
    await file.write(Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]))
    await file.truncate(256 * 1024 * 1024 + 1)
    expect(await unpack(ann, 'x.7z')).toMatchObject({ state: 'failed', reason: 'too_large' })
  })
})

describe('a rar', () => {
  it('comes back as it was', async () => {
    const { app, ann } = await opened()
    const large = randomBytes(700_000)
    await writeFile(app.tree.at('x.rar'), storedRar({ 'a/ü.txt': 'text', 'large.bin': large }))
    expect((await unpack(ann, 'x.rar')).errors).toEqual([])
    expect(await app.tree.read('to/a/ü.txt')).toBe('text')
    expect(await readFile(app.tree.at('to/large.bin'))).toEqual(large)
  })

  it('that says more than there is is told, and nothing of it comes', async () => {
    const { app, ann } = await opened()
    await writeFile(app.tree.at('x.rar'), storedRar({ 'a.txt': 'text' }, 100_000))
    expect((await unpack(ann, 'x.rar')).state).toBe('failed')
    expect(existsSync(app.tree.at('to/a.txt'))).toBe(false)
  })
})

describe('bsdtar', () => {
  /** What comes out of an archive, name by name. */
  async function read(path: string, maxBytes = 2 ** 30) {
    needProgram('bsdtar')
    const names = new Map<string, { mode: number | null; mtimeMs: number; text: string }>()
    let at = ''
    const output: Output = {
      entry: async ({ name, mode, mtimeMs }) => {
        at = name
        names.set(name, { mode, mtimeMs, text: '' })
      },
      data: async (bytes) => {
        const entry = names.get(at)
        if (entry) entry.text += Buffer.from(bytes).toString('latin1')
      },
      end: async () => {},
      read() {},
      passed() {},
      over: async () => {},
    }
    const { size: sizeBytes } = await stat(path)
    const file = { fd: openSync(path, 'r'), name: path, sizeBytes, onRead() {} }
    await readByProgram(file, '/usr/bin/bsdtar', maxBytes, output)
    return names
  }

  const failureOf = (read: Promise<unknown>): Promise<ErrorCode> =>
    read.then(
      () => 'internal',
      (error) => error.code,
    )

  it('gives names, content and times', async () => {
    await using tree = await makeTree(TREE)
    await utimes(tree.at('docs/deep/ü.txt'), 1_000_000_000, 1_000_000_000)
    pack(tree.root, 'x.7z', 'docs')
    const found = await read(tree.at('x.7z'))
    expect(found.get('docs/deep/ü.txt')).toMatchObject({ text: 'ccc', mtimeMs: 1e12 })
  })

  it.each<[ErrorCode, string[], number]>([
    ['encrypted', ['-p1234'], 2 ** 30],
    ['encrypted', ['-p1234', '-mhe=on'], 2 ** 30],
    ['damaged', ['-mx0'], 2 ** 30],
    ['too_large', [], 1000],
  ])('refuses what is %s (%s)', async (code, args, maxBytes) => {
    await using tree = await makeTree(TREE)
    await writeFile(tree.at('docs/large.bin'), randomBytes(50_000))
    pack(tree.root, ...args, 'x.7z', 'docs')
    if (code === 'damaged') await breakByte(tree.at('x.7z'))
    expect(await failureOf(read(tree.at('x.7z'), maxBytes))).toBe(code)
  })
})
