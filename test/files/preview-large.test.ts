import { stat, writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { PreviewJob } from '../../src/files/preview-protocol.ts'
import { renderPreview } from '../../src/files/preview-render.ts'
import { makeTree } from '../support/tree.ts'

const background = '#336699'

describe('previews of very large pictures', () => {
  it('shows a photograph of 108 megapixels in our interface, and keeps the old limit elsewhere', async () => {
    await using tree = await makeTree({})
    const file = tree.at('large.jpg')
    const photo = sharp({ create: { width: 12_000, height: 9_000, channels: 3, background } })
    await writeFile(file, await photo.jpeg({ quality: 50 }).toBuffer())
    const { size } = await stat(file)
    const job = { kind: 'image', size: 'big', display: true } as PreviewJob
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
    const job = { kind: 'image', size: 'big', display: true } as PreviewJob
    await expect(renderPreview(job, file, bytes.length)).rejects.toMatchObject({
      failure: 'too_large',
    })
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
    const job = { kind: 'image', size: 'big', display: true } as PreviewJob
    await expect(renderPreview(job, file, header.length)).rejects.toThrow()
  })
})
