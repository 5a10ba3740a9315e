// The viewer of each kind, every one a chunk of its own that loads when the first such file opens.

import type { ComponentType } from 'react'
import { onDemandAtOnce } from '../../lib/page/on-demand.tsx'
import type { ViewerKind, ViewerProps } from './source.ts'
import { Busy } from './tools.tsx'

type Viewer = ComponentType<ViewerProps>

const loaders: Record<ViewerKind, () => Promise<Viewer>> = {
  image: async () => (await import('../picture/image.tsx')).ImageViewer,
  video: async () => (await import('../media/video.tsx')).VideoViewer,
  audio: async () => (await import('../media/audio.tsx')).AudioViewer,
  pdf: async () => (await import('../pdf/pdf.tsx')).PdfViewer,
  epub: async () => (await import('../book/epub.tsx')).EpubViewer,
  document: async () => (await import('../office/document.tsx')).DocumentViewer,
  sheet: async () => (await import('../table/sheet.tsx')).SheetViewer,
  font: async () => (await import('../font/font.tsx')).FontViewer,
  archive: async () => (await import('../archive/archive.tsx')).ArchiveViewer,
  csv: async () => (await import('../table/csv.tsx')).CsvViewer,
  markdown: async () => (await import('../text/markdown.tsx')).MarkdownViewer,
  json: async () => (await import('../json/json.tsx')).JsonViewer,
  text: async () => (await import('../text/text.tsx')).TextViewer,
  hex: async () => (await import('../text/hex.tsx')).HexViewer,
  fallback: async () => (await import('./fallback.tsx')).FallbackViewer,
}

export const viewers = Object.fromEntries(
  Object.entries(loaders).map(([kind, load]) => [kind, onDemandAtOnce(load, Busy)]),
) as Record<ViewerKind, Viewer>

/** Fetches the code of a viewer ahead of its use: a neighbour of the shown file will need it. */
export function prefetchViewer(kind: ViewerKind): void {
  void loaders[kind]().catch(() => {
    // Opening the file will try again and say what is wrong.
  })
}
