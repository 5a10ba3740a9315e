// Printing a PDF: each page is drawn at print resolution and put into a part of the page that only
// the printer sees.

import type { PdfDocument } from './pdf-document.ts'

const PRINT_DPI = 150
const PDF_DPI = 72

/** Prepares all pages, then opens the browser's print dialog. `onPage` reports progress. */
export async function printPdf(
  pdf: PdfDocument,
  onPage: (page: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const sheet = document.createElement('div')
  sheet.className = 'vw-print'
  const urls: string[] = []
  try {
    for (let number = 1; number <= pdf.numPages; number++) {
      signal.throwIfAborted()
      onPage(number)
      const page = await pdf.getPage(number)
      const viewport = page.getViewport({ scale: PRINT_DPI / PDF_DPI })
      const canvas = document.createElement('canvas')
      canvas.width = viewport.width
      canvas.height = viewport.height
      await page.render({ canvas, viewport, intent: 'print' }).promise
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
      if (!blob) throw new Error('the page could not be drawn')
      const url = URL.createObjectURL(blob)
      urls.push(url)
      const image = new Image()
      image.src = url
      await image.decode()
      sheet.append(image)
      page.cleanup()
    }
    document.body.append(sheet)
    document.documentElement.dataset.printing = 'true'
    window.print()
  } finally {
    delete document.documentElement.dataset.printing
    sheet.remove()
    for (const url of urls) URL.revokeObjectURL(url)
  }
}
