// Which files are light enough for a small picture of them.

import type { FileEntry } from '../../src/api-types.ts'
import { extensionOf } from './file-class.ts'

/** What the server draws small, as `src/files/thumbs.ts` has it; films it tells by their type. */
const DRAWN = new Set(
  'jpg jpeg jpe jfif png gif tif tiff webp avif bmp heic heif hif pdf'.split(' '),
)
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
