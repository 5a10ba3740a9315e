import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  readPictureFacts,
  readTiffDirectory,
  tiffDirectoryOf,
} from '../../../web/viewers/picture/picture-facts.ts'
import { SAMPLES } from '../../support/pictures.ts'
import { rawFiles } from '../../support/raw-files.ts'

function factsOf(bytes: Uint8Array) {
  return readPictureFacts(new Uint8Array(bytes).buffer)
}

describe('width and height from the head of a file', () => {
  it.each([
    ['picture.jpg', 1200, 800],
    ['picture.png', 600, 400],
    ['picture.webp', 1200, 800],
    ['picture.avif', 1200, 800],
    ['picture.heic', 1200, 800],
    ['picture.tiff', 600, 400],
    ['picture.bmp', 120, 80],
    ['moving.gif', 160, 120],
    ['picture.ico', 64, 64],
  ])('reads %s', (name, width, height) => {
    expect(factsOf(readFileSync(join(SAMPLES, name)))).toEqual({ width, height })
  })

  it('gives the size as shown, after the orientation', () => {
    expect(factsOf(readFileSync(join(SAMPLES, 'turned.jpg')))).toEqual({ width: 600, height: 400 })
  })

  it('finds the size of a TIFF file that has its directory behind the pixels', () => {
    const bytes = readFileSync(join(SAMPLES, 'picture.tiff'))
    const directory = tiffDirectoryOf(new Uint8Array(bytes.subarray(0, 64)).buffer)
    if (!directory) throw new Error('not seen as a TIFF file')
    const rest = new Uint8Array(bytes.subarray(directory.at)).buffer
    expect(readTiffDirectory(rest, directory.little)).toEqual({ width: 600, height: 400 })
    expect(readTiffDirectory(rest.slice(0, 20), directory.little)).toBeNull()
    expect(tiffDirectoryOf(new TextEncoder().encode('just some words').buffer)).toBeNull()
  })

  it('takes the thumbnail in front of raw data for no size of the picture', () => {
    const files = rawFiles({ small: Buffer.alloc(9), large: Buffer.alloc(9) })
    for (const [name, bytes] of Object.entries(files)) expect(factsOf(bytes), name).toBeNull()
  })

  it('believes the picture inside an icon more than the list of them', () => {
    const icon = Buffer.alloc(22 + 24)
    icon.writeUInt16LE(1, 2)
    icon.writeUInt16LE(1, 4)
    icon.set([16, 16], 6)
    icon.writeUInt32LE(22, 18)
    icon.writeUInt32BE(0x89504e47, 22)
    icon.writeUInt32BE(40_000, 22 + 16)
    icon.writeUInt32BE(30_000, 22 + 20)
    expect(factsOf(icon)).toEqual({ width: 40_000, height: 30_000 })
  })

  it('knows nothing about other files and does not fail on cut ones', () => {
    expect(factsOf(new Uint8Array(0))).toBeNull()
    expect(factsOf(new TextEncoder().encode('just some words'))).toBeNull()
    for (const name of [
      'picture.jpg',
      'picture.png',
      'picture.webp',
      'picture.tiff',
      'turned.jpg',
    ]) {
      const bytes = readFileSync(join(SAMPLES, name))
      for (let length = 1; length < 200; length++) {
        expect(() => factsOf(bytes.subarray(0, length))).not.toThrow()
      }
    }
  })
})
