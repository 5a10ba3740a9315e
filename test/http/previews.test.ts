import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { OpenedApp } from '../support/app.ts'
import { openApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { SAMPLES } from '../support/pictures.ts'
import { rawFiles } from '../support/raw-files.ts'

const sample = (name: string): Promise<Buffer> => readFile(join(SAMPLES, name))

async function png(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#336699' } })
    .png()
    .toBuffer()
}

interface Seen {
  status: number
  type: string | null
  width?: number
  height?: number
}

async function look(app: OpenedApp, path: string, as = 'admin'): Promise<Seen> {
  const response = await (await app.as(as)).fetch(path)
  const bytes = Buffer.from(await response.arrayBuffer())
  const seen = { status: response.status, type: response.headers.get('content-type') }
  if (response.status !== 200) return seen
  const { width, height } = await sharp(bytes).metadata()
  return { ...seen, width, height }
}

describe('thumbnails', () => {
  it.each([
    'picture.jpg',
    'picture.png',
    'picture.webp',
    'picture.avif',
    'picture.tiff',
    'picture.bmp',
    'picture.heic',
    'turned.jpg',
    'paper.pdf',
  ])('are made of %s, labelled as what they are', async (name) => {
    await using app = await openApp({ tree: { [name]: await sample(name) } })
    const seen = await look(app, `/api/preview/thumb/${name}?inline=true&display=true`)
    expect(seen).toEqual({ status: 200, type: 'image/jpeg', width: 256, height: 256 })
  })

  it('of videos: the log says at the start whether there will be any', async () => {
    await using app = await openApp({ config: { ffmpegPath: 'no-such-program' } })
    await waitFor('the line', () =>
      app.log.some((line) => line.includes('no-such-program was not')),
    )
  })

  it('are made of videos when ffmpeg is there', async ({ skip }) => {
    skip(!existsSync('/usr/bin/ffmpeg'), 'ffmpeg is missing: sudo apt-get install ffmpeg')
    await using app = await openApp({
      tree: { 'film.mp4': await sample('film.mp4'), 'fake.mp4': 'no film' },
      config: { ffmpegPath: 'ffmpeg' },
    })
    const seen = await look(app, '/api/preview/thumb/film.mp4?inline=true')
    expect(seen).toEqual({ status: 200, type: 'image/jpeg', width: 256, height: 256 })
    expect((await look(app, '/api/preview/thumb/fake.mp4')).status).toBe(501)
  })

  it('are not made of films larger than any screen', async ({ skip }) => {
    skip(!existsSync('/usr/bin/ffmpeg'), 'ffmpeg is missing: sudo apt-get install ffmpeg')
    await using app = await openApp({ config: { ffmpegPath: 'ffmpeg' } })
    const input = ['-f', 'lavfi', '-i', 'color=black:s=12000x6000:d=0.04', '-frames:v', '1']
    const path = app.tree.at('wall.avi')
    execFileSync('ffmpeg', ['-v', 'error', ...input, '-c:v', 'mjpeg', '-pix_fmt', 'gray', path])
    expect((await look(app, '/api/preview/thumb/wall.avi')).status).toBe(501)
  })

  it('of videos are not made when ffmpeg is switched off', async () => {
    const tree = { 'film.mp4': await sample('film.mp4') }
    await using app = await openApp({ tree, config: { ffmpegPath: '' } })
    expect((await look(app, '/api/preview/thumb/film.mp4')).status).toBe(501)
  })

  it('never read what a video container names', async () => {
    const list = '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n'
    await using app = await openApp({
      tree: { 'list.mp4': list },
      config: { ffmpegPath: 'ffmpeg' },
    })
    expect((await look(app, '/api/preview/thumb/list.mp4')).status).toBe(501)
  })
})

describe('a small picture that a page shows', () => {
  it('is nothing where none can be made, and no fault', async () => {
    await using app = await openApp({
      tree: { 'a.pdf': 'no paper', 'a.png': 'no picture', 'a.txt': 'a' },
    })
    const status = async (path: string) => (await look(app, `/api/preview/${path}`)).status
    for (const [name, failure] of [
      ['a.pdf', 501],
      ['a.png', 500],
      ['a.txt', 501],
    ] as const) {
      expect(await status(`thumb/${name}?inline=true`)).toBe(failure)
      expect(await status(`big/${name}?display=true`)).toBe(failure)
      expect(await status(`thumb/${name}?inline=true&display=true`)).toBe(204)
    }
    expect(await status('thumb/gone.png?display=true')).toBe(404)
  })
})

describe('previews', () => {
  it('turn a photograph upright and fit it into 1080 pixels', async () => {
    const turned = await sharp(await png(1600, 800))
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer()
    await using app = await openApp({ tree: { 'a.JPG': turned } })
    const seen = await look(app, '/api/preview/big/a.JPG?inline=true')
    expect(seen).toEqual({ status: 200, type: 'image/jpeg', width: 540, height: 1080 })
  })

  it('give formats browsers do not read in full width and height when asked', async () => {
    const grey = sharp({ create: { width: 1500, height: 1200, channels: 3, background: '#888' } })
    const tree = {
      'a.tiff': await grey.tiff().toBuffer(),
      'a.heic': await sample('picture.heic'),
      'a.png': await png(1500, 1200),
    }
    await using app = await openApp({ tree })
    const full = (name: string) => look(app, `/api/preview/big/${name}?inline=true&display=full`)
    const jpeg = { status: 200, type: 'image/jpeg' }
    expect(await full('a.tiff')).toEqual({ ...jpeg, width: 1500, height: 1200 })
    const limited = await look(app, '/api/preview/big/a.tiff?inline=true&display=true')
    expect(limited).toEqual({ ...jpeg, width: 1080, height: 864 })
    expect(await full('a.heic')).toEqual({ ...jpeg, width: 1200, height: 800 })
    // Browsers have the file itself for this.
    expect(await full('a.png')).toMatchObject({ status: 200, width: 1080 })
  })

  it('are made of what browsers do not read even when they are switched off', async () => {
    const tree = { 'a.heic': await sample('picture.heic'), 'a.png': await png(1500, 1200) }
    await using app = await openApp({ tree, config: { resizePreview: false } })
    const heic = '/api/preview/big/a.heic?inline=true'
    expect((await look(app, `${heic}&display=true`)).type).toBe('image/jpeg')
    expect((await look(app, `${heic}&display=full`)).type).toBe('image/jpeg')
    // Other clients get the file (docs/http-api.md 13).
    const raw = await (await app.as('admin')).fetch(heic)
    expect(raw.headers.get('content-type')).toBe('image/heic')
    const whole = await look(app, '/api/preview/big/a.png?inline=true&display=true')
    expect(whole).toMatchObject({ type: 'image/png', width: 1500 })
  })

  it('send a file that fits already as it is', async () => {
    const small = await png(300, 200)
    await using app = await openApp({ tree: { 'a.png': small } })
    const response = await (await app.as('admin')).fetch('/api/preview/big/a.png?inline=true')
    expect(Buffer.from(await response.arrayBuffer()).equals(small)).toBe(true)
  })

  it('refuse pictures wider or higher than 10,000 pixels and damaged ones', async () => {
    await using app = await openApp({
      tree: { 'wide.png': await png(10_001, 2), 'broken.png': 'not a picture' },
    })
    expect((await look(app, '/api/preview/thumb/wide.png')).status).toBe(413)
    expect((await look(app, '/api/preview/thumb/broken.png')).status).toBe(500)
    // The process that made them is as good as before.
    expect((await look(app, '/api/preview/thumb/wide.png')).status).toBe(413)
  })

  it('are 501 for a document that does not open', async () => {
    await using app = await openApp({ tree: { 'broken.pdf': '%PDF-1.7\nno document' } })
    expect((await look(app, '/api/preview/thumb/broken.pdf')).status).toBe(501)
    expect(app.errors).toEqual([])
  })

  it('are 501 for text and folders, 400 for other sizes, 202 without the right to download', async () => {
    await using app = await openApp({
      tree: { 'a.txt': 'a', 'a.png': await png(9, 9), folder: null, 'folder.png': null },
      users: [{ username: 'mona', perm: { ...noDownload } }],
    })
    expect((await look(app, '/api/preview/thumb/a.txt')).status).toBe(501)
    expect((await look(app, '/api/preview/thumb/folder/')).status).toBe(501)
    expect((await look(app, '/api/preview/thumb/folder.png')).status).toBe(501)
    expect((await look(app, '/api/preview/huge/a.png')).status).toBe(400)
    expect((await look(app, '/api/preview/thumb/a.png', 'mona')).status).toBe(202)
  })

  it('answer 304 for what the browser has, and parts when asked', async () => {
    await using app = await openApp({ tree: { 'a.png': await png(2000, 500) } })
    const admin = await app.as('admin')
    const path = '/api/preview/big/a.png?inline=true'
    const whole = await admin.fetch(path)
    const bytes = Buffer.from(await whole.arrayBuffer())
    const modified = whole.headers.get('last-modified') ?? ''
    const again = await admin.fetch(path, { headers: { 'If-Modified-Since': modified } })
    expect(again.status).toBe(304)
    const part = await admin.fetch(path, { headers: { Range: 'bytes=0-3' } })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe(`bytes 0-3/${bytes.length}`)
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(0, 4))).toBe(true)
    const changed = { Range: 'bytes=0-3', 'If-Range': new Date(0).toUTCString() }
    const anew = await admin.fetch(path, { headers: changed })
    expect(anew.status).toBe(200)
    expect(Buffer.from(await anew.arrayBuffer()).equals(bytes)).toBe(true)
  })

  it('run nothing when opened in a tab', async () => {
    await using app = await openApp({
      tree: { 'a.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>' },
    })
    const response = await (await app.as('admin')).fetch('/api/preview/thumb/a.svg?inline=true')
    expect(response.headers.get('content-type')).toBe('image/svg+xml')
    expect(response.headers.get('content-security-policy')).toMatch(/sandbox|script-src 'none'/)
  })

  it('show the file as it is now, not as it was a moment ago', async () => {
    await using app = await openApp({ tree: { 'a.png': await png(400, 400) } })
    const admin = await app.as('admin')
    const colourOf = async (): Promise<number | undefined> => {
      const response = await admin.fetch('/api/preview/thumb/a.png?inline=true')
      return (await sharp(Buffer.from(await response.arrayBuffer())).stats()).channels[0]?.mean
    }
    expect(await colourOf()).toBeCloseTo(0x33, -1)
    await app.tree.add({
      'a.png': await sharp({
        create: { width: 400, height: 400, channels: 3, background: '#ee0000' },
      })
        .png()
        .toBuffer(),
    })
    expect(await colourOf()).toBeCloseTo(0xee, -1)
  })

  it('are made once for many who ask at the same time', async () => {
    await using app = await openApp({ tree: { 'a.jpg': await sample('picture.jpg') } })
    const admin = await app.as('admin')
    const all = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await admin.fetch('/api/preview/thumb/a.jpg?inline=true')
        return `${response.status} ${(await response.arrayBuffer()).byteLength}`
      }),
    )
    expect(new Set(all).size).toBe(1)
  })

  it('of a share need its password', async () => {
    await using app = await openApp({ tree: { 'shared/a.png': await png(400, 400) } })
    const admin = await app.as('admin')
    const body = JSON.stringify({ password: 'open sesame 42', expires: '', unit: '' })
    const made = await admin.fetch('/api/share/shared/', { method: 'POST', body })
    const { hash } = (await made.json()) as { hash: string }
    const path = `/api/public/preview/thumb/${hash}/a.png?inline=true`
    expect((await app.fetch(path)).status).toBe(401)
    const headers = { 'X-SHARE-PASSWORD': encodeURIComponent('open sesame 42') }
    const seen = await app.fetch(path, { headers })
    expect([seen.status, seen.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect((await app.fetch(path.replace('/a.png', '/../a.png'), { headers })).status).not.toBe(200)
  })
})

const noDownload = {
  admin: false,
  execute: false,
  create: true,
  rename: true,
  modify: true,
  delete: true,
  share: false,
  download: false,
}

it('leaves no preview process behind', async () => {
  const app = await openApp({ tree: { 'a.png': await png(400, 400) } })
  await look(app, '/api/preview/thumb/a.png?inline=true')
  const children = (): string =>
    execFileSync('ps', ['-o', 'args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
  expect(children()).toContain('preview.process')
  await app[Symbol.asyncDispose]()
  await expect.poll(children).not.toContain('preview.process')
})

describe('a drawing that is called a picture', () => {
  const circles = '<circle r="9" filter="url(#f)"/>'.repeat(400)
  const turbulence =
    '<filter id="f" x="-9" y="-9" width="9999" height="9999"><feTurbulence numOctaves="200"/></filter>'
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="9000" height="9000">${turbulence}${circles}</svg>`

  it('is not drawn, keeps no preview waiting, and is not tried again', async () => {
    await using app = await openApp({
      tree: { 'slow.png': drawing, 'photo.jpg': await sample('picture.jpg') },
    })
    const slow = Promise.all([
      look(app, '/api/preview/thumb/slow.png'),
      look(app, '/api/preview/big/slow.png'),
    ])
    expect(await look(app, '/api/preview/thumb/photo.jpg?inline=true')).toMatchObject({
      status: 200,
    })
    for (const { status } of await slow) expect(status).toBe(500)
    expect((await look(app, '/api/preview/thumb/slow.png')).status).toBe(500)
    const again = app.log.filter((line) => line.includes('as before'))
    expect(again).toHaveLength(1)
    // Refused, not given up when its time was over.
    expect(again[0]).not.toContain('not made within')
  })
})

describe('the preview of a file that has gone', () => {
  const doors: [string, string, RequestInit][] = [
    ['deleted', '/api/resources/dir/a.jpg', { method: 'DELETE' }],
    ['in a deleted folder', '/api/resources/dir', { method: 'DELETE' }],
    ['saved anew', '/api/resources/dir/a.jpg', { method: 'PUT', body: 'new' }],
    ['uploaded anew', '/api/resources/dir/a.jpg?override=true', { method: 'POST', body: 'new' }],
    [
      'uploaded anew in parts',
      '/api/tus/dir/a.jpg?override=true',
      { method: 'POST', headers: { 'Upload-Length': '0' } },
    ],
    ['moved', '/api/resources/dir/a.jpg?action=rename&destination=/b.jpg', { method: 'PATCH' }],
    [
      'in a moved folder',
      '/api/resources/dir?action=rename&destination=/other',
      { method: 'PATCH' },
    ],
    [
      'replaced by a copy',
      '/api/resources/note.txt?action=copy&destination=/dir/a.jpg&override=true',
      { method: 'PATCH' },
    ],
    [
      'replaced by a move',
      '/api/resources/note.txt?action=rename&destination=/dir/a.jpg&override=true',
      { method: 'PATCH' },
    ],
    ['saved anew through a link', '/api/resources/link.jpg', { method: 'PUT', body: 'new' }],
  ]

  it.each(doors)('leaves the cache with it: %s', async (_, path, init) => {
    await using app = await openApp({
      tree: {
        'dir/a.jpg': await sample('picture.jpg'),
        'dirs.jpg': await sample('picture.jpg'),
        'note.txt': 'x',
        'link.jpg': { link: 'dir/a.jpg' },
      },
    })
    const cacheDir = join(app.tree.base, 'previews')
    await using kept = await openApp({ config: { cacheDir, root: app.tree.root } })
    const admin = await kept.as('admin')
    const thumb = async (name: string, size = 'thumb') =>
      (await admin.fetch(`/api/preview/${size}/${name}?display=true`)).status
    expect(await thumb('dirs.jpg')).toBe(200)
    expect(await thumb('dir/a.jpg')).toBe(200)
    expect(await thumb('dir/a.jpg', 'big')).toBe(200)
    // Of an earlier state, which only the index knows.
    await utimes(app.tree.at('dir/a.jpg'), 1_000, 1_000)
    expect(await thumb('dir/a.jpg')).toBe(200)
    const pictures = async () => {
      const names = await readdir(cacheDir, { recursive: true })
      return names.filter((name) => !name.startsWith('index') && /[0-9a-f]{40}$/.test(name)).length
    }
    expect(await pictures()).toBe(4)
    expect((await admin.fetch(path, init)).ok).toBe(true)
    expect(await pictures()).toBe(1)
    const noted = (await readdir(join(cacheDir, 'index'), { recursive: true })).filter((name) =>
      /[0-9a-f]{40}$/.test(name),
    )
    expect(noted).toHaveLength(1)
  })
})

describe('raw files of cameras', () => {
  const picture = (side: number, background: string) =>
    sharp({ create: { width: side, height: side / 2, channels: 3, background } })
      .jpeg()
      .toBuffer()
  const pictures = async () => ({
    small: await picture(160, '#cc0000'),
    large: await picture(1600, '#0000cc'),
  })
  const names = Object.keys(rawFiles({ small: Buffer.alloc(1), large: Buffer.alloc(1) }))

  it.each(names)('show the picture they carry: %s', async (name) => {
    await using app = await openApp({ tree: rawFiles(await pictures()) })
    const admin = await app.as('admin')
    for (const [size, width, height] of [
      ['thumb', 256, 256],
      ['big', 1080, 540],
    ]) {
      const answer = await admin.fetch(`/api/preview/${size}/${name}?inline=true&display=true`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
      const made = sharp(Buffer.from(await answer.arrayBuffer()))
      expect(await made.metadata()).toMatchObject({ width, height })
      const { dominant } = await made.stats()
      expect(dominant.b).toBeGreaterThan(150)
    }
    expect(await look(app, `/api/preview/big/${name}?inline=true&display=full`)).toMatchObject({
      width: 1600,
      height: 800,
    })
  })

  it.each(names.filter((name) => name !== 'a.raf'))('are turned as they say: %s', async (name) => {
    await using app = await openApp({ tree: rawFiles(await pictures(), 6) })
    expect(await look(app, `/api/preview/big/${name}?inline=true&display=true`)).toMatchObject({
      status: 200,
      width: 540,
      height: 1080,
    })
  })

  it('without a picture, damaged or endless have no preview, at once', async () => {
    const files = rawFiles(await pictures())
    const cut = Object.entries(files).map(([name, bytes]) => [
      `cut-${name}`,
      bytes.subarray(0, 200),
    ])
    const loop = Buffer.from('49492a000800000001004a010400ffffff0008000000080000', 'hex')
    await using app = await openApp({
      tree: { ...Object.fromEntries(cut), 'loop.nef': loop, 'empty.cr2': '', 'text.dng': 'II*' },
    })
    for (const name of [...names.map((each) => `cut-${each}`), 'loop.nef', 'empty.cr2', 'text.dng'])
      expect((await look(app, `/api/preview/thumb/${name}`)).status, name).toBe(501)
  })
})
