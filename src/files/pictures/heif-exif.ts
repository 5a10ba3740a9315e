// Where a HEIF picture has its EXIF data (ISO/IEC 23008-12, annex A; ISO/IEC 14496-12, 8.11).
import { type BoundedReader, readerOf } from './bounded-reader.ts'
import { listBoxes } from './boxes.ts'

const MAX_META_BYTES = 64 * 1024
const MAX_ITEMS = 2_000

/** Where the TIFF structure of the EXIF data begins; null without any. Throws RangeError for damaged files. */
export async function findExif(reader: BoundedReader): Promise<number | null> {
  const top = await listBoxes(reader, 0, Number.MAX_SAFE_INTEGER - 16, 8)
  const box = top.find(({ type }) => type === 'meta')
  if (!box) return null
  const meta = await reader.read(box.start, Math.min(box.end - box.start, MAX_META_BYTES))
  const parts = await listBoxes(readerOf(meta), 4, meta.length)
  const part = (wanted: string) => {
    const found = parts.find(({ type }) => type === wanted)
    return found && meta.subarray(found.start, found.end)
  }
  const [items, places] = [part('iinf'), part('iloc')]
  const id = items && (await exifItem(items))
  const at = places && id ? placeOf(places, id) : null
  if (at === null || at === undefined) return null
  // How far behind this number the structure begins; mostly behind "Exif" and two zeros.
  const skip = (await reader.read(at, 4)).readUInt32BE(0)
  return at + 4 + skip
}

/** The number of the item that is the EXIF data. */
async function exifItem(iinf: Buffer): Promise<number | null> {
  const isWide = iinf.readUInt8(0) > 0
  const start = isWide ? 8 : 6
  for (const { type, start: at } of await listBoxes(
    readerOf(iinf),
    start,
    iinf.length,
    MAX_ITEMS,
  )) {
    if (type !== 'infe') continue
    const version = iinf.readUInt8(at)
    if (version < 2) continue
    const kindAt = at + (version === 2 ? 8 : 10)
    if (iinf.toString('latin1', kindAt, kindAt + 4) !== 'Exif') continue
    return version === 2 ? iinf.readUInt16BE(at + 4) : iinf.readUInt32BE(at + 4)
  }
  return null
}

/** Where the first part of an item is in the file; null for one that is elsewhere. */
function placeOf(iloc: Buffer, wanted: number): number | null {
  const version = iloc.readUInt8(0)
  const sizes = iloc.readUInt16BE(4)
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15]
  const indexBytes = version === 0 ? 0 : sizes & 15
  let at = 6
  const next = (bytes: number): number => {
    if (bytes === 0) return 0
    at += bytes
    return bytes === 8
      ? Number(iloc.readBigUInt64BE(at - bytes))
      : iloc.readUIntBE(at - bytes, bytes)
  }
  const count = next(version < 2 ? 2 : 4)
  for (let n = 0; n < Math.min(count, MAX_ITEMS); n++) {
    const id = next(version < 2 ? 2 : 4)
    const isInFile = version === 0 || (next(2) & 15) === 0
    const source = next(2)
    const base = next(baseBytes)
    const extents = next(2)
    let first: number | null = null
    for (let extent = 0; extent < extents; extent++) {
      next(indexBytes)
      const offset = next(offsetBytes)
      next(lengthBytes)
      first ??= base + offset
    }
    if (id === wanted) return isInFile && source === 0 ? first : null
  }
  return null
}
