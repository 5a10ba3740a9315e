// Word documents through docx-preview, rendered aside so that nothing of it runs before it is clean.

import { renderAsync } from 'docx-preview'

export interface RenderedDocx {
  body: HTMLElement
  /** Style sheets the library made, as text. */
  styles: string[]
}

/** `bytes` must come from `repackOffice`. The markup still has to be cleaned. */
export async function renderDocx(bytes: Uint8Array<ArrayBuffer>): Promise<RenderedDocx> {
  const body = document.createElement('div')
  const head = document.createElement('div')
  await renderAsync(new Blob([bytes]), body, head, {
    className: 'docx',
    inWrapper: true,
    ignoreFonts: true,
    breakPages: true,
    renderAltChunks: false,
    renderComments: false,
    useBase64URL: true,
    experimental: false,
    debug: false,
  })
  const elements = [...head.querySelectorAll('style'), ...body.querySelectorAll('style')]
  const styles = elements.map((style) => style.textContent ?? '')
  for (const style of elements) style.remove()
  return { body, styles }
}
