import { t } from '@lingui/core/macro'
import type { FileEntry } from '../../src/api-types.ts'
import { extensionOf, type FileClass, fileClassOf } from './file-class.ts'

/** Written in another way than as an extension. */
const formats: Record<string, string> = {
  htm: 'HTML',
  jpg: 'JPEG',
  md: 'Markdown',
  ppt: 'PowerPoint',
  pptx: 'PowerPoint',
  tif: 'TIFF',
}

const byClass: Partial<Record<FileClass, (format: string) => string>> = {
  image: (format) => t`${format} image`,
  video: (format) => t`${format} video`,
  audio: (format) => t`${format} audio`,
  pdf: (format) => t`${format} document`,
  doc: (format) => t`${format} document`,
  archive: (format) => t`${format} archive`,
}

/** What kind of file it is, in words: “JPEG image”. '' where nothing tells. */
export function kindName(entry: FileEntry): string {
  const extension = extensionOf(entry.name)
  if (/^docx?$/.test(extension)) return t`Word document`
  if (/^xlsx?$/.test(extension)) return t`Excel workbook`
  if (extension === 'txt') return t`Text file`
  if (extension === '') return ''
  const format = formats[extension] ?? extension.toUpperCase()
  return byClass[fileClassOf(entry)]?.(format) ?? t`${format} file`
}
