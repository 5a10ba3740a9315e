// Boxes of the ISO base media file format (ISO/IEC 14496-12): HEIF and AVIF pictures, Canon's CR3.
import type { BoundedReader } from './bounded-reader.ts'

const MAX_BOXES = 64

export interface Box {
  type: string
  /** Where its content begins, after size and type. */
  start: number
  end: number
}

/** The boxes in a part of a file, the first ones if there are many; damaged ones end the list. */
export async function listBoxes(
  reader: BoundedReader,
  start: number,
  end: number,
  mostBoxes = MAX_BOXES,
): Promise<Box[]> {
  const boxes: Box[] = []
  for (let at = start; at + 8 <= end && boxes.length < mostBoxes; ) {
    const head = await reader.read(at, 16)
    const box = boxAt(head, 0, at, end)
    if (!box) break
    boxes.push(box)
    at = box.end
  }
  return boxes
}

/** The boxes in bytes that are read already; places are those in `bytes`. */
export function boxesIn(bytes: Buffer, start: number, mostBoxes = MAX_BOXES): Box[] {
  const boxes: Box[] = []
  for (let at = start; at + 8 <= bytes.length && boxes.length < mostBoxes; ) {
    const box = boxAt(bytes, at, at, bytes.length)
    if (!box) break
    boxes.push(box)
    at = box.end
  }
  return boxes
}

/** The box whose head is at `offset` of `bytes` and at `at` of the file. */
function boxAt(bytes: Buffer, offset: number, at: number, end: number): Box | null {
  if (bytes.length < offset + 8) return null
  const short = bytes.readUInt32BE(offset)
  const long = short === 1
  if (long && bytes.length < offset + 16) return null
  const size = long ? Number(bytes.readBigUInt64BE(offset + 8)) : short === 0 ? end - at : short
  const head = long ? 16 : 8
  if (size < head || at + size > end) return null
  return {
    type: bytes.toString('latin1', offset + 4, offset + 8),
    start: at + head,
    end: at + size,
  }
}
