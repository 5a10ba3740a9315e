import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { storeZip } from '../../../web/lib/store-zip.ts'
import {
  listZip,
  type ReadRange,
  readZipEntry,
  ZipError,
} from '../../../web/viewers/archive/zip-reader.ts'
import { SAMPLES } from '../../support/pictures.ts'

function rangesOf(bytes: Uint8Array, asked: [number, number][] = []): ReadRange {
  return async (start, end) => {
    asked.push([start, end])
    return new Uint8Array(bytes.slice(start, end)).buffer
  }
}

const pack = readFileSync(join(SAMPLES, 'pack.zip'))

describe('reading a ZIP by ranges', () => {
  it('lists names, sizes and folders', async () => {
    const { entries, truncated } = await listZip(rangesOf(pack), pack.length, 100)
    expect(truncated).toBe(false)
    const found = entries.map(({ name, sizeBytes }) => [name, sizeBytes])
    expect(found).toContainEqual(['readme.txt', 19])
    expect(found).toContainEqual(['umlaut-ä.txt', 3])
  })

  it('unpacks one entry without reading the others', async () => {
    const asked: [number, number][] = []
    const read = rangesOf(pack, asked)
    const { entries } = await listZip(read, pack.length, 100)
    asked.length = 0
    const entry = entries.find(({ name }) => name === 'deep/er/note.md')
    if (!entry) throw new Error('no entry')
    expect(new TextDecoder().decode(await readZipEntry(read, entry, 100))).toBe('# Deep\n')
    const bytes = asked.reduce((sum, [start, end]) => sum + end - start, 0)
    expect(bytes).toBeLessThan(100)
  })

  it('stops listing at the limit', async () => {
    const list = await listZip(rangesOf(pack), pack.length, 2)
    expect(list.entries).toHaveLength(2)
    expect(list.truncated).toBe(true)
  })

  it('refuses what is no archive', async () => {
    const noise = new Uint8Array(5000).fill(7)
    await expect(listZip(rangesOf(noise), noise.length, 10)).rejects.toMatchObject({
      reason: 'damaged',
    })
  })

  it('refuses a directory that lies outside the file', async () => {
    const broken = Buffer.from(pack)
    broken.writeUInt32LE(0x7fffffff, broken.length - 6)
    await expect(listZip(rangesOf(broken), broken.length, 10)).rejects.toMatchObject({
      reason: 'damaged',
    })
  })

  it('never unpacks more than the limit, whatever the entry claims', async () => {
    const packed = deflateRawSync(Buffer.alloc(5_000_000))
    const header = Buffer.alloc(30)
    header.write('PK\x03\x04', 'latin1')
    const file = Buffer.concat([header, packed])
    const entry = {
      name: 'zeros',
      isDir: false,
      sizeBytes: 10,
      compressedBytes: packed.length,
      modified: new Date(0),
      encrypted: false,
      method: 8,
      headerAt: 0,
    }
    await expect(readZipEntry(rangesOf(file), entry, 1_000_000)).rejects.toMatchObject({
      reason: 'too_large',
    })
    expect(await readZipEntry(rangesOf(file), entry, 5_000_000)).toHaveLength(5_000_000)
  })

  it('names the reason when data is damaged or locked', async () => {
    const { entries } = await listZip(rangesOf(pack), pack.length, 100)
    const entry = entries.find(({ name }) => name === 'pictures/dawn.jpg')
    if (!entry) throw new Error('no entry')
    const damaged = Buffer.from(pack)
    damaged.fill(0xff, entry.headerAt + 60, entry.headerAt + 400)
    await expect(readZipEntry(rangesOf(damaged), entry, 1e9)).rejects.toBeInstanceOf(ZipError)
    const locked = readZipEntry(rangesOf(pack), { ...entry, encrypted: true }, 1e9)
    await expect(locked).rejects.toMatchObject({ reason: 'encrypted' })
  })
})

describe('storing parts anew', () => {
  it('gives an archive with the same content and nothing compressed', async () => {
    const parts: [string, Uint8Array<ArrayBuffer>][] = [
      ['a.txt', new TextEncoder().encode('first')],
      ['über/b.xml', new TextEncoder().encode('<second/>')],
    ]
    const zip = storeZip(parts)
    const read = rangesOf(zip)
    const { entries } = await listZip(read, zip.length, 10)
    expect(entries.map(({ name, method }) => [name, method])).toEqual([
      ['a.txt', 0],
      ['über/b.xml', 0],
    ])
    for (const [index, entry] of entries.entries()) {
      expect(await readZipEntry(read, entry, 100)).toEqual(parts[index]?.[1])
    }
  })
})
