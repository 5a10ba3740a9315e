// The scrolling pages of a PDF, as the viewer components of pdf.js draw them: only pages in sight
// exist, text can be selected, links inside the document work, links outside open in a new tab.

import { AnnotationMode } from 'pdfjs-dist/legacy/build/pdf.mjs'
import {
  EventBus,
  FindState,
  LinkTarget,
  PDFFindController,
  PDFLinkService,
  PDFViewer,
} from 'pdfjs-dist/legacy/web/pdf_viewer.mjs'
import type { PdfDocument } from './pdf-document.ts'

export interface PdfState {
  page: number
  pages: number
  /** 1 is 100 %. */
  scale: number
}

export interface PdfMatches {
  /** 1-based; 0 when there is none. */
  current: number
  total: number
  searching: boolean
}

export interface PdfView {
  goToPage(page: number): void
  goTo(destination: unknown): void
  zoom(factor: number): void
  fitWidth(): void
  fitPage(): void
  find(text: string, step: 'new' | 'next' | 'previous'): void
  endFind(): void
  destroy(): void
}

interface PdfViewOptions {
  /** Scrolls; must be absolutely placed and hold one empty child. */
  container: HTMLDivElement
  pdf: PdfDocument
  startPage: number
  onState(state: PdfState): void
  onMatches(matches: PdfMatches): void
}

export function createPdfView(options: PdfViewOptions): PdfView {
  const { container, pdf, onState, onMatches } = options
  const stop = new AbortController()
  const eventBus = new EventBus()
  const linkService = new PDFLinkService({
    eventBus,
    externalLinkTarget: LinkTarget.BLANK,
    externalLinkRel: 'noopener noreferrer nofollow',
  })
  const findController = new PDFFindController({ eventBus, linkService })
  // The signal is known to the code but not to its declared types.
  const viewerOptions = {
    container,
    eventBus,
    linkService,
    findController,
    // Links and notes, but no form fields and none of their actions.
    annotationMode: AnnotationMode.ENABLE,
    removePageBorders: true,
    abortSignal: stop.signal,
  }
  const viewer = new PDFViewer(viewerOptions)
  linkService.setViewer(viewer)

  const report = () =>
    onState({ page: viewer.currentPageNumber, pages: pdf.numPages, scale: viewer.currentScale })
  eventBus.on('pagesinit', () => {
    viewer.currentScaleValue = container.clientWidth < 700 ? 'page-width' : 'auto'
    viewer.currentPageNumber = Math.min(options.startPage, pdf.numPages)
    report()
  })
  eventBus.on('pagechanging', report)
  eventBus.on('scalechanging', report)

  interface FindEvent {
    state?: number
    matchesCount: { current: number; total: number }
  }
  const onFind = ({ state, matchesCount }: FindEvent) =>
    onMatches({ ...matchesCount, searching: state === FindState.PENDING })
  eventBus.on('updatefindcontrolstate', onFind)
  eventBus.on('updatefindmatchescount', onFind)

  viewer.setDocument(pdf)
  linkService.setDocument(pdf)

  const resize = new ResizeObserver(() => {
    // Also called when the part is taken out of the page, where nothing can be laid out.
    if (container.offsetParent === null) return
    const { currentScaleValue } = viewer
    if (Number.isNaN(Number(currentScaleValue))) viewer.currentScaleValue = currentScaleValue
    viewer.update()
  })
  resize.observe(container)

  return {
    goToPage(page) {
      viewer.currentPageNumber = Math.min(pdf.numPages, Math.max(1, page))
    },
    goTo: (destination) => void linkService.goToDestination(destination as string),
    zoom: (factor) => viewer.updateScale({ scaleFactor: factor }),
    fitWidth() {
      viewer.currentScaleValue = 'page-width'
    },
    fitPage() {
      viewer.currentScaleValue = 'page-fit'
    },
    find(text, step) {
      eventBus.dispatch('find', {
        source: viewer,
        type: step === 'new' ? '' : 'again',
        query: text,
        caseSensitive: false,
        entireWord: false,
        highlightAll: true,
        findPrevious: step === 'previous',
        matchDiacritics: false,
      })
    },
    endFind: () => eventBus.dispatch('findbarclose', { source: viewer }),
    destroy() {
      resize.disconnect()
      stop.abort()
      viewer.setDocument(null)
      linkService.setDocument(null)
    },
  }
}
