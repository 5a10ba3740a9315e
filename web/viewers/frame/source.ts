// Where the bytes of an opened file come from: the user's own files or a public share. Viewers know
// this interface only, so that one viewer serves both.

import type { LucideIcon } from 'lucide-react'
import type { FileEntry, FileInfo } from '../../../src/api-types.ts'
import type { OneVersion } from '../../api/content.ts'
import type { PictureSize } from '../../api/files.ts'
import { hasThumbnail } from '../../lib/previews.ts'
import type { MenuItem } from '../../ui/menu.tsx'

interface SourcePermissions {
  download: boolean
  rename: boolean
  delete: boolean
  modify: boolean
  share: boolean
}

export interface FileSource {
  /** `archive` is one unpacked entry of an archive, from one of the others. */
  readonly kind: 'files' | 'share' | 'trash' | 'archive'
  /** Tells sources apart where positions are remembered, e.g. `files` or `share:abc`. */
  readonly id: string
  readonly permissions: SourcePermissions

  /** Address of the bytes; `inline` asks for the real type under the sandboxing policy. */
  rawUrl(entry: FileEntry, options: { inline: boolean }): string
  /** Address of a server-made picture; null when this source has none. */
  previewUrl(entry: FileEntry, size: PictureSize): string | null
  /** WebVTT of one of `entry.subtitles`; null when this source has none. */
  subtitleUrl(subtitlePath: string): string | null
  /**
   * Address of a picture of this source that has none before it is asked for; null when there is no
   * such picture. Only archives have it, where `rawUrl` knows the opened entry alone. The address
   * ends with the source.
   */
  unpackPicture?(vpath: string): Promise<string | null>

  /**
   * Bytes from `start` up to, not including, `end`; shorter when the file ends earlier. Throws
   * ApiError. Reads with the same `version` never mix a file with the one that replaced it.
   */
  readRange(
    entry: FileEntry,
    start: number,
    end: number,
    signal: AbortSignal,
    version?: OneVersion,
  ): Promise<ArrayBuffer>
  /** The whole file, refused with ApiError `too_large` when it is longer than `maxBytes`. */
  readAll(
    entry: FileEntry,
    maxBytes: number,
    signal: AbortSignal,
    version?: OneVersion,
  ): Promise<ArrayBuffer>
  readStream(
    entry: FileEntry,
    signal: AbortSignal,
    version?: OneVersion,
  ): Promise<ReadableStream<Uint8Array>>
  /** Facts of one path of this source, with text content where the server sends it. */
  info(vpath: string, signal: AbortSignal): Promise<FileInfo>
  /** The files beside `entry`, folders left out, in the order the listing shows them. */
  siblings(entry: FileEntry, signal: AbortSignal): Promise<FileEntry[]>
  download(entry: FileEntry): void
}

export interface ViewerProps {
  source: FileSource
  entry: FileInfo
  /** Empty while they are being fetched. */
  siblings: readonly FileEntry[]
  /** Shows another file in this one's place; Back still leads to the folder. */
  navigate(entry: FileEntry): void
  close(): void
  /** Text for the header between position and size, e.g. "6000 × 4000"; '' clears it. */
  setFacts(facts: string): void
  /** Shows the same file with another viewer, e.g. "open as text". */
  openAs(kind: ViewerKind): void
}

export const viewerKinds = [
  ...(['image', 'video', 'audio', 'pdf', 'epub', 'document', 'sheet', 'csv', 'markdown'] as const),
  ...(['json', 'font', 'archive', 'text', 'hex', 'fallback'] as const),
] as const

export type ViewerKind = (typeof viewerKinds)[number]

/** Something that can be done with the shown file; `shortcut` is one of the keys that match. */
export interface FrameAction extends MenuItem {
  icon: LucideIcon
  /** No button and no menu has it. */
  byKeysOnly?: boolean
  matches?(event: KeyboardEvent): boolean
}

/** Address of a small picture; undefined when there is none, or it would be the whole of a long file. */
export function thumbnailUrl(source: FileSource, entry: FileEntry): string | undefined {
  if (!source.permissions.download || !hasThumbnail(entry)) return undefined
  return source.previewUrl(entry, 'thumb') ?? undefined
}
