// Title, artist and cover of a song, read from the start of its file.

import { parseBuffer } from 'music-metadata'
import type { FileEntry } from '../../../src/api-types.ts'
import type { FileSource } from '../frame/source.ts'

/** Tags come first in most files; a cover seldom has more than this. */
const HEAD_BYTES = 2 * 1024 * 1024
/** MPEG-4 may have them last: read whole, when that is not much. */
const WHOLE_BYTES = 16 * 1024 * 1024

export interface AudioTags {
  title: string
  artist: string
  album: string
  cover: Blob | null
}

/** Null when the file has no tags that can be read. */
export async function readAudioTags(
  source: FileSource,
  entry: FileEntry,
  signal: AbortSignal,
): Promise<AudioTags | null> {
  const end = entry.size <= WHOLE_BYTES ? entry.size : HEAD_BYTES
  const bytes = new Uint8Array(await source.readRange(entry, 0, end, signal))
  try {
    const { common } = await parseBuffer(
      bytes,
      { path: entry.name, size: entry.size },
      {
        duration: false,
        skipPostHeaders: true,
      },
    )
    const picture = common.picture?.[0]
    return {
      title: common.title ?? '',
      artist: common.artist ?? common.albumartist ?? '',
      album: common.album ?? '',
      cover: picture ? coverBlob(picture.data, picture.format) : null,
    }
  } catch {
    // Cut off, damaged or unknown: the song plays all the same.
    return null
  }
}

/** Pictures only: what a tag calls its cover is shown, never run, and svg is left out altogether. */
function coverBlob(data: Uint8Array, format: string): Blob | null {
  const type = /^image\/(jpe?g|png|gif|webp|avif|bmp)$/.exec(format.toLowerCase())?.[0]
  return type ? new Blob([new Uint8Array(data)], { type }) : null
}
