import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readChecksum } from '../../src/dav/checksum.ts'
import { readContentRange, readUpdateRange } from '../../src/dav/parts.ts'

describe('X-Update-Range', () => {
  it.each([
    ['append', 10],
    ['bytes=3-6', 3],
    ['bytes=4-', 4],
    ['bytes=12-', 12],
    ['bytes=-5', 5],
  ])('%s begins at %i', (header, offsetBytes) => {
    expect(readUpdateRange(header, 10, 4)).toMatchObject({ offsetBytes, lengthBytes: 4 })
  })

  it.each([
    ['bytes=3-7', 416],
    ['bytes=7-3', 416],
    ['bytes=-11', 416],
    ['bytes=-', 400],
    ['bytes=a-b', 400],
    ['lines=1-2', 400],
    ['', 400],
  ])('%j is refused', (header, status) => {
    expect(() => readUpdateRange(header, 10, 4)).toThrow(expect.objectContaining({ status }))
  })
})

describe('Content-Range', () => {
  it('says where, how much and of how much', () => {
    expect(readContentRange('bytes 2-4/9')).toEqual({
      offsetBytes: 2,
      lengthBytes: 3,
      totalBytes: 9,
    })
    expect(readContentRange('bytes 2-2/*').totalBytes).toBeNull()
  })

  it.each(['bytes 4-2/9', 'bytes 2-9/9', 'bytes */9', 'bytes=2-4', '', 'bytes 1-'])(
    '%j is refused',
    (header) => {
      expect(() => readContentRange(header)).toThrow('Content-Range')
    },
  )
})

describe('OC-Checksum', () => {
  const CHUNKS = [Buffer.alloc(70_000, 255), Buffer.from('Wikipedia')]
  const holds = (header: string, chunks: Buffer[] = CHUNKS) => {
    const sum = readChecksum(header)
    for (const chunk of chunks) sum?.add(chunk)
    return sum?.holds()
  }

  it('is that of all chunks, by each kind', () => {
    for (const kind of ['SHA1', 'SHA256', 'MD5', 'sha1']) {
      const hex = createHash(kind.toLowerCase()).update(Buffer.concat(CHUNKS)).digest('hex')
      expect(holds(`${kind}:${hex.toUpperCase()}`), kind).toBe(true)
      expect(holds(`${kind}:00${hex.slice(2)}`), kind).toBe(false)
    }
    // As zlib has them.
    expect(holds('ADLER32:11e60398', [Buffer.from('Wikipedia')])).toBe(true)
    expect(holds('Adler32:00000001', [])).toBe(true)
    expect(holds('Adler32:1eca7218')).toBe(true)
  })

  it('of a kind that nobody knows says nothing', () => {
    expect(readChecksum('CRC32:00000000')).toBeNull()
    expect(readChecksum('')).toBeNull()
  })
})
