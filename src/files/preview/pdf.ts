// First page of a PDF through PDFium built as WebAssembly: no scripts, no network, no files.
import type { PDFiumLibrary } from '@hyzyla/pdfium'
import { type Pixels, PreviewError } from './protocol.ts'

/**
 * Makes the function that renders the first page so that its longer side has about `side` pixels. That is
 * one long call: nothing else runs in this process meanwhile. Throws PreviewError when it cannot be drawn.
 */
export function createPdfRenderer() {
  let library: Promise<PDFiumLibrary> | undefined
  return async (bytes: Uint8Array, side: number): Promise<Pixels> => {
    library ??= import('@hyzyla/pdfium').then(({ PDFiumLibrary: Library }) => Library.init())
    const document = await (await library).loadDocument(bytes).catch((error: unknown) => {
      // Damaged or locked: a document without a picture of it, not a failure of the server.
      throw new PreviewError('unsupported', `the PDF does not open: ${String(error)}`)
    })
    let pixels: Pixels
    try {
      const page = document.getPage(0)
      const { originalWidth, originalHeight } = page.getOriginalSize()
      const scale = side / Math.max(originalWidth, originalHeight, 1)
      const { data, width, height } = await page.render({
        scale,
        render: 'bitmap',
        colorSpace: 'BGRA',
      })
      pixels = { data, width, height, channels: 4 }
    } catch (error) {
      // Its memory was full (2 GiB), or no page there: the next document gets a new PDFium.
      library = undefined
      throw new PreviewError('unsupported', `the PDF cannot be drawn: ${String(error)}`)
    }
    document.destroy()
    return pixels
  }
}
