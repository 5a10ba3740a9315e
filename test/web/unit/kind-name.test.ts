import { i18n } from '@lingui/core'
import { beforeAll, expect, it } from 'vitest'
import type { FileEntry } from '../../../src/api-types.ts'
import { kindName } from '../../../web/lib/kind-name.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

const kinds = {
  'IMG_1.JPG': 'JPEG image',
  'drawing.svg': 'SVG image',
  'film.mp4': 'MP4 video',
  'song.flac': 'FLAC audio',
  'report.pdf': 'PDF document',
  'letter.docx': 'Word document',
  'letter.odt': 'ODT document',
  'sums.xlsx': 'Excel workbook',
  'talk.pptx': 'PowerPoint file',
  'all.tar.gz': 'GZ archive',
  'notes.txt': 'Text file',
  'README.md': 'Markdown file',
  'data.json': 'JSON file',
  Makefile: '',
  '.env': '',
}

it.each(Object.entries(kinds))('the kind of %s is “%s”', (name, kind) => {
  expect(kindName({ name, isDir: false } as FileEntry)).toBe(kind)
})
