import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { PreviewJob } from '../../src/files/preview/protocol.ts'
import { createRenderer } from '../../src/files/preview/render.ts'
import { SAMPLES } from '../support/pictures.ts'
import { makeTree } from '../support/tree.ts'

const renderPreview = createRenderer()
const background = '#336699'
const memoryBytes = 410 * 1024 * 1024

describe('previews of very large pictures', () => {
  it('shows a photograph of 108 megapixels in our interface, and keeps the old limit elsewhere', async () => {
    await using tree = await makeTree({})
    const file = tree.at('large.jpg')
    const photo = sharp({ create: { width: 12_000, height: 9_000, channels: 3, background } })
    await writeFile(file, await photo.jpeg({ quality: 50 }).toBuffer())
    const { size } = await stat(file)
    const job = { kind: 'image', size: 'big', display: true, memoryBytes } as PreviewJob
    const made = await renderPreview(job, file, size)
    if (made === 'original') throw new Error('not made smaller')
    const { width, height } = await sharp(made.bytes).metadata()
    expect([width, height]).toEqual([1080, 810])
    await expect(renderPreview({ ...job, display: false }, file, size)).rejects.toMatchObject({
      failure: 'too_large',
    })
  })

  it('refuses a progressive photograph that would be kept in memory as a whole', async () => {
    await using tree = await makeTree({})
    const file = tree.at('progressive.jpg')
    const small = sharp({ create: { width: 64, height: 64, channels: 3, background } })
    const bytes = await small.jpeg({ progressive: true }).toBuffer()
    // The frame header (SOF2: FF C2, length, precision) gives height and width.
    const frame = bytes.indexOf(Buffer.from([0xff, 0xc2]))
    bytes.writeUInt16BE(16_000, frame + 5)
    bytes.writeUInt16BE(16_000, frame + 7)
    await writeFile(file, bytes)
    const job = { kind: 'image', size: 'big', display: true, memoryBytes } as PreviewJob
    await expect(renderPreview(job, file, bytes.length)).rejects.toMatchObject({
      failure: 'too_large',
    })
  })

  it('shows a long and narrow bitmap, and keeps the old limit elsewhere', async () => {
    await using tree = await makeTree({})
    const file = tree.at('long.bmp')
    const bytes = whiteBitmap(10_800, 4)
    await writeFile(file, bytes)
    const job = { kind: 'bmp', size: 'big', display: true, memoryBytes } as PreviewJob
    const made = await renderPreview(job, file, bytes.length)
    if (made === 'original') throw new Error('not made smaller')
    expect((await sharp(made.bytes).metadata()).width).toBe(1080)
    await expect(
      renderPreview({ ...job, display: false }, file, bytes.length),
    ).rejects.toMatchObject({ failure: 'too_large' })
  })

  it('judges a HEIC panorama by its pixels', async () => {
    await using tree = await makeTree({})
    const file = tree.at('panorama.heic')
    const bytes = await readFile(join(SAMPLES, 'picture.heic'))
    const job = { kind: 'heic', size: 'big', display: true, memoryBytes } as PreviewJob
    const renderAs = async (width: number, height: number, display: boolean) => {
      const size = bytes.indexOf('ispe')
      bytes.writeUInt32BE(width, size + 8)
      bytes.writeUInt32BE(height, size + 12)
      await writeFile(file, bytes)
      return renderPreview({ ...job, display }, file, bytes.length)
    }
    // Such a size is believed until the pixels are there, which are those of the sample.
    await expect(renderAs(16_000, 390, true)).rejects.toMatchObject({ failure: 'undecodable' })
    await expect(renderAs(16_000, 390, false)).rejects.toMatchObject({ failure: 'too_large' })
    await expect(renderAs(16_000, 16_000, true)).rejects.toMatchObject({ failure: 'too_large' })
    // What its decoder takes has to fit beside the others: 24 megapixels do, 28 do not.
    await expect(renderAs(4_900, 4_900, true)).rejects.toMatchObject({ failure: 'undecodable' })
    await expect(renderAs(5_300, 5_300, true)).rejects.toMatchObject({ failure: 'too_heavy' })
  })

  it('refuses a bitmap of 1.6 gigapixels before it is decoded', async () => {
    await using tree = await makeTree({})
    const file = tree.at('bomb.png')
    // A header is all that is needed to judge it.
    const header = Buffer.alloc(33)
    header.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])
    header.write('IHDR', 12)
    header.writeUInt32BE(40_000, 16)
    header.writeUInt32BE(40_000, 20)
    header[24] = 1
    await writeFile(file, header)
    const job = { kind: 'image', size: 'big', display: true, memoryBytes } as PreviewJob
    await expect(renderPreview(job, file, header.length)).rejects.toThrow()
  })
})

/** 24 bits a pixel; `width` a multiple of four, so that rows need no padding. */
function whiteBitmap(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(54 + width * height * 3, 0xff)
  bytes.fill(0, 0, 54)
  bytes.write('BM')
  bytes.writeUInt32LE(bytes.length, 2)
  bytes.writeUInt32LE(54, 10)
  bytes.writeUInt32LE(40, 14)
  bytes.writeInt32LE(width, 18)
  bytes.writeInt32LE(height, 22)
  bytes.writeUInt16LE(1, 26)
  bytes.writeUInt16LE(24, 28)
  return bytes
}
