// The `type` of a file object: by extension, and by content where the extension does not decide.
import type { FileType } from '../../api-types.ts'
import { suffixOf } from '../../lib/vpath.ts'
import { isBinaryExtension, isTextExtension, mimeOfExtension } from './mime.ts'
import { isBinary, SNIFF_BYTES, sniff } from './sniff.ts'

/** Larger files are never opened as text (bytes, inclusive). */
export const MAX_TEXT_BYTES = 10 * 1024 * 1024

/**
 * The type as far as the name decides it, without opening the file; null when the content
 * decides. `sizeBytes` decides whether text is still editable.
 */
export function typeByName(name: string, sizeBytes: number): FileType | null {
  const extension = suffixOf(name)
  const mime = mimeOfExtension(extension)
  const media = mediaType(mime)
  if (media) return media
  if (sizeBytes > MAX_TEXT_BYTES) return mime === '' ? null : 'blob'
  if (mime.startsWith('text')) return 'text'
  if (isTextExtension(extension)) return 'text'
  // Too small to be what the name says: then the content decides, as it did in the original.
  if (sizeBytes >= SNIFF_BYTES && isBinaryExtension(extension)) return 'blob'
  return null
}

/** The type of a file whose first bytes are known. */
export function typeByContent(name: string, sizeBytes: number, head: Buffer): FileType {
  const decided = typeByName(name, sizeBytes)
  if (decided) return decided
  const mime = mimeOfExtension(suffixOf(name)) || sniff(head)
  const media = mediaType(mime)
  if (media) return media
  const isText = mime.startsWith('text') || !isBinary(head)
  return isText && sizeBytes <= MAX_TEXT_BYTES ? 'text' : 'blob'
}

/** The type without content, for listings that do not read files: unknown small files are text. */
export function typeWithoutContent(name: string, sizeBytes: number): FileType {
  const decided = typeByName(name, sizeBytes)
  if (decided) return decided
  const mime = mimeOfExtension(suffixOf(name))
  if (mime === '') return sizeBytes <= MAX_TEXT_BYTES ? 'text' : 'blob'
  return isBinaryExtension(suffixOf(name)) || sizeBytes > MAX_TEXT_BYTES ? 'blob' : 'text'
}

/** Media by name; anything else up to 10 MiB is text (docs/http-api.md 11.3). */
export function mediaOrText(name: string, sizeBytes: number): FileType {
  const media = mediaType(mimeOfExtension(suffixOf(name)))
  return media ?? (sizeBytes <= MAX_TEXT_BYTES ? 'text' : 'blob')
}

function mediaType(mime: string): FileType | null {
  if (mime.startsWith('video')) return 'video'
  if (mime.startsWith('audio')) return 'audio'
  if (mime.startsWith('image')) return 'image'
  if (mime.endsWith('pdf')) return 'pdf'
  return null
}
