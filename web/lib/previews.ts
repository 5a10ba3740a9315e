// Which files are light enough for a small picture of them.

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

/** True when a thumbnail of the file is a few KiB, or the whole file little more. */
export function isLightThumbnail({
  name,
  type,
  size,
}: Pick<FileEntry, 'name' | 'type' | 'size'>): boolean {
  return type === 'video' || DRAWN.has(extensionOf(name)) || size <= MAX_WHOLE_BYTES
}

/** Whether the server makes a picture of such a file. */
export function isPictured({ name, type }: Pick<FileEntry, 'name' | 'type'>): boolean {
  return (
    type === 'image' || type === 'video' || type === 'pdf' || CAMERA_RAW.includes(extensionOf(name))
  )
}
