// Pictures saved turned or cropped (docs/http-api.md 39).
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { defaultPermissions } from '../../src/store/document.ts'
import { type OpenedApp, openApp } from '../support/app.ts'
import { SAMPLES } from '../support/pictures.ts'

const [WIDTH, HEIGHT] = [48, 32]

/** Pixels that no turn leaves as they were. */
function pixels(channels: 1 | 3): Buffer {
  return Buffer.from(
    Array.from({ length: WIDTH * HEIGHT * channels }, (_, n) => (n * 7 + (n >> 7) * 29) % 256),
  )
}

const plain = (channels: 1 | 3 = 3) =>
  sharp(pixels(channels), { raw: { width: WIDTH, height: HEIGHT, channels } })

/** As it is shown: turned by what the file says. */
function shown(bytes: Buffer) {
  return sharp(bytes, { autoOrient: true, ignoreIcc: true })
    .raw()
    .toBuffer({ resolveWithObject: true })
}

async function turnedBy(bytes: Buffer, degrees: number) {
  const { data, info } = await shown(bytes)
  const { width, height, channels } = info
  return sharp(data, { raw: { width, height, channels } })
    .rotate(degrees)
    .raw()
    .toBuffer({ resolveWithObject: true })
}

async function ask(
  app: OpenedApp,
  path: string,
  what: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const admin = await app.as('admin')
  return admin.fetch(`/api/pictures/${path}`, {
    method: 'POST',
    body: JSON.stringify(what),
    headers,
  })
}

async function expectTurned(name: string, before: Buffer, degrees: number): Promise<Buffer> {
  await using app = await openApp({ tree: { [name]: before } })
  expect((await ask(app, name, { rotate: degrees })).status).toBe(200)
  const after = await readFile(join(app.tree.root, name))
  const [expected, seen] = [await turnedBy(before, degrees), await shown(after)]
  expect([seen.info.width, seen.info.height]).toEqual([expected.info.width, expected.info.height])
  expect(seen.data.equals(expected.data)).toBe(true)
  return after
}

describe('a JPEG that is turned', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'keeps all its pixels (orientation %i)',
    async (orientation) => {
      const before = await plain().withMetadata({ orientation }).jpeg().toBuffer()
      const after = await expectTurned('a.jpg', before, 90)
      expect(after.length).toBe(before.length)
      const differing = before.filter((byte, at) => byte !== after[at])
      expect(differing.length).toBeLessThanOrEqual(2)
    },
  )

  it.each([90, 180, 270])('by %i degrees without EXIF data gets some', async (degrees) => {
    const bare = await plain().jpeg().toBuffer()
    const jfif = Buffer.from('ffe000104a46494600010100000100010000', 'hex')
    const before = Buffer.concat([bare.subarray(0, 2), jfif, bare.subarray(2)])
    const after = await expectTurned('a.jpg', before, degrees)
    expect(after.length).toBe(before.length + 36)
    // The block of JFIF stays first.
    expect(after.subarray(0, 20).equals(before.subarray(0, 20))).toBe(true)
    expect(after.subarray(56).equals(before.subarray(20))).toBe(true)
  })

  it('keeps EXIF data that said nothing of the way up', async () => {
    const block = await plain()
      .withExif({ IFD0: { Make: 'Maker' }, IFD2: { DateTimeOriginal: '2020:01:02 03:04:05' } })
      .jpeg()
      .toBuffer()
    const before = withoutOrientation(block)
    const after = await expectTurned('a.jpg', before, 270)
    const { exif, orientation } = await sharp(after).metadata()
    expect(orientation).toBe(8)
    expect(exif?.includes('Maker')).toBe(true)
    expect(exif?.includes('2020:01:02 03:04:05')).toBe(true)
  })

  it('is refused when nothing can be made of it', async () => {
    const broken = Buffer.from('ffd8ffe1001045786966000058580000000000ffd9', 'hex')
    await using app = await openApp({ tree: { 'a.jpg': broken, 'b.jpg': 'no picture' } })
    expect((await ask(app, 'a.jpg', { rotate: 90 })).status).toBe(415)
    expect((await ask(app, 'b.jpg', { rotate: 90 })).status).toBe(500)
    expect(await readFile(join(app.tree.root, 'a.jpg'))).toEqual(broken)
  })
})

/** The entry of the orientation renamed to one that nobody reads. */
function withoutOrientation(jpeg: Buffer): Buffer {
  const at = jpeg.indexOf(Buffer.from('1201030001000000', 'hex'))
  const changed = Buffer.from(jpeg)
  if (at >= 0) changed.writeUInt16LE(0x0111, at)
  return changed
}

describe('other formats', () => {
  const deep = () => {
    const data = Uint16Array.from({ length: WIDTH * HEIGHT * 3 }, (_, n) => (n * 977) % 65_536)
    return sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
  }

  it.each([
    ['a PNG', 'a.png', () => plain().withIccProfile('p3').png()],
    ['a grey PNG', 'a.png', () => plain(1).toColourspace('b-w').png()],
    ['a lossless WebP', 'a.webp', () => plain().webp({ lossless: true })],
    ['a TIFF', 'a.tif', () => plain().tiff()],
    [
      'a TIFF that was turned before',
      'a.tiff',
      () => plain().withMetadata({ orientation: 6 }).tiff(),
    ],
  ] as const)('%s keeps all its pixels', async (_, name, make) => {
    const before = await make().toBuffer()
    const after = await expectTurned(name, before, 90)
    const [was, is] = [await sharp(before).metadata(), await sharp(after).metadata()]
    expect([is.format, is.space, is.hasProfile]).toEqual([was.format, was.space, was.hasProfile])
  })

  it('a PNG of 16 bits keeps them', async () => {
    const before = await deep().toColourspace('rgb16').png().toBuffer()
    await using app = await openApp({ tree: { 'a.png': before } })
    await ask(app, 'a.png', { rotate: 180 })
    const of = (bytes: Buffer, degrees: number) =>
      sharp(bytes).rotate(degrees).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer()
    const after = await readFile(join(app.tree.root, 'a.png'))
    expect(await of(after, 0)).toEqual(await of(before, 180))
  })

  it('animations and what cannot be written are refused', async () => {
    const gif = await readFile(join(SAMPLES, 'moving.gif'))
    const moving = await sharp(gif, { animated: true }).webp().toBuffer()
    const still = await plain().png().toBuffer()
    const acTL = Buffer.from('000000086163544c000000020000000000000000', 'hex')
    const apng = Buffer.concat([still.subarray(0, 33), acTL, still.subarray(33)])
    const heic = await readFile(join(SAMPLES, 'picture.heic'))
    const tree = { 'a.gif': gif, 'a.webp': moving, 'a.png': apng, 'a.heic': heic }
    await using app = await openApp({ tree })
    for (const name of Object.keys(tree))
      expect([name, (await ask(app, name, { rotate: 90 })).status]).toEqual([name, 415])
  })
})

describe('a picture that is cropped', () => {
  const crop = { left: 8, top: 4, width: 16, height: 24 }

  it('has what was chosen of what is seen, upright', async () => {
    const before = await plain().withMetadata({ orientation: 6 }).png().toBuffer()
    await using app = await openApp({ tree: { 'a.png': before } })
    expect((await ask(app, 'a.png', { rotate: 90, crop })).status).toBe(200)
    const turned = await turnedBy(before, 90)
    const { width, height, channels } = turned.info
    const expected = await sharp(turned.data, { raw: { width, height, channels } })
      .extract(crop)
      .raw()
      .toBuffer()
    const after = await readFile(join(app.tree.root, 'a.png'))
    expect((await shown(after)).data.equals(expected)).toBe(true)
    expect((await sharp(after).metadata()).orientation ?? 1).toBe(1)
  })

  it('keeps the time it was taken, and nothing of what was cut away', async () => {
    const small = await plain().resize(16).jpeg({ quality: 40 }).toBuffer()
    const before = withThumbnail(
      await plain()
        .withExif({ IFD2: { DateTimeOriginal: '2020:01:02 03:04:05' } })
        .withIccProfile('p3')
        .jpeg()
        .toBuffer(),
      small,
    )
    expect(before.includes(small)).toBe(true)
    await using app = await openApp({ tree: { 'a.jpg': before } })
    expect((await ask(app, 'a.jpg', { crop })).status).toBe(200)
    const after = await readFile(join(app.tree.root, 'a.jpg'))
    const { exif, width, height, hasProfile } = await sharp(after).metadata()
    expect([width, height, hasProfile]).toEqual([16, 24, true])
    expect(exif?.includes('2020:01:02 03:04:05')).toBe(true)
    expect(after.includes(small.subarray(20))).toBe(false)
    // Its own small picture is made of what it shows.
    const admin = await app.as('admin')
    const thumb = await admin.fetch('/api/preview/thumb/a.jpg?inline=true')
    expect((await sharp(Buffer.from(await thumb.arrayBuffer())).metadata()).width).toBe(256)
  })

  it('becomes another file where that is asked for', async () => {
    const before = await plain().png().toBuffer()
    await using app = await openApp({ tree: { 'a.png': before } })
    expect((await ask(app, 'a.png', { crop, to: '/b.png' })).status).toBe(200)
    expect(await readFile(join(app.tree.root, 'a.png'))).toEqual(before)
    expect((await sharp(join(app.tree.root, 'b.png')).metadata()).width).toBe(16)
    expect((await ask(app, 'a.png', { crop, to: '/b.png' })).status).toBe(409)
  })

  it('needs the right to create for a copy, and to modify for itself', async () => {
    const tree = { 'a.png': await plain().png().toBuffer() }
    const without = (right: 'create' | 'modify') => ({
      username: right,
      perm: { ...defaultPermissions(), create: true, modify: true, download: true, [right]: false },
    })
    await using app = await openApp({ tree, users: [without('create'), without('modify')] })
    const status = async (username: string, to: object) => {
      const user = await app.as(username)
      const body = JSON.stringify({ crop, ...to })
      return (await user.fetch('/api/pictures/a.png', { method: 'POST', body })).status
    }
    expect(await status('create', { to: '/b.png' })).toBe(403)
    expect(await status('modify', {})).toBe(403)
    expect(await status('modify', { to: '/b.png' })).toBe(200)
    expect(await status('create', {})).toBe(200)
  })

  it('has an area within the picture', async () => {
    await using app = await openApp({ tree: { 'a.png': await plain().png().toBuffer() } })
    const large = { ...crop, width: WIDTH }
    expect((await ask(app, 'a.png', { crop: large })).status).toBe(415)
    expect((await ask(app, 'a.png', { crop: { ...crop, width: 0 } })).status).toBe(400)
    expect((await ask(app, 'a.png', { rotate: 45 })).status).toBe(400)
    expect((await ask(app, 'a.png', {})).status).toBe(400)
  })
})

/** A second directory with a small picture behind the EXIF data that a JPEG has. */
function withThumbnail(jpeg: Buffer, small: Buffer): Buffer {
  const at = jpeg.indexOf('Exif\0\0') - 4
  const bytes = jpeg.readUInt16BE(at + 2)
  const base = at + 10
  const first = base + jpeg.readUInt32LE(base + 4)
  const next = first + 2 + jpeg.readUInt16LE(first) * 12
  const end = at + 2 + bytes
  const directory = Buffer.alloc(2 + 24 + 4)
  directory.writeUInt16LE(2, 0)
  const entries = [
    [0x201, end - base + directory.length],
    [0x202, small.length],
  ] as const
  entries.forEach(([tag, value], n) => {
    const entry = 2 + n * 12
    directory.writeUInt16LE(tag, entry)
    directory.writeUInt16LE(4, entry + 2)
    directory.writeUInt32LE(1, entry + 4)
    directory.writeUInt32LE(value, entry + 8)
  })
  const changed = Buffer.from(jpeg)
  changed.writeUInt16BE(bytes + directory.length + small.length, at + 2)
  changed.writeUInt32LE(end - base, next)
  return Buffer.concat([changed.subarray(0, end), directory, small, changed.subarray(end)])
}

describe('saving', () => {
  it('is a change like others: only of what was seen, and what was there is a version', async () => {
    const before = await plain().jpeg().toBuffer()
    await using app = await openApp({ tree: { 'a.jpg': before }, config: { versions: true } })
    const stale = await ask(app, 'a.jpg', { rotate: 90 }, { 'If-Match': '"1"' })
    expect(stale.status).toBe(412)
    expect(await readFile(join(app.tree.root, 'a.jpg'))).toEqual(before)
    const etag = stale.headers.get('ETag') ?? ''
    const saved = await ask(app, 'a.jpg', { rotate: 90 }, { 'If-Match': etag })
    expect(saved.status).toBe(200)
    expect(saved.headers.get('ETag')).not.toBe(etag)
    const admin = await app.as('admin')
    const { items } = (await (await admin.fetch('/api/versions/a.jpg')).json()) as {
      items: { id: string }[]
    }
    const old = await admin.fetch(`/api/versions/a.jpg?id=${items[0]?.id}`)
    expect(Buffer.from(await old.arrayBuffer())).toEqual(before)
  })
})
