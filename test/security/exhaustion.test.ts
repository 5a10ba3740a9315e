// Using up the server (class 11): files that never end or never answer, lengths that lie, pictures
// and texts that are enormous once read.
import { execFileSync } from 'node:child_process'
import { readdir, stat, truncate, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { afterEach, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { withDeadline } from '../support/deadline.ts'
import { openDescriptors, residentBytes } from '../support/process-facts.ts'
import { makeShare, readPublic } from '../support/shares.ts'

const MIB = 1024 * 1024
const TUS = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }
let sockets: Server[] = []

afterEach(() => {
  for (const socket of sockets) socket.close()
  sockets = []
})

/** A tree with a pipe, a socket and, through links, devices that never end. */
async function specialFiles(app: TestApp): Promise<string[]> {
  for (const name of ['pipe', 'pipe.txt', 'pipe.srt', 'pipe.png', 'pipe.zip'])
    execFileSync('mkfifo', [app.tree.at(name)])
  const server = createServer()
  sockets.push(server)
  await new Promise<void>((resolve) => server.listen(app.tree.at('socket.txt'), resolve))
  await app.tree.add({
    'zero.png': { link: '/dev/zero' },
    'tty.txt': { link: '/dev/tty' },
    'random.srt': { link: '/dev/urandom' },
  })
  return [
    'pipe',
    'pipe.txt',
    'pipe.srt',
    'pipe.png',
    'pipe.zip',
    'socket.txt',
    'zero.png',
    'tty.txt',
    'random.srt',
  ]
}

describe.runIf(process.platform === 'linux')('CVE-2026-72838: a pipe, a socket or a device', () => {
  it.each([
    (name: string) => `/api/raw/${name}`,
    (name: string) => `/api/raw/${name}?inline=true`,
    (name: string) => `/api/raw/${name}?algo=tar`,
    (name: string) => `/api/raw/?algo=zip&files=${name}`,
    (name: string) => `/api/resources/${name}`,
    (name: string) => `/api/resources/${name}?checksum=sha256`,
    (name: string) => `/api/preview/thumb/${name}`,
    (name: string) => `/api/preview/big/${name}`,
    (name: string) => `/api/subtitle/${name}`,
    () => '/api/raw/?algo=zip',
    () => '/api/raw/?algo=tar',
    () => '/api/resources/',
    () => '/api/resources/recursive/',
    () => '/api/search/?query=',
    () => '/api/usage/',
  ])('is never opened for reading: %#', async (pathOf) => {
    await using app = await startApp({ tree: { 'a.txt': 'a' } })
    const admin = await app.as('admin')
    for (const name of await specialFiles(app)) {
      const path = pathOf(name)
      const answer = admin.fetch(path).then(async (response) => {
        const bytes = await response.arrayBuffer()
        expect(bytes.byteLength).toBeLessThan(MIB)
      })
      await withDeadline(path, 60_000, answer)
    }
  })

  it('is never written to, and blocks nobody who tries', async () => {
    await using app = await startApp({ tree: { 'a.txt': 'a' } })
    const admin = await app.as('admin')
    await specialFiles(app)
    for (const name of ['pipe', 'socket.txt', 'zero.png']) {
      const calls: [string, string, Record<string, string>][] = [
        ['PUT', `/api/resources/${name}`, {}],
        ['PATCH', `/api/resources/${name}?action=copy&destination=/copied`, {}],
        ['POST', `/api/tus/${name}?override=true`, { 'Upload-Length': '1' }],
        ['PATCH', `/api/tus/${name}`, TUS],
      ]
      for (const [method, path, headers] of calls) {
        const answer = admin.fetch(path, { method, headers, body: 'x' })
        await withDeadline(`${method} ${path}`, 60_000, answer)
      }
    }
    expect((await stat('/dev/zero')).isCharacterDevice()).toBe(true)
  })

  it('gives nothing to visitors of a share, and keeps no descriptor', async () => {
    await using app = await startApp({ tree: { 'a.txt': 'a' } })
    const hash = await makeShare(app, '/')
    await readPublic(app, hash, '/a.txt')
    const names = await specialFiles(app)
    const before = await openDescriptors(process.pid)
    for (const name of names) await withDeadline(name, 60_000, readPublic(app, hash, `/${name}`))
    expect(await openDescriptors(process.pid)).toBeLessThanOrEqual(before + 4)
  })
})

describe('CVE-2026-32759: the length of an upload', () => {
  it.each([
    '-1',
    '-9223372036854775808',
    '1e3',
    '+5',
    '0x5',
    '5.0',
    ' ',
    'NaN',
    '99999999999999999999',
  ])('is refused as %s, before anything is touched', async (length) => {
    await using app = await startApp({
      tree: { 'old.txt': 'old' },
      config: { enableExec: true },
      settings: { commands: { after_upload: ['touch hooked'], before_upload: ['touch hooked'] } },
    })
    const admin = await app.as('admin')
    for (const name of ['new.bin', 'old.txt?override=true']) {
      const headers = { 'Upload-Length': length }
      const begun = await admin.fetch(`/api/tus/${name}`, { method: 'POST', headers })
      expect([400, 413, 507], length).toContain(begun.status)
    }
    expect(await readdir(app.tree.root)).toEqual(['old.txt'])
    expect(await app.tree.read('old.txt')).toBe('old')
  })

  it('holds at the end: one byte more is 413 and is not kept', async () => {
    await using app = await startApp({ tree: {} })
    const admin = await app.as('admin')
    const patch = (body: string | Uint8Array<ArrayBuffer>, offset = '0') =>
      admin.fetch('/api/tus/five.bin', {
        method: 'PATCH',
        headers: { ...TUS, 'Upload-Offset': offset },
        body,
      })
    const headers = { 'Upload-Length': '5' }
    await admin.fetch('/api/tus/five.bin', { method: 'POST', headers })
    expect((await patch('123456')).status).toBe(413)
    expect((await patch(new Uint8Array(4 * MIB))).status).toBe(413)
    for (const name of await readdir(app.tree.root))
      expect((await stat(app.tree.at(name))).size).toBeLessThanOrEqual(5)
    expect((await patch('hello')).status).toBe(204)
    expect(await app.tree.read('five.bin')).toBe('hello')
    expect((await patch('!', '5')).status).toBe(404)
  })

  it('holds at the beginning: an offset elsewhere is refused', async () => {
    await using app = await startApp({ tree: {} })
    const admin = await app.as('admin')
    await admin.fetch('/api/tus/a.bin', { method: 'POST', headers: { 'Upload-Length': '5' } })
    for (const offset of ['-1', '1', '6', '99999999999999999999', '1e0', '']) {
      const headers = { ...TUS, 'Upload-Offset': offset }
      const response = await admin.fetch('/api/tus/a.bin', { method: 'PATCH', headers, body: 'x' })
      expect([400, 409, 413], offset).toContain(response.status)
    }
    expect((await readdir(app.tree.root)).includes('a.bin')).toBe(false)
  })
})

describe('CVE-2025-53893: a large file', () => {
  async function withLarge(
    name: string,
    test: (app: TestApp, growth: () => Promise<number>) => Promise<void>,
  ): Promise<void> {
    await using app = await startApp({ tree: {} })
    await writeFile(app.tree.at(name), 'first line\n')
    await truncate(app.tree.at(name), 2048 * MIB)
    const admin = await app.as('admin')
    await admin.fetch('/api/resources/')
    const before = await residentBytes(process.pid)
    await test(app, async () => (await residentBytes(process.pid)) - before)
  }

  it('is not put into the answer about it', async () => {
    await withLarge('large.txt', async (app, growth) => {
      const admin = await app.as('admin')
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => admin.fetch('/api/resources/large.txt')),
      )
      for (const response of answers) {
        const text = await response.text()
        expect(text.length).toBeLessThan(10_000)
        expect(JSON.parse(text)).not.toHaveProperty('content')
      }
      expect(await growth()).toBeLessThan(100 * MIB)
    })
  })

  it('is text for the editor up to 10 MiB and no further', async () => {
    await using app = await startApp({ tree: {} })
    await app.tree.add({ 'fits.txt': 'x'.repeat(10 * MIB), 'over.txt': 'x'.repeat(10 * MIB + 1) })
    const admin = await app.as('admin')
    const fits = (await (await admin.fetch('/api/resources/fits.txt')).json()) as object
    const over = (await (await admin.fetch('/api/resources/over.txt')).json()) as object
    expect(fits).toHaveProperty('content')
    expect(over).not.toHaveProperty('content')
  })

  it('in a request about it is refused past a mebibyte', async () => {
    await using app = await startApp({ tree: { 'a.txt': 'a' } })
    const admin = await app.as('admin')
    const body = `{"filler":"${'x'.repeat(2 * MIB)}"}`
    for (const [method, path] of [
      ['PUT', '/api/settings'],
      ['POST', '/api/users'],
      ['PUT', '/api/users/1'],
      ['DELETE', '/api/users/1'],
      ['POST', '/api/share/a.txt'],
    ] as const) {
      const response = await admin.fetch(path, { method, body })
      expect(response.status, path).toBe(400)
    }
  })
})

describe('CVE-2026-90928: subtitles', () => {
  it('of more than 10 MiB are refused without being read', async () => {
    await using app = await startApp({ tree: { 'long.srt': '', 'long.ass': '', 'film.mp4': '' } })
    for (const name of ['long.srt', 'long.ass']) await truncate(app.tree.at(name), 4096 * MIB)
    const admin = await app.as('admin')
    const before = await residentBytes(process.pid)
    for (const name of ['long.srt', 'long.ass'])
      expect((await admin.fetch(`/api/subtitle/${name}`)).status).toBe(413)
    expect((await residentBytes(process.pid)) - before).toBeLessThan(50 * MIB)
  })

  it('that take a careless reader for ever are read in no time', async () => {
    const evil = `1\n00:00:01,000 --> 00:00:02,000\n${'<'.repeat(500_000)}${'{'.repeat(500_000)}\n`
    await using app = await startApp({ tree: { 'evil.srt': evil, 'evil.ass': evil } })
    const admin = await app.as('admin')
    for (const name of ['evil.srt', 'evil.ass']) {
      const answer = admin.fetch(`/api/subtitle/${name}`).then((response) => response.text())
      await withDeadline(name, 60_000, answer)
    }
  })
})

describe('CVE-2026-82235: a picture that is a bomb', () => {
  it('is refused by its size in pixels, before memory is taken for them', async () => {
    await using app = await startApp({ tree: { ...(await pictureBombs()) } })
    const admin = await app.as('admin')
    for (const name of Object.keys(await pictureBombs()))
      for (const size of ['thumb', 'big'])
        for (const query of ['', '?display=true']) {
          const path = `/api/preview/${size}/${name}${query}`
          const response = await withDeadline(path, 60_000, admin.fetch(path))
          expect(response.status, path).toBe(413)
        }
    // Nor does it hold up the facts about it.
    const info = await (await admin.fetch('/api/resources/bomb.png')).json()
    expect(info).toMatchObject({ resolution: { width: 40_000, height: 40_000 } })
  })
})

/** Headers that claim 1.6 gigapixels, in formats with a decoder each. */
async function pictureBombs(): Promise<Record<string, Buffer>> {
  const side = 40_000
  const png = Buffer.alloc(33)
  png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])
  png.write('IHDR', 12)
  png.writeUInt32BE(side, 16)
  png.writeUInt32BE(side, 20)
  png.set([1, 0, 0, 0, 0], 24)
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  const data = Buffer.from('000000004944415435af061e', 'hex')
  const bmp = Buffer.alloc(54)
  bmp.write('BM')
  bmp.writeUInt32LE(54, 10)
  bmp.writeUInt32LE(40, 14)
  bmp.writeInt32LE(side, 18)
  bmp.writeInt32LE(side, 22)
  bmp.writeUInt16LE(1, 26)
  bmp.writeUInt16LE(24, 28)
  const small = sharp({ create: { width: 8, height: 8, channels: 3, background: '#369' } })
  const jpeg = await small.jpeg().toBuffer()
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
  jpeg.writeUInt16BE(side, frame + 5)
  jpeg.writeUInt16BE(side, frame + 7)
  return { 'bomb.png': Buffer.concat([png, data]), 'bomb.bmp': bmp, 'bomb.jpg': jpeg }
}

describe('expressions in rules', () => {
  it('take linear time', async () => {
    const raw = '(a+)+$|(a|a)*b|(.*)*c'
    await using app = await startApp({
      tree: { [`${'a'.repeat(200)}!`]: 'x' },
      settings: { rules: [{ regex: true, allow: false, path: '', regexp: { raw } }] },
    })
    const admin = await app.as('admin')
    const path = `/api/resources/${'a'.repeat(200)}!`
    await withDeadline('the verdict', 60_000, admin.fetch(path))
  })
})

it('ranges that overlap a thousand times are not served a thousand times', async () => {
  await using app = await startApp({ tree: { 'a.bin': 'x'.repeat(100_000) } })
  const admin = await app.as('admin')
  const ranges = Array.from({ length: 1000 }, () => '0-').join(',')
  const response = await admin.fetch('/api/raw/a.bin', { headers: { Range: `bytes=${ranges}` } })
  expect((await response.arrayBuffer()).byteLength).toBeLessThanOrEqual(100_000)
})
