// Width and height of a picture for the `resolution` of file objects.
import { type PictureSize, readPictureSize } from '../files/pictures/picture-size.ts'
import type { At, Scope } from '../files/place/scope.ts'

/** Null when the format is unknown or the head is damaged. Rotation by EXIF is applied. */
export async function imageSizeOf(scope: Scope, at: At): Promise<PictureSize | null> {
  const file = await scope.openRead(at, 'see')
  try {
    return await readPictureSize(file.handle)
  } finally {
    await file.handle.close()
  }
}
