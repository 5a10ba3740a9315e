import { describe, expect, it } from 'vitest'
import { readPhotoFacts } from '../../../web/lib/exif.ts'
import { modeText } from '../../../web/listing/details/mode-text.ts'

type Field = [tag: number, type: 2 | 3 | 4 | 5, value: string | number | [number, number][]]

/** A JPEG that is nothing but a header with an EXIF block, little-endian. */
function jpegWith(main: Field[], exif: Field[], gps: Field[]): ArrayBuffer {
  const bytes = new Uint8Array(2000)
  const view = new DataView(bytes.buffer)
  const base = 12
  let free = base + 600
  view.setUint16(0, 0xffd8)
  view.setUint16(2, 0xffe1)
  view.setUint16(4, 1900)
  bytes.set(new TextEncoder().encode('Exif'), 6)
  bytes.set(new TextEncoder().encode('II'), base)
  view.setUint16(base + 2, 42, true)
  view.setUint32(base + 4, 8, true)
  const write = (offset: number, fields: Field[]) => {
    view.setUint16(base + offset, fields.length, true)
    fields.forEach(([tag, type, value], i) => {
      const at = base + offset + 2 + i * 12
      view.setUint16(at, tag, true)
      view.setUint16(at + 2, type, true)
      if (typeof value === 'string') {
        view.setUint32(at + 4, value.length + 1, true)
        const place = value.length < 4 ? at + 8 : free
        if (place === free) {
          view.setUint32(at + 8, free - base, true)
          free += value.length + 1
        }
        bytes.set(new TextEncoder().encode(value), place)
      } else if (Array.isArray(value)) {
        view.setUint32(at + 4, value.length, true)
        view.setUint32(at + 8, free - base, true)
        for (const [top, bottom] of value) {
          view.setUint32(free, top, true)
          view.setUint32(free + 4, bottom, true)
          free += 8
        }
      } else {
        view.setUint32(at + 4, 1, true)
        if (type === 3) view.setUint16(at + 8, value, true)
        else view.setUint32(at + 8, value, true)
      }
    })
  }
  write(8, [...main, [0x8769, 4, 200], [0x8825, 4, 400]])
  write(200, exif)
  write(400, gps)
  return bytes.buffer
}

const photo = jpegWith(
  [
    [0x010f, 2, 'Canon'],
    [0x0110, 2, 'Canon EOS R6'],
  ],
  [
    [0x829a, 5, [[1, 250]]],
    [0x829d, 5, [[28, 10]]],
    [0x8827, 3, 400],
    [0x9003, 2, '2026:08:02 19:04:11'],
    [0x920a, 5, [[35, 1]]],
  ],
  [
    [1, 2, 'S'],
    [
      2,
      5,
      [
        [33, 1],
        [51, 1],
        [30, 1],
      ],
    ],
    [3, 2, 'E'],
    [
      4,
      5,
      [
        [151, 1],
        [12, 1],
        [0, 1],
      ],
    ],
  ],
)

describe('facts of a photograph', () => {
  it('reads camera, exposure, time and place', () => {
    expect(readPhotoFacts(photo)).toEqual({
      camera: 'Canon EOS R6',
      taken: '2026-08-02T19:04:11',
      exposureS: 1 / 250,
      aperture: 2.8,
      iso: 400,
      focalLengthMm: 35,
      latitude: -(33 + 51 / 60 + 30 / 3600),
      longitude: 151.2,
    })
  })

  it('survives being cut at any byte, and finds nothing in other files', () => {
    for (let end = 0; end < photo.byteLength; end += 7) {
      expect(() => readPhotoFacts(photo.slice(0, end))).not.toThrow()
    }
    expect(readPhotoFacts(new TextEncoder().encode('plain text, no picture').buffer)).toBeNull()
  })

  it('gives up on counts that no photograph has', () => {
    const damaged = photo.slice(0)
    new DataView(damaged).setUint16(12 + 200, 65_535, true)
    expect(() => readPhotoFacts(damaged)).not.toThrow()
  })
})

describe('modes in words', () => {
  it('reads the numbers of the wire', () => {
    expect(modeText(420)).toBe('-rw-r--r-- (644)')
    expect(modeText(2147484141)).toBe('drwxr-xr-x (755)')
    expect(modeText(0x08000000 + 511)).toBe('lrwxrwxrwx (777)')
  })
})
