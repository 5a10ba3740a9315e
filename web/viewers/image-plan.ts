// Which bytes show a picture: the original when it is light enough, the server's preview first when
// it is heavy or in a format browsers do not read.

import type { FileEntry } from '../../src/api-types.ts'
import { extensionOf } from './kinds.ts'
import type { PictureFacts } from './picture-facts.ts'
import type { FileSource } from './source.ts'

/** Only the server can turn these into something a browser shows. */
const serverOnly = new Set(['heic', 'heif', 'tif', 'tiff'])
/** Animations and drawings: a preview would stand still or lose its sharpness. */
const originalOnly = new Set(['gif', 'svg', 'apng', 'ico'])

const HEAVY_BYTES = 3 * 1024 * 1024
const HEAVY_PIXELS = 12_000_000
/** Decoded, four bytes a pixel: a phone survives this, not more. Above it one has to ask. */
const SAFE_PIXELS = 50_000_000
/** Where no preview stands in for the original: 400 MB decoded. Above it one has to ask as well. */
const MAX_UNASKED_PIXELS = 100_000_000

export type Rendition = 'preview' | 'original'

export interface ImagePlan {
  /** Null when nothing is shown before one asks for the original. */
  first: Rendition | null
  /** Tried when `first` fails; null when there is nothing left to try without asking. */
  second: Rendition | null
  /** Whether the person may switch to the original. */
  hasOriginal: boolean
  /** Whether zooming in may fetch the original by itself. */
  sharpenOnZoom: boolean
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
      hasOriginal: huge,
      sharpenOnZoom: false,
    }
  }
  if (serverOnly.has(extension)) {
    return { first: 'preview', second: 'original', hasOriginal: false, sharpenOnZoom: false }
  }
  if (pixels > HEAVY_PIXELS || entry.size > HEAVY_BYTES) {
    return {
      first: 'preview',
      second: safe ? 'original' : null,
      hasOriginal: true,
      sharpenOnZoom: safe,
    }
  }
  return { first: 'original', second: 'preview', hasOriginal: false, sharpenOnZoom: false }
}

export function renditionUrl(source: FileSource, entry: FileEntry, rendition: Rendition): string {
  if (rendition === 'preview') {
    const url = source.previewUrl(entry, 'big')
    if (url !== null) return url
  }
  return source.rawUrl(entry, { inline: true })
}
