// Which viewer shows a file: by name first, as the file list does, then by the server's type.

import type { FileEntry } from '../../../src/api-types.ts'
import { extensionOf, fileClassOf } from '../../lib/file-class.ts'
import type { FileSource, ViewerKind } from './source.ts'

const byExtension = new Map<string, ViewerKind>()

function register(kind: ViewerKind, extensions: string) {
  for (const extension of extensions.split(' ')) byExtension.set(extension, kind)
}

register('image', 'jpg jpeg jpe jfif png apng gif webp avif svg bmp ico heic heif tif tiff jxl')
// Camera raw: the picture that is inside.
register('image', 'cr2 cr3 nef arw dng raf orf')
register('video', 'mp4 m4v mov webm mkv ogv avi mpg mpeg 3gp wmv flv')
register('audio', 'mp3 m4a aac flac ogg oga opus wav weba aif aiff wma')
register('pdf', 'pdf')
register('epub', 'epub')
register('document', 'docx odt')
register('sheet', 'xlsx xlsm xls ods')
register('csv', 'csv tsv')
register('markdown', 'md markdown mdown mkd')
register('json', 'json geojson webmanifest')
register('font', 'ttf otf woff woff2')
register('archive', 'zip jar apk tar tgz 7z rar cbz cbr')

const compoundArchive = /\.(tar\.(gz|bz2|xz|zst|lz4|br)|tbz2?|txz|tzst)$/

const kinds = new Set<string>(
  'image video audio pdf epub document sheet csv markdown json font archive text hex fallback'.split(
    ' ',
  ),
)

/** For the `view` parameter of an address, which anybody can write. */
export function isViewerKind(text: string): text is ViewerKind {
  return kinds.has(text)
}

type Opened = Pick<FileEntry, 'name' | 'type'> & { size?: number }

/** The viewer for a file. Text types without a viewer of their own open in the editor. */
export function kindOf(entry: Opened): ViewerKind {
  if (compoundArchive.test(entry.name.toLowerCase())) return 'archive'
  const byName = byExtension.get(extensionOf(entry.name))
  if (byName !== undefined) return byName
  switch (entry.type) {
    case 'image':
      return 'image'
    case 'video':
      return 'video'
    case 'audio':
      return 'audio'
    case 'pdf':
      return 'pdf'
    case 'text':
    case 'textImmutable':
      return 'text'
    default:
      return isLongText(entry) ? 'text' : 'fallback'
  }
}

/** The server calls texts blobs from this size on, without having looked inside. */
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
  return kind === 'text' || (hasSource && (entry.type === 'text' || entry.type === 'textImmutable'))
}

/** True when the frame around the viewer already offers to open the file in the editor. */
export function editsElsewhere(source: FileSource, entry: FileEntry): boolean {
  return source.kind === 'files' && (entry.type === 'text' || entry.type === 'textImmutable')
}
