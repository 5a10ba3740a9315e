// Which viewer shows a file: by name first, as the file list does, then by the server's type.

import type { FileEntry } from '../../../src/api-types.ts'
import { extensionOf, fileClassOf } from '../../lib/file-class.ts'
import { byWord } from '../../text/by-word.ts'
import { type FileSource, type ViewerKind, viewerKinds } from './source.ts'

const byExtension = byWord<ViewerKind>({
  // With the raw files of cameras: the picture that is inside.
  image:
    'jpg jpeg jpe jfif png apng gif webp avif svg bmp ico heic heif tif tiff jxl cr2 cr3 nef arw dng raf orf',
  video: 'mp4 m4v mov webm mkv ogv avi mpg mpeg 3gp wmv flv',
  audio: 'mp3 m4a aac flac ogg oga opus wav weba aif aiff wma',
  pdf: 'pdf',
  epub: 'epub',
  document: 'docx odt',
  sheet: 'xlsx xlsm xls ods',
  csv: 'csv tsv',
  markdown: 'md markdown mdown mkd',
  json: 'json geojson webmanifest',
  font: 'ttf otf woff woff2',
  archive: 'zip jar apk tar tgz 7z rar cbz cbr',
})

const compoundArchive = /\.(tar\.(gz|bz2|xz|zst|lz4|br)|tbz2?|txz|tzst)$/

/** For the `view` parameter of an address, which anybody can write. */
export function isViewerKind(text: string): text is ViewerKind {
  return viewerKinds.some((kind) => kind === text)
}

type Opened = Pick<FileEntry, 'name' | 'type'> & { size?: number }

/** The viewer for a file. Text types without a viewer of their own open in the editor. */
export function kindOf(entry: Opened): ViewerKind {
  if (compoundArchive.test(entry.name.toLowerCase())) return 'archive'
  const byName = byExtension.get(extensionOf(entry.name))
  if (byName !== undefined) return byName
  const { type } = entry
  if (isText(entry) || isLongText(entry)) return 'text'
  return type === 'image' || type === 'video' || type === 'audio' || type === 'pdf'
    ? type
    : 'fallback'
}

export function isText({ type }: Pick<FileEntry, 'type'>): boolean {
  return type === 'text' || type === 'textImmutable'
}

/** The server calls texts blobs from this size on, without reading them. */
const LONG_BYTES = 10 * 1024 * 1024

/** A log or a dump: by its name a text, and too long to be sent as one. It is read in windows. */
function isLongText({ name, type, size = 0 }: Opened): boolean {
  if (type !== 'blob' || size <= LONG_BYTES) return false
  const look = fileClassOf({ name, isDir: false })
  return look === 'text' || look === 'code'
}

/**
 * True when the file opens in the full-page editor and not in the dark viewer frame: text, and those
 * documents whose rendering the editor shows beside their source.
 */
export function opensInEditor(entry: Opened): boolean {
  const kind = kindOf(entry)
  const hasSource = kind === 'markdown' || kind === 'json'
  return kind === 'text' || (hasSource && isText(entry))
}

/** True when the frame around the viewer already offers to open the file in the editor. */
export function editsElsewhere(source: FileSource, entry: FileEntry): boolean {
  return source.kind === 'files' && isText(entry)
}
