import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { type PictureSize, readPictureSize } from '../../src/files/pictures/picture-size.ts'
import { SAMPLES } from '../support/pictures.ts'
import { makeTree } from '../support/tree.ts'

describe('the size of a picture', () => {
  it.each([
    ['drawing.svg', 1200, 800],
    ['moving.gif', 160, 120],
    ['picture.avif', 1200, 800],
    ['picture.bmp', 120, 80],
    ['picture.heic', 1200, 800],
    ['picture.ico', 64, 64],
    ['picture.jpg', 1200, 800],
    ['picture.png', 600, 400],
    ['picture.tiff', 600, 400],
    ['picture.webp', 1200, 800],
  ])('is read from the head of %s', async (name, width, height) => {
    expect((await look(join(SAMPLES, name))).size).toEqual({ width, height })
  })

  it('is that of the picture as it is shown, also when it was turned', async () => {
    expect((await look(join(SAMPLES, 'turned.jpg'))).size).toEqual({ width: 600, height: 400 })
  })

  it('is found behind 300 KiB of notes in front of a JPEG picture', async () => {
    await using tree = await makeTree({})
    const picture = await sharp(join(SAMPLES, 'picture.jpg')).jpeg().toBuffer()
    const note = Buffer.concat([Buffer.from([0xff, 0xe2, 0xff, 0xff]), Buffer.alloc(65_533)])
    const notes = Array.from({ length: 5 }, () => note)
    await writeFile(
      tree.at('noted.jpg'),
      Buffer.concat([picture.subarray(0, 2), ...notes, picture.subarray(2)]),
    )
    expect((await look(tree.at('noted.jpg'))).size).toEqual({ width: 1200, height: 800 })
  })

  it('costs at most 64 KiB and a few milliseconds, whatever the file was made of', async () => {
    await using tree = await makeTree({})
    const crafted: Record<string, Buffer> = {
      'boxes.png': boxes(26_000),
      'empty-boxes.png': Buffer.concat([
        box('ftyp', 'avif\0\0\0\0avif'),
        many(box('free'), 60_000),
      ]),
      'segments.jpg': Buffer.concat([
        Buffer.from('ffd8', 'hex'),
        many(Buffer.from('ffe00002', 'hex'), 130_000),
      ]),
      'fill.jpg': Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(500_000, 0xff)]),
      'associations.heic': associations(),
      'spaces.svg': Buffer.from(`<svg viewBox="${'1 '.repeat(250_000)}">`),
    }
    for (const [name, bytes] of Object.entries(crafted)) {
      await writeFile(tree.at(name), bytes)
      const { readBytes, ms } = await look(tree.at(name))
      expect(readBytes, name).toBeLessThanOrEqual(64 * 1024)
      expect(ms, name).toBeLessThan(500)
    }
  })

  it('is unknown for what is damaged or ends early', async () => {
    await using tree = await makeTree({})
    for (const name of ['picture.jpg', 'picture.heic', 'picture.webp', 'picture.tiff']) {
      const whole = await open(join(SAMPLES, name))
      const head = (await whole.read(Buffer.alloc(9), 0, 9, 0)).buffer
      await whole.close()
      await writeFile(tree.at(name), head)
      expect((await look(tree.at(name))).size, name).toBeNull()
    }
    await writeFile(tree.at('empty.png'), '')
    expect((await look(tree.at('empty.png'))).size).toBeNull()
  })
})

interface Look {
  size: PictureSize | null
  readBytes: number
  ms: number
}

async function look(file: string): Promise<Look> {
  const handle = await open(file)
  let readBytes = 0
  const counting = {
    read: async (buffer: Buffer, offset: number, length: number, position: number) => {
      const result = await handle.read(buffer, offset, length, position)
      readBytes += result.bytesRead
      return result
    },
  }
  const start = process.cpuUsage()
  const size = await readPictureSize(counting)
  await handle.close()
  const { user, system } = process.cpuUsage(start)
  return { size, readBytes, ms: (user + system) / 1000 }
}

function box(type: string, ...content: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(content.map((part) => Buffer.from(part)))
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.write(type, 4)
  return Buffer.concat([head, body])
}

function many(piece: Buffer, count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => piece))
}

const FTYP = box('ftyp', 'avif\0\0\0\0avif')
const EXTENT = box('ispe', '\0\0\0\0\0\0\0\x09\0\0\0\x09')

/** Half a megabyte of sizes, each of which another parser looked for in all of the others. */
function boxes(count: number): Buffer {
  const properties = box('iprp', box('ipco', many(EXTENT, count)))
  return Buffer.concat([FTYP, box('meta', '\0\0\0\0', properties)])
}

/** Says that it holds four thousand million associations. */
function associations(): Buffer {
  const list = box('ipma', Buffer.from('00000000ffffffff', 'hex'), Buffer.alloc(30_000))
  const primary = box('pitm', '\0\0\0\0\0\x09')
  return Buffer.concat([
    FTYP,
    box('meta', '\0\0\0\0', primary, box('iprp', box('ipco', EXTENT), list)),
  ])
}
