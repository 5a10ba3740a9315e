// Archives by which somebody wants to write elsewhere, fill the disk or end the server: nothing of that happens, and the
// job says why.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { lstat, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { storedRar } from '../../scripts/sample-rar.ts'
import { createTar } from '../../src/files/archive/tar.ts'
import { segmentsOf } from '../../src/files/extract/names.ts'
import { type OpenedApp, openApp, type TestAppOptions } from '../support/app.ts'
import { runToEnd } from '../support/jobs.ts'
import type { SignedIn } from '../support/login.ts'
import { needProgram } from '../support/programs.ts'
import { LONG } from '../support/scale.ts'
import { zipOf } from '../support/zips.ts'

async function open(options: TestAppOptions = {}): Promise<{ app: OpenedApp; ann: SignedIn }> {
  const app = await openApp({ tree: { to: null }, users: [{ username: 'ann' }], ...options })
  onTestFinished(() => app[Symbol.asyncDispose]())
  return { app, ann: await app.as('ann') }
}

/** A tar by Python, whose entries may be called anything and be of any type. */
function tarOf(file: string, lines: string): void {
  const script = `import tarfile, io
with tarfile.open(${JSON.stringify(file)}, 'w', format=tarfile.PAX_FORMAT) as t:
    def add(name, body=b'x', type=tarfile.REGTYPE, link='', mode=0o644, mtime=0):
        i = tarfile.TarInfo(name); i.size = len(body); i.type = type; i.linkname = link; i.mode = mode; i.mtime = mtime
        t.addfile(i, io.BytesIO(body))
${lines
  .trim()
  .split('\n')
  .map((line) => `    ${line.trim()}`)
  .join('\n')}
`
  needProgram('/usr/bin/python3')
  execFileSync('/usr/bin/python3', ['-c', script])
}

const unpack = (ann: SignedIn, name: string, more: object = {}) =>
  runToEnd(ann, { kind: 'extract', items: [`/${name}`], to: '/to', ...more })

/** All below the base of the tree, so that nothing outside of the target escapes. */
const everything = async (app: OpenedApp) =>
  (await readdir(app.tree.base, { recursive: true }))
    .filter((name) => !/filebrowser\.db|^held|^go$/.test(name))
    .sort()

const SLIPS = [
  '/absolute.txt',
  '../up.txt',
  'a/../../up.txt',
  '..\\up.txt',
  'a\\..\\..\\up.txt',
  '\\\\host\\share.txt',
  'C:\\drive.txt',
  'C:drive.txt',
  '//host/share.txt',
  '..',
  'a/..',
  '.fb-trash/files/x',
  'a/.FB-Trash/x',
  '.fb-tmp-01234567-89ab-cdef-0123-456789abcdef',
  `${'n'.repeat(256)}`,
]

describe('a name that leads elsewhere', () => {
  it.each(['zip', 'tar'])('in a %s is refused and counted, in every spelling', async (format) => {
    const { app, ann } = await open()
    const file = app.tree.at(`x.${format}`)
    if (format === 'zip')
      await writeFile(file, zipOf([...SLIPS, 'good.txt'].map((name) => ({ name, content: 'x' }))))
    else
      tarOf(file, [...SLIPS, 'good.txt'].map((name) => `add(${JSON.stringify(name)})`).join('\n'))
    const before = await everything(app)
    const job = await unpack(ann, `x.${format}`)
    expect(job).toMatchObject({ state: 'failed', reason: 'invalid_name' })
    const come = (await everything(app)).filter((name) => !before.includes(name))
    const below = come.map((name) => name.slice(name.indexOf('to/') + 3))
    expect(below).toEqual(['good.txt'])
    expect(job.errorCount).toBe(SLIPS.length)
  })

  it('in a rar, or in a 7z, is refused too', async () => {
    const { app, ann } = await open()
    const names = ['../up.txt', '/absolute.txt', 'a/../../up.txt', '..\\up.txt', 'C:\\drive.txt']
    const files = Object.fromEntries([...names, 'good.txt'].map((name) => [name, 'x']))
    await writeFile(app.tree.at('x.rar'), storedRar(files))
    needProgram('7zz')
    await app.tree.add({ 'up.txt': 'x', 'good.txt': 'x' })
    const seven = (...words: string[]) =>
      execFileSync('7zz', words, { cwd: app.tree.root, stdio: 'pipe' })
    seven('a', '-bd', 'x.7z', 'up.txt', 'good.txt')
    seven('rn', '-bd', 'x.7z', 'up.txt', '../../up.txt')
    for (const [archive, count] of [
      ['x.rar', names.length],
      ['x.7z', 1],
    ] as const) {
      const before = await everything(app)
      const job = await unpack(ann, archive, { conflict: 'replace' })
      expect(job).toMatchObject({ state: 'failed', reason: 'invalid_name', errorCount: count })
      const come = (await everything(app)).filter((name) => !before.includes(name))
      expect(come.filter((name) => !name.endsWith('to/good.txt'))).toEqual([])
      expect(await readdir(app.tree.at('to'))).toEqual(['good.txt'])
    }
  })

  it('in front of an entry alone is not looked at', async () => {
    const { app, ann } = await open()
    const zip = zipOf([{ name: '../up.txt', content: 'x' }])
    zip.write('good_.txt', zip.lastIndexOf('../up.txt'))
    await writeFile(app.tree.at('x.zip'), zip)
    const before = await everything(app)
    expect((await unpack(ann, 'x.zip')).errors).toEqual([])
    const come = (await everything(app)).filter((name) => !before.includes(name))
    expect(come).toEqual(['root/to/good_.txt'])
  })

  it.each([
    ['in half a million folders', `'a/' * 500_000 + 'a'`],
    ['of one piece', `'n' * 900_000`],
  ])('of a megabyte, %s, is refused, and takes neither room nor time', async (_, name) => {
    const { app, ann } = await open()
    tarOf(app.tree.at('x.tar'), `add(${name})\nadd('good.txt')`)
    const job = await unpack(ann, 'x.tar')
    expect(job).toMatchObject({ reason: 'invalid_name', errorCount: 1 })
    expect(JSON.stringify(job).length).toBeLessThan(2_000)
    expect(await readdir(app.tree.at('to'))).toEqual(['good.txt'])
  })

  it.each([
    ['a/b', ['a', 'b']],
    ['./a//b/', ['a', 'b']],
    ['./', []],
    ['', null],
    ['a\0b', null],
    ['...', ['...']],
    ['a..b/c', ['a..b', 'c']],
  ])('%j is %j', (name, segments) => {
    expect(segmentsOf(name, 'linux')).toEqual(segments)
  })

  it.each(['con', 'a/NUL.txt', 'a:b', 'dot.', 'blank ', 'a?'])(
    '%j is refused on Windows',
    (name) => {
      expect(segmentsOf(name, 'win32')).toBeNull()
    },
  )
})

describe('links and devices', () => {
  it('are never made, and nothing is written through one', async () => {
    const { app, ann } = await open()
    const outside = join(app.tree.base, 'slipped')
    tarOf(
      app.tree.at('x.tar'),
      `add('way', b'', tarfile.SYMTYPE, ${JSON.stringify(app.tree.base)})
       add('way/slipped', b'slipped')
       add('up', b'', tarfile.SYMTYPE, '..')
       add('hard', b'', tarfile.LNKTYPE, '../../filebrowser.db')
       add('other', b'', tarfile.LNKTYPE, '/etc/passwd')
       add('dev', b'', tarfile.CHRTYPE)
       add('pipe', b'', tarfile.FIFOTYPE)
       add('suid', b'x', mode=0o6755)`,
    )
    const job = await unpack(ann, 'x.tar')
    expect(job.errors.map(({ path, code }) => [path, code])).toEqual([
      ['/to/way', 'unsupported'],
      ['/to/up', 'unsupported'],
      ['/to/hard', 'unsupported'],
      ['/to/other', 'unsupported'],
      ['/to/dev', 'unsupported'],
      ['/to/pipe', 'unsupported'],
    ])
    expect(existsSync(outside)).toBe(false)
    expect((await readdir(app.tree.at('to'), { recursive: true })).sort()).toEqual([
      'suid',
      'way',
      'way/slipped',
    ])
    expect((await lstat(app.tree.at('to/way'))).isDirectory()).toBe(true)
    expect((await lstat(app.tree.at('to/suid'))).mode & 0o7777).toBe(0o755)
  })

  it('in a zip or a 7z are told, and not made', async () => {
    const { app, ann } = await open()
    needProgram('zip')
    needProgram('7zz')
    await app.tree.add({ way: { link: '/etc' }, 'good.txt': 'x' })
    const cwd = app.tree.root
    execFileSync('zip', ['-qy', 'x.zip', 'way', 'good.txt'], { cwd })
    execFileSync('7zz', ['a', '-bd', '-snl', 'x.7z', 'way', 'good.txt'], { cwd, stdio: 'pipe' })
    for (const archive of ['x.zip', 'x.7z']) {
      const { errors } = await unpack(ann, archive, { conflict: 'replace' })
      expect(errors).toEqual([{ path: '/to/way', code: 'unsupported' }])
      expect(await readdir(app.tree.at('to'))).toEqual(['good.txt'])
    }
  })

  it('that lie in the folder already are not followed out of the tree, nor written through', async () => {
    const { app, ann } = await open()
    await app.tree.add({
      'to/way': { link: app.tree.base },
      'to/name.txt': { link: '../kept.txt' },
    })
    await app.tree.add({ 'kept.txt': 'kept' })
    await writeFile(
      app.tree.at('x.zip'),
      zipOf([
        { name: 'way/slipped.txt', content: 'x' },
        { name: 'name.txt', content: 'x' },
      ]),
    )
    const job = await unpack(ann, 'x.zip', { conflict: 'replace' })
    expect(job.errors.map(({ code }) => code)).toEqual(['forbidden', 'exists'])
    expect(existsSync(join(app.tree.base, 'slipped.txt'))).toBe(false)
    expect(await app.tree.read('kept.txt')).toBe('kept')
  })

  it('hard ones do not read what was there before', async () => {
    const { app, ann } = await open()
    await app.tree.add({ 'to/secret.txt': 'secret' })
    tarOf(app.tree.at('x.tar'), `add('copy.txt', b'', tarfile.LNKTYPE, 'secret.txt')`)
    expect((await unpack(ann, 'x.tar')).errors).toMatchObject([{ code: 'unsupported' }])
    expect(existsSync(app.tree.at('to/copy.txt'))).toBe(false)
  })
})

describe('a bomb', () => {
  const MIB = 1024 * 1024

  it('ends where the limit is, and leaves whole files only', async () => {
    const { app, ann } = await open({ config: { extractMaxSizeBytes: 3 * MIB } })
    const zeros = Buffer.alloc(2 * MIB)
    const names = ['a.bin', 'b.bin', 'c.bin']
    await writeFile(app.tree.at('x.zip'), zipOf(names.map((name) => ({ name, content: zeros }))))
    expect(await unpack(ann, 'x.zip')).toMatchObject({ state: 'failed', reason: 'too_large' })
    expect(await readdir(app.tree.at('to'))).toEqual(['a.bin'])
  })

  it('of one file that never ends is not there at all', async () => {
    const { app, ann } = await open({ config: { extractMaxSizeBytes: 3 * MIB } })
    const parts: Buffer[] = []
    const tar = createTar({ write: async (bytes) => void parts.push(Buffer.from(bytes)) })
    const content = { whole: Buffer.alloc(64 * MIB), sizeBytes: 64 * MIB }
    await tar.file({ name: 'zeros', mode: 0o644, mtimeMs: 0 }, content)
    await tar.end()
    await writeFile(app.tree.at('x.tar.gz'), gzipSync(Buffer.concat(parts)))
    expect(await unpack(ann, 'x.tar.gz')).toMatchObject({ state: 'failed', reason: 'too_large' })
    expect(await readdir(app.tree.at('to'))).toEqual([])
  })

  it.each([
    ['xz', ['-Ixz --lzma2=dict=256MiB', '-cf', 'x.tar.xz']],
    ['zst', ['-Izstd --ultra --long=31', '-cf', 'x.tar.zst']],
  ])(
    'that asks for much memory (%s) is refused, and the reason is no damage',
    async (kind, args) => {
      const { app, ann } = await open()
      await writeFile(app.tree.at('a.txt'), 'text')
      execFileSync('tar', [...args, 'a.txt'], { cwd: app.tree.root })
      const job = await unpack(ann, `x.tar.${kind}`)
      expect(job).toMatchObject({ state: 'failed', reason: 'too_large' })
      expect(await readdir(app.tree.at('to'))).toEqual([])
    },
  )

  it('whose entries share their bytes is refused before anything is written', async () => {
    const { app, ann } = await open()
    const zip = zipOf([
      { name: 'a.bin', content: Buffer.alloc(MIB) },
      { name: 'b.bin', content: Buffer.alloc(MIB) },
    ])
    // The second entry of the directory leads to the first.
    const directory = zip.indexOf('PK\x01\x02')
    const second = zip.indexOf('PK\x01\x02', directory + 4)
    zip.writeUInt32LE(0, second + 42)
    await writeFile(app.tree.at('x.zip'), zip)
    expect(await unpack(ann, 'x.zip')).toMatchObject({ state: 'failed', reason: 'damaged' })
    expect(await readdir(app.tree.at('to'))).toEqual([])
  })

  it('of ten million entries is refused by its directory alone', async () => {
    const { app, ann } = await open()
    const zip = zipOf([{ name: 'a', content: '' }])
    const end = zip.lastIndexOf('PK\x05\x06')
    const end64 = Buffer.alloc(56)
    end64.write('PK\x06\x06', 'latin1')
    end64.writeBigUInt64LE(44n, 4)
    end64.writeBigUInt64LE(10_000_000n, 24)
    end64.writeBigUInt64LE(10_000_000n, 32)
    const locator = Buffer.alloc(20)
    locator.write('PK\x06\x07', 'latin1')
    locator.writeBigUInt64LE(BigInt(end), 8)
    locator.writeUInt32LE(1, 16)
    const last = Buffer.from(zip.subarray(end))
    last.writeUInt16LE(0xffff, 8)
    last.writeUInt16LE(0xffff, 10)
    await writeFile(
      app.tree.at('x.zip'),
      Buffer.concat([zip.subarray(0, end), end64, locator, last]),
    )
    expect(await unpack(ann, 'x.zip')).toMatchObject({ state: 'failed', reason: 'too_large' })
  })
})

describe('many', () => {
  it('files of one name are numbered without looking at all that have come', async () => {
    const { app, ann } = await open()
    tarOf(app.tree.at('x.tar'), `for i in range(4_000): add('a.txt', str(i).encode())`)
    const begunMs = performance.now()
    expect((await unpack(ann, 'x.tar')).errors).toEqual([])
    expect(performance.now() - begunMs).toBeLessThan(30_000)
    expect(await readdir(app.tree.at('to'))).toHaveLength(4_000)
    expect(await app.tree.read('to/a.txt')).toBe('0')
    expect(await app.tree.read('to/a(3999).txt')).toBe('3999')
  })

  it.each(LONG ? [10_000] : [])('%i folders with long names end it in time', async (count) => {
    const { app, ann } = await open()
    const lines = `top = ('n' * 240 + '/') * 14
       for i in range(${count}): add(top + str(i), b'', tarfile.DIRTYPE)`
    tarOf(app.tree.at('x.tar'), lines)
    expect(await unpack(ann, 'x.tar')).toMatchObject({ state: 'failed', reason: 'too_large' })
  })
})

describe('a liar', () => {
  it.each([
    ['says less than there is', 10],
    ['says more than there is', 100_000],
  ])('that %s is told, and the others come', async (_, sizeBytes) => {
    const { app, ann } = await open()
    const zip = zipOf([
      { name: 'liar.txt', content: 'text '.repeat(1000), sizeBytes },
      { name: 'good.txt', content: 'good' },
    ])
    await writeFile(app.tree.at('x.zip'), zip)
    const job = await unpack(ann, 'x.zip')
    expect(job.errors).toEqual([{ path: '/to/liar.txt', code: 'damaged' }])
    expect(await readdir(app.tree.at('to'))).toEqual(['good.txt'])
  })

  it('about its content is told by the sum', async () => {
    const { app, ann } = await open()
    const zip = zipOf([{ name: 'a.txt', content: 'content', method: 0 }])
    zip.write('C', zip.indexOf('content'))
    await writeFile(app.tree.at('x.zip'), zip)
    expect((await unpack(ann, 'x.zip')).errors).toEqual([{ path: '/to/a.txt', code: 'damaged' }])
    expect(await readdir(app.tree.at('to'))).toEqual([])
  })

  it.each(['1e30', '-1e30'])('about its time (%s) is a file all the same', async (mtime) => {
    const { app, ann } = await open()
    tarOf(app.tree.at('x.tar'), `add('a.txt', b'a', mtime=int(${mtime}))`)
    expect((await unpack(ann, 'x.tar')).errors).toEqual([])
    expect(await app.tree.read('to/a.txt')).toBe('a')
  })

  it('that breaks off leaves what was whole', async () => {
    const { app, ann } = await open()
    await app.tree.add({ 'a.txt': 'a', 'b.bin': 'b'.repeat(100_000) })
    execFileSync('tar', ['-cf', 'x.tar', 'a.txt', 'b.bin'], { cwd: app.tree.root })
    const tar = await readFile(app.tree.at('x.tar'))
    await writeFile(app.tree.at('x.tar'), tar.subarray(0, 50_000))
    const job = await unpack(ann, 'x.tar')
    expect(job).toMatchObject({ state: 'failed', reason: 'damaged' })
    expect(await readdir(app.tree.at('to'))).toEqual(['a.txt'])
  })
})

describe('names that meet', () => {
  it('in one archive are both kept, whatever becomes of what was there', async () => {
    const { app, ann } = await open()
    await writeFile(
      app.tree.at('x.zip'),
      zipOf([
        { name: 'same.txt', content: 'first' },
        { name: 'same.txt', content: 'second' },
      ]),
    )
    expect((await unpack(ann, 'x.zip', { conflict: 'replace' })).errors).toEqual([])
    expect(await app.tree.read('to/same.txt')).toBe('first')
    expect(await app.tree.read('to/same(1).txt')).toBe('second')
  })

  it('as file and as folder do not replace each other', async () => {
    const { app, ann } = await open()
    await app.tree.add({ 'to/dir/kept.txt': 'kept', 'to/file': 'kept' })
    await writeFile(
      app.tree.at('x.zip'),
      zipOf([
        { name: 'dir', content: 'x' },
        { name: 'file/in.txt', content: 'x' },
      ]),
    )
    const job = await unpack(ann, 'x.zip', { conflict: 'replace' })
    const codes = Object.fromEntries(job.errors.map(({ path, code }) => [path, code]))
    expect(codes).toEqual({ '/to/dir': 'is_a_folder', '/to/file/in.txt': 'not_a_folder' })
    expect(await app.tree.read('to/dir/kept.txt')).toBe('kept')
    expect(await app.tree.read('to/file')).toBe('kept')
  })

  it('are nothing that rules deny', async () => {
    const rule = { allow: false, path: '/to/denied', regex: false, regexp: null }
    const { app, ann } = await open({ settings: { rules: [rule] } })
    const zip = zipOf([
      { name: 'denied/a.txt', content: 'x' },
      { name: 'free.txt', content: 'x' },
    ])
    await writeFile(app.tree.at('x.zip'), zip)
    expect((await unpack(ann, 'x.zip')).errors).toMatchObject([{ code: 'forbidden' }])
    expect(await readdir(app.tree.at('to'))).toEqual(['free.txt'])
  })
})

it('the zips of these tests are ones that others read', async () => {
  const { app } = await open()
  await writeFile(app.tree.at('x.zip'), zipOf([{ name: 'a.txt', content: 'text '.repeat(99) }]))
  needProgram('unzip')
  expect(execFileSync('unzip', ['-tq', app.tree.at('x.zip')], { encoding: 'utf8' })).toContain(
    'No errors',
  )
})
