// Width and height of an image from its first bytes, for the `resolution` of file objects.
import { imageSize } from 'image-size'
import type { Scope } from '../files/scope.ts'
import type { VPath } from '../files/vpath.ts'

/** Headers, with a large EXIF block in front, end well before this. */
const HEAD_BYTES = 512 * 1024

/** Null when the format is unknown or the header is damaged. Rotation by EXIF is applied. */
export async function imageSizeOf(
  scope: Scope,
  vpath: VPath,
): Promise<{ width: number; height: number } | null> {
  const file = await scope.openRead(vpath)
  try {
    const head = new Uint8Array(Math.min(HEAD_BYTES, file.sizeBytes))
    const { bytesRead } = await file.handle.read(head, 0, head.length, 0)
    const { width, height, orientation = 1 } = imageSize(head.subarray(0, bytesRead))
    return orientation >= 5 ? { width: height, height: width } : { width, height }
  } catch {
    return null
  } finally {
    await file.handle.close()
  }
}
