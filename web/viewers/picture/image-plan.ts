// Which bytes show a picture: the original when it is light enough, the server's preview first when
// it is heavy or in a format browsers do not read.

import type { FileEntry } from '../../../src/api-types.ts'
import type { PictureSize } from '../../api/files.ts'
import { boot } from '../../lib/boot.ts'
import { extensionOf } from '../../lib/file-class.ts'
import type { FileSource } from '../frame/source.ts'
import type { PictureFacts } from './picture-facts.ts'

/** Only the server can turn these into something a browser shows. */
const serverOnly = new Set('heic heif hif tif tiff cr2 cr3 nef arw dng raf orf'.split(' '))
/** Animations and drawings: a preview would stand still or lose its sharpness. */
const originalOnly = new Set(['gif', 'svg', 'apng', 'ico'])

const PREVIEW_SIDE = 1080
const HEAVY_BYTES = 3 * 1024 * 1024
const HEAVY_PIXELS = 12_000_000
/** Decoded, four bytes a pixel: a phone survives this, not more. Above it one has to ask. */
const SAFE_PIXELS = 50_000_000
/** Where no preview stands in for the original: 400 MB decoded. Above it one has to ask as well. */
const MAX_UNASKED_PIXELS = 100_000_000

/** `full`: the server's picture in the size of the original. */
export type Rendition = 'preview' | 'full' | 'original'

export interface ImagePlan {
  /** Null when nothing is shown before one asks for the original. */
  first: Rendition | null
  /** Tried when `first` fails; null when there is nothing left to try without asking. */
  second: Rendition | null
  /** What has every pixel: the original, or the server's picture of it in full size. */
  sharp: 'full' | 'original'
  hasOriginal: boolean
  sharpenOnZoom: boolean
}

/**
 * Switched off, the server would send the whole file in place of the small picture; it is asked only
 * where a browser could do nothing with that.
 */
export function isMadeByServer(name: string, size: PictureSize): boolean {
  return size === 'thumb'
    ? boot.EnableThumbs
    : boot.ResizePreview || serverOnly.has(extensionOf(name))
}

export function planImage(
  source: FileSource,
  entry: FileEntry,
  facts: PictureFacts | null,
): ImagePlan {
  const extension = extensionOf(entry.name)
  const pixels = facts ? facts.width * facts.height : 0
  const safe = pixels <= SAFE_PIXELS
  if (source.previewUrl(entry, 'big') === null || originalOnly.has(extension)) {
    const huge = pixels > MAX_UNASKED_PIXELS
    return {
      first: huge ? null : 'original',
      second: null,
      sharp: 'original',
      hasOriginal: huge,
      sharpenOnZoom: false,
    }
  }
  if (serverOnly.has(extension)) {
    const small = facts !== null && Math.max(facts.width, facts.height) <= PREVIEW_SIDE
    return {
      first: 'preview',
      second: 'original',
      sharp: 'full',
      hasOriginal: !small,
      sharpenOnZoom: !small && safe,
    }
  }
  if (pixels > HEAVY_PIXELS || entry.size > HEAVY_BYTES) {
    return {
      first: 'preview',
      second: safe ? 'original' : null,
      sharp: 'original',
      hasOriginal: true,
      sharpenOnZoom: safe,
    }
  }
  return {
    first: 'original',
    second: 'preview',
    sharp: 'original',
    hasOriginal: false,
    sharpenOnZoom: false,
  }
}

export function renditionUrl(source: FileSource, entry: FileEntry, rendition: Rendition): string {
  if (rendition !== 'original') {
    const url = source.previewUrl(entry, rendition === 'full' ? 'full' : 'big')
    if (url !== null) return url
  }
  const url = source.rawUrl(entry, { inline: true })
  // A page shows a picture again that it has, whatever its file has become.
  return source.kind === 'files' ? `${url}&key=${Date.parse(entry.modified) || 0}` : url
}
