// The viewer of each kind, every one a chunk of its own that loads when the first such file opens.

import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { ViewerKind, ViewerProps } from './source.ts'

type Lazy = LazyExoticComponent<ComponentType<ViewerProps>>

export const viewers: Record<ViewerKind, Lazy> = {
  image: lazy(async () => ({ default: (await import('./image.tsx')).ImageViewer })),
  video: lazy(async () => ({ default: (await import('./video.tsx')).VideoViewer })),
  audio: lazy(async () => ({ default: (await import('./audio.tsx')).AudioViewer })),
  pdf: lazy(async () => ({ default: (await import('./pdf.tsx')).PdfViewer })),
  epub: lazy(async () => ({ default: (await import('./epub.tsx')).EpubViewer })),
  document: lazy(async () => ({ default: (await import('./document.tsx')).DocumentViewer })),
  sheet: lazy(async () => ({ default: (await import('./sheet.tsx')).SheetViewer })),
  font: lazy(async () => ({ default: (await import('./font.tsx')).FontViewer })),
  archive: lazy(async () => ({ default: (await import('./archive.tsx')).ArchiveViewer })),
  csv: lazy(async () => ({ default: (await import('./csv.tsx')).CsvViewer })),
  markdown: lazy(async () => ({ default: (await import('./markdown.tsx')).MarkdownViewer })),
  json: lazy(async () => ({ default: (await import('./json.tsx')).JsonViewer })),
  text: lazy(async () => ({ default: (await import('./text.tsx')).TextViewer })),
  hex: lazy(async () => ({ default: (await import('./hex.tsx')).HexViewer })),
  fallback: lazy(async () => ({ default: (await import('./fallback.tsx')).FallbackViewer })),
}
