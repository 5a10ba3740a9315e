import type { FileEntry } from '../../src/api-types.ts'
import { extensionOf } from './file-class.ts'

/** Raw files of cameras, shown by the picture they carry; the server's type tells nothing of them. */
const CAMERA_RAW = ['cr2', 'cr3', 'nef', 'arw', 'dng', 'raf', 'orf']

/** What the server draws small, as `src/files/preview/previews.ts` has it; films it tells by their type. */
const DRAWN = new Set([
  ...'jpg jpeg jpe jfif png gif tif tiff webp avif bmp heic heif hif pdf'.split(' '),
  ...CAMERA_RAW,
])
/** Other pictures are sent whole: above this they are no thumbnail. */
const MAX_WHOLE_BYTES = 1 << 20

type Pictured = Pick<FileEntry, 'name' | 'type'>

/** Whether the server makes a picture of such a file. */
export function isPictured({ name, type }: Pictured): boolean {
  return (
    type === 'image' || type === 'video' || type === 'pdf' || CAMERA_RAW.includes(extensionOf(name))
  )
}

/** True when the file has a thumbnail of a few KiB, or is as a whole little more. */
export function hasThumbnail(entry: Pictured & Pick<FileEntry, 'size'>): boolean {
  const isLight =
    entry.type === 'video' || DRAWN.has(extensionOf(entry.name)) || entry.size <= MAX_WHOLE_BYTES
  return isLight && isPictured(entry)
}
