// How rendered documents look: a sheet in light, sepia or dark, in a readable measure.

export type PaperTheme = 'light' | 'sepia' | 'dark'

const colours: Record<PaperTheme, { text: string; link: string; line: string }> = {
  light: { text: '#1b222c', link: '#1f5fd6', line: '#d5dbe4' },
  sepia: { text: '#3d3223', link: '#8a4b12', line: '#dccfb4' },
  dark: { text: '#d9dfe8', link: '#7aabff', line: '#353e4c' },
}

/** A memo by theme and size. */
const made = new Map<string, CSSStyleSheet>()

/** The reader's own rules; adopted last, so that they win over the document's. */
export function paperSheet(theme: PaperTheme, sizePercent: number): CSSStyleSheet {
  const key = `${theme} ${sizePercent}`
  const known = made.get(key)
  if (known) return known
  const { text, link, line } = colours[theme]
  // A book's own colours are made for white paper; on another they could not be read.
  const tame =
    theme === 'light' ? '' : '.document * { color: inherit; background: none !important }'
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`
    :host { contain: content; display: block }
    .document {
      font: ${sizePercent * 0.01 * 1.0625}rem/1.65 Georgia, 'Iowan Old Style', 'Noto Serif', serif;
      color: ${text};
      overflow-wrap: anywhere;
      max-inline-size: 42rem;
      margin: 0 auto;
      padding: 2.5rem 1.5rem;
    }
    .document > :first-child { margin-block-start: 0 }
    h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance }
    img, svg, video, table { max-inline-size: 100%; }
    img, svg { block-size: auto; }
    table { border-collapse: collapse }
    td, th { border: 1px solid ${line}; padding: .35em .6em; text-align: start; vertical-align: top }
    pre { white-space: pre-wrap }
    ${tame}
    .document a[href] { color: ${link} }
  `)
  made.set(key, sheet)
  return sheet
}

/** Shows `content` in the shadow root of `host`, where no rule of the page applies; gives its box. */
export function showInShadow(
  host: HTMLElement,
  content: DocumentFragment,
  sheets: CSSStyleSheet[],
): HTMLElement | null {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  // A fragment is empty once it was shown.
  if (content.hasChildNodes()) {
    const box = document.createElement('div')
    box.className = 'document'
    // As its own words run, not those of the page.
    box.dir = 'auto'
    box.append(content)
    root.replaceChildren(box)
  }
  root.adoptedStyleSheets = sheets
  return root.querySelector<HTMLElement>('.document')
}

/** Where the clicked link of a shadow root leads, '' for none: the target of the event is its host. */
export function clickedHref({ nativeEvent }: { nativeEvent: Event }): string {
  const link = nativeEvent.composedPath().find((node) => node instanceof HTMLAnchorElement)
  return link?.getAttribute('href') ?? ''
}
