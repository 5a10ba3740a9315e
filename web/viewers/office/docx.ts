// Word documents through docx-preview, rendered aside so that nothing of it runs before it is clean.

import { parseAsync, renderDocument } from 'docx-preview'

interface RenderedDocx {
  body: HTMLElement
  styles: string[]
  /** Frees the pictures, which have `blob:` addresses. */
  release(): void
}

/** Others, such as Windows metafiles, no browser shows. */
const PICTURE = /^image\/(png|jpeg|gif|webp|bmp|svg)/

/** `bytes` must come from `repackOffice`. The markup still has to be cleaned. */
export async function renderDocx(bytes: Uint8Array<ArrayBuffer>): Promise<RenderedDocx> {
  const options = {
    className: 'docx',
    inWrapper: true,
    ignoreFonts: true,
    breakPages: true,
    renderAltChunks: false,
    renderComments: false,
    experimental: false,
    debug: false,
  }
  const parsed: ParsedDocx = await parseAsync(new Blob([bytes]), options)
  const release = sharePictures(parsed)
  const body = document.createElement('div')
  body.append(...(await renderDocument(parsed, options)))
  const elements = [...body.querySelectorAll('style')]
  const styles = elements.map((style) => style.textContent ?? '')
  for (const style of elements) style.remove()
  // Nothing is known of what they show.
  for (const picture of body.querySelectorAll('img:not([alt])')) picture.setAttribute('alt', '')
  return { body, styles, release }
}

interface ParsedDocx {
  documentPart: unknown
  contentTypes: { partName?: string; extension?: string; contentType: string }[]
  getPathById(from: unknown, id: string): string | null
  loadDocumentImage(id: string, from?: unknown): Promise<string>
  loadNumberingImage(id: string): Promise<null>
  _package: { load(path: string, as: 'blob'): Promise<Blob | null> }
}

/**
 * The library unpacks a picture anew for every place that shows it: a document that shows a large one
 * two hundred times would fill the memory. Here each is unpacked once and has one address.
 */
function sharePictures(parsed: ParsedDocx): () => void {
  const urls = new Map<string, Promise<string>>()
  const made: string[] = []

  async function unpack(path: string): Promise<string> {
    const type = parsed.contentTypes.find(
      ({ partName, extension }) =>
        partName === path || (extension && path.endsWith(`.${extension}`)),
    )?.contentType
    if (!type || !PICTURE.test(type)) return ''
    const blob = await parsed._package.load(path, 'blob')
    if (!blob) return ''
    const url = URL.createObjectURL(new Blob([blob], { type }))
    made.push(url)
    return url
  }
  parsed.loadDocumentImage = async (id, from) => {
    const path = parsed.getPathById(from ?? parsed.documentPart, id) ?? ''
    const url = urls.get(path) ?? unpack(path)
    urls.set(path, url)
    return url
  }
  // Bullets that are pictures come in style sheets, which may load nothing.
  parsed.loadNumberingImage = async () => null
  return () => {
    for (const url of made) URL.revokeObjectURL(url)
  }
}
