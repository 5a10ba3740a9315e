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
    const box = boxAt(await reader.read(at, 16), at, end)
    if (!box) break
    boxes.push(box)
    at = box.end
  }
  return boxes
}

/** The box with this head, which stands at `at` of the file. */
function boxAt(head: Buffer, at: number, end: number): Box | null {
  if (head.length < 8) return null
  const short = head.readUInt32BE(0)
  const long = short === 1
  if (long && head.length < 16) return null
  const size = long ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short
  const headBytes = long ? 16 : 8
  if (size < headBytes || at + size > end) return null
  return { type: head.toString('latin1', 4, 8), start: at + headBytes, end: at + size }
}
