// What the head of a picture or film says, for `resolution` and `duration` of file objects.
import { readFilmLength } from '../files/pictures/film-length.ts'
import { type PictureSize, readPictureSize } from '../files/pictures/picture-size.ts'
import type { At, OpenFile, Scope } from '../files/place/scope.ts'

/** Null when the format is unknown or the head is damaged. Rotation by EXIF is applied. */
export async function imageSizeOf(scope: Scope, at: At): Promise<PictureSize | null> {
  return ofHead(scope, at, ({ handle }) => readPictureSize(handle))
}

/** In seconds; null when the film does not say it. */
export async function filmLengthOf(scope: Scope, at: At): Promise<number | null> {
  return ofHead(scope, at, ({ handle }) => readFilmLength(handle))
}

async function ofHead<T>(scope: Scope, at: At, read: (file: OpenFile) => Promise<T>): Promise<T> {
  const file = await scope.openRead(at, 'see')
  try {
    return await read(file)
  } finally {
    await file.handle.close()
  }
}
