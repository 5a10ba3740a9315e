// Opens a PDF with pdf.js: read in ranges as pages are shown, decoded in a worker, nothing of the
// document run. The library's scripting engine is not part of this build at all.

import * as pdfjs from 'pdfjs-dist/legacy/build/pdf.mjs'
import workerUrl from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url'
import type { FileEntry } from '../../../src/api-types.ts'
import { OneVersion } from '../../api/content.ts'
import { boot } from '../../lib/boot.ts'
import type { FileSource } from '../frame/source.ts'

// The viewer components look for the library in this place.
Object.assign(globalThis, { pdfjsLib: pdfjs })
pdfjs.GlobalWorkerOptions.workerSrc = workerUrl

const HEAD_BYTES = 128 * 1024
const CHUNK_BYTES = 256 * 1024
/** A picture inside a page with more pixels than this is left out. */
const MAX_IMAGE_PIXELS = 100_000_000

export type PdfDocument = pdfjs.PDFDocumentProxy

interface OpenPdfOptions {
  source: FileSource
  entry: FileEntry
  signal: AbortSignal
  /** Asked when the document is locked; `wrong` after a password that did not fit. */
  askPassword(answer: (password: string) => void, wrong: boolean): void
  /**
   * A part of the opened document could not be read; its pages wait until `retry` brings it, which it
   * never does once the file was replaced: see `isChanged`.
   */
  onLost(error: unknown, retry: () => void): void
}

class SourceTransport extends pdfjs.PDFDataRangeTransport {
  readonly #options: OpenPdfOptions
  readonly #onLost: (error: unknown) => void
  readonly #version: OneVersion
  #lost: [begin: number, end: number][] = []

  constructor(
    head: Uint8Array,
    version: OneVersion,
    options: OpenPdfOptions,
    onLost: (error: unknown) => void,
  ) {
    super(version.sizeBytes ?? options.entry.size, head)
    this.#version = version
    this.#options = options
    this.#onLost = onLost
  }

  override requestDataRange(begin: number, end: number) {
    const { source, entry, signal } = this.#options
    source.readRange(entry, begin, end, signal, this.#version).then(
      (bytes) => this.onDataRange(begin, new Uint8Array(bytes)),
      (error) => {
        if (signal.aborted) return
        this.#lost.push([begin, end])
        this.#onLost(error)
      },
    )
  }

  /** The library waits for each range it asked for, and does not ask twice. */
  askAgain() {
    for (const [begin, end] of this.#lost.splice(0)) this.requestDataRange(begin, end)
  }
}

/** Rejects when the file is no PDF or cannot be read. Aborting frees the worker. */
export async function openPdf(options: OpenPdfOptions): Promise<PdfDocument> {
  const { source, entry, signal } = options
  const version = new OneVersion()
  const head = await source.readRange(entry, 0, HEAD_BYTES, signal, version)
  const data = `${boot.StaticURL}/pdf-${pdfjs.version}`
  const failed = Promise.withResolvers<never>()
  let opened = false
  const range = new SourceTransport(new Uint8Array(head), version, options, (error) => {
    if (opened) options.onLost(error, () => range.askAgain())
    else failed.reject(error)
  })
  const task = pdfjs.getDocument({
    range,
    rangeChunkSize: CHUNK_BYTES,
    disableAutoFetch: true,
    disableStream: true,
    cMapUrl: `${data}/cmaps/`,
    standardFontDataUrl: `${data}/standard_fonts/`,
    wasmUrl: `${data}/wasm/`,
    useWorkerFetch: true,
    enableXfa: false,
    maxImageSize: MAX_IMAGE_PIXELS,
    stopAtErrors: false,
    verbosity: pdfjs.VerbosityLevel.ERRORS,
  })
  task.onPassword = (answer: (password: string) => void, reason: number) =>
    options.askPassword(answer, reason === pdfjs.PasswordResponses.INCORRECT_PASSWORD)
  // The worker may be gone already; there is nothing left to free then.
  signal.addEventListener('abort', () => void task.destroy().catch(() => {}), { once: true })
  const pdf = await Promise.race([task.promise, failed.promise])
  opened = true
  return pdf
}
