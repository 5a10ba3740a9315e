import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFilmLength } from '../../src/files/pictures/film-length.ts'
import { SAMPLES } from '../support/pictures.ts'
import { makeTree } from '../support/tree.ts'

async function look(path: string) {
  await using file = await open(path)
  let readBytes = 0
  const seconds = await readFilmLength({
    async read(buffer, offset, length, position) {
      readBytes += length
      return file.read(buffer, offset, length, position)
    },
  })
  return { seconds, readBytes }
}

const box = (type: string, content = Buffer.alloc(0)) => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, content])
}

describe('the length of a film', () => {
  it.each([
    ['film.mp4', 4],
    ['film2.webm', 4],
    ['film3.mkv', 4],
  ])('is read from the head of %s', async (name, seconds) => {
    const { seconds: read, readBytes } = await look(join(SAMPLES, name))
    expect(read).toBeCloseTo(seconds, 0)
    expect(readBytes).toBeLessThan(2_000)
  })

  it('is found behind the pictures, and where it takes 64 bits', async () => {
    await using tree = await makeTree({})
    const header = Buffer.alloc(36)
    header.writeUInt8(1, 0)
    header.writeUInt32BE(1_000, 20)
    header.writeBigUInt64BE(108_000n, 24)
    const film = [box('ftyp'), box('mdat', Buffer.alloc(300_000)), box('moov', box('mvhd', header))]
    await writeFile(tree.at('late.mov'), Buffer.concat(film))
    expect(await look(tree.at('late.mov'))).toEqual({ seconds: 108, readBytes: expect.any(Number) })
  })

  it('is unknown for what is no film, cut or made to cost much, at most 64 KiB of which are read', async () => {
    await using tree = await makeTree({})
    const matroska = Buffer.from('1a45dfa380', 'hex')
    const crafted: Record<string, Buffer> = {
      'empty.mp4': Buffer.alloc(0),
      'text.mp4': Buffer.from('this is no film, whatever its name says'),
      'cut.mp4': Buffer.concat([box('ftyp'), Buffer.from('00000010', 'hex')]),
      'boxes.mp4': Buffer.concat([box('ftyp'), Buffer.concat(Array(60_000).fill(box('free')))]),
      'no-scale.mp4': box('moov', box('mvhd', Buffer.alloc(36))),
      'elements.mkv': Buffer.concat([
        matroska,
        Buffer.from('1853806701ffffffffffffff', 'hex'),
        Buffer.alloc(60_000, Buffer.from('ec80', 'hex')),
      ]),
      'cut.mkv': Buffer.concat([matroska, Buffer.from('18538067', 'hex'), Buffer.alloc(20)]),
      'odd.mkv': Buffer.concat([matroska, Buffer.alloc(40, 0)]),
    }
    for (const [name, bytes] of Object.entries(crafted)) {
      await writeFile(tree.at(name), bytes)
      const { seconds, readBytes } = await look(tree.at(name))
      expect(seconds, name).toBe(null)
      expect(readBytes, name).toBeLessThanOrEqual(64 * 1024)
    }
  })
})
