// What a file looks like: one of sixteen classes by name and by the server's type, each with an
// icon and a hue. The extension wins over the type, as in File Browser.

import {
  Clapperboard,
  CodeXml,
  Disc3,
  File,
  FileArchive,
  FilePenLine,
  FileText,
  Folder,
  Image,
  type LucideIcon,
  Music,
  Presentation,
  SquareTerminal,
  Table2,
  TextAlignStart,
  Type,
  Unlink,
} from 'lucide-react'
import type { FileType } from '../../src/api-types.ts'
import { byWord } from '../text/by-word.ts'

export const classIcons = {
  folder: Folder,
  image: Image,
  video: Clapperboard,
  audio: Music,
  pdf: FileText,
  doc: FilePenLine,
  sheet: Table2,
  slides: Presentation,
  code: CodeXml,
  archive: FileArchive,
  disk: Disc3,
  font: Type,
  exe: SquareTerminal,
  text: TextAlignStart,
  other: File,
  broken: Unlink,
} satisfies Record<string, LucideIcon>

export type FileClass = keyof typeof classIcons

const byExtension = byWord<FileClass>({
  image:
    'jpg jpeg png gif webp avif bmp ico ai psd xcf odg svg heic heif jxl tif tiff cr2 cr3 nef arw dng raf orf',
  video: 'mkv mov avi mp4 webm m4v wmv flv',
  audio: 'mp3 wav flac ogg opus m4a aac wma',
  pdf: 'pdf',
  doc: 'doc docx odt rtf epub pages',
  sheet: 'xls xlsx xlsm ods odb csv tsv db sqlite numbers',
  slides: 'ppt pptx odp key',
  code: 'c cc cpp h hpp cs css scss less go html htm xhtml java js mjs cjs jsx ts tsx json jsonc kt lua php pl py rb rs swift sql toml vue svelte xml yml yaml ini dart r zig',
  archive: 'zip tar gz tgz bz2 xz zst lz4 br sz 7z rar cab deb rpm msi pkg',
  disk: 'iso dmg img vhd vhdx vmdk vdi wim mdf ccd',
  font: 'otf ttf woff woff2',
  exe: 'sh bash zsh ps1 bat cmd exe com apk jar dex appimage',
  text: 'md markdown txt log',
})

const byType: Partial<Record<FileType, FileClass>> = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  pdf: 'pdf',
  text: 'text',
  textImmutable: 'text',
  invalid_link: 'broken',
}

/** Lower-case part after the last dot, '' when there is none or the dot comes first. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : ''
}

export function fileClassOf(entry: { name: string; isDir: boolean; type?: string }): FileClass {
  if (entry.type === 'invalid_link') return 'broken'
  if (entry.isDir) return 'folder'
  return (
    byExtension.get(extensionOf(entry.name)) ?? byType[(entry.type ?? '') as FileType] ?? 'other'
  )
}
