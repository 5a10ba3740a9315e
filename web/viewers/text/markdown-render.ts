// Markdown to a piece of document that is safe to show: no script, no form, no style, no frame, links
// that leave open elsewhere, pictures only from the same source as the file.

import createPurifier, { type DOMPurify } from 'dompurify'
import type { FileEntry } from '../../../src/api-types.ts'
import { filesHref, joinPath, parentOf } from '../../lib/paths.ts'
import { isNestedTooDeep } from '../../text/nesting.ts'
import type { FileSource } from '../frame/source.ts'
import { parseMarkdown } from './markdown-parser.ts'

/** On pictures without an address: the path to ask the source for. */
export const UNPACK = 'data-unpack'

const ALLOWED_TAGS =
  'a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p picture pre q rp rt ruby s samp small source span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr'.split(
    ' ',
  )
const ALLOWED_ATTRIBUTES =
  'href src alt title width height align colspan rowspan scope start reversed type checked disabled open dir lang datetime cite class'.split(
    ' ',
  )

interface RenderOptions {
  source: FileSource
  /** The file the text is from: links and pictures are relative to it. */
  entry: FileEntry
}

function sanitizer(options: RenderOptions): DOMPurify {
  const purifier = createPurifier(window)
  // Before the nodes become part of the page: an <img> loads as soon as it does.
  purifier.addHook('afterSanitizeAttributes', (node) => {
    if (node.tagName === 'IMG') placePicture(node, options)
    else if (node.tagName === 'SOURCE') node.remove()
    else if (node.tagName === 'A') placeLink(node, options)
    else if (node.tagName === 'INPUT') placeCheckbox(node)
    if (node.tagName === 'INPUT') return
    const kept = [...node.classList].filter((name) => /^language-[\w+#.-]{1,40}$/.test(name))
    if (kept.length > 0) node.setAttribute('class', kept.join(' '))
    else node.removeAttribute('class')
  })
  return purifier
}

/**
 * Parses and cleans. The result belongs to no place in the page yet.
 *
 * @throws RangeError when more is nested than can be rendered.
 */
export function renderMarkdown(text: string, options: RenderOptions): DocumentFragment {
  if (isNestedTooDeep(text)) throw new RangeError('the text is nested too deep')
  const html = parseMarkdown(withoutFrontMatter(text))
  const fragment = sanitizer(options).sanitize(html, {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ALLOWED_ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
  nameHeadings(fragment)
  markAlerts(fragment)
  wrapTables(fragment)
  return fragment
}

/** The block between `---` lines at the very start is data for programs; it is shown as such. */
function withoutFrontMatter(text: string): string {
  const match = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text)
  if (match === null || !/^[\w"'-]+\s*:/m.test(match[1] ?? '')) return text
  return `~~~~~~yaml\n${match[1]}\n~~~~~~\n\n${text.slice(match[0].length)}`
}

/** A virtual path for an address in the text; null when it is not a path of this source. */
function resolvePath(address: string, entry: FileEntry): string | null {
  if (address === '' || /^[a-z][a-z\d+.-]*:|^\/\/|^#/i.test(address)) return null
  const [path = ''] = address.split(/[?#]/)
  let decoded: string
  try {
    decoded = decodeURIComponent(path)
  } catch {
    decoded = path // a lone per cent sign is part of the name
  }
  let at = decoded.startsWith('/') ? '/' : parentOf(entry.path)
  for (const segment of decoded.split('/')) {
    if (segment === '' || segment === '.') continue
    at = segment === '..' ? parentOf(at) : joinPath(at, segment)
  }
  return at
}

function placePicture(image: Element, { source, entry }: RenderOptions): void {
  const address = image.getAttribute('src') ?? ''
  image.removeAttribute('src')
  image.setAttribute('loading', 'lazy')
  image.setAttribute('decoding', 'async')
  if (/^data:image\/(png|gif|jpe?g|webp|avif|svg\+xml)[;,]/i.test(address)) {
    image.setAttribute('src', address)
    return
  }
  const path = resolvePath(address, entry)
  if (path !== null && path !== '/') {
    if (source.unpackPicture) image.setAttribute(UNPACK, path)
    else image.setAttribute('src', source.rawUrl({ ...entry, path, name: path }, { inline: true }))
    return
  }
  // A picture from elsewhere would tell its server who reads this file: a link instead.
  if (/^(https?:)?\/\//i.test(address) && image.parentNode !== null) {
    const link = image.ownerDocument.createElement(image.closest('a') === null ? 'a' : 'span')
    link.textContent = image.getAttribute('alt') || address
    if (link.tagName === 'A') {
      link.setAttribute('href', address)
      openElsewhere(link)
    }
    image.replaceWith(link)
  }
}

function placeLink(link: Element, { source, entry }: RenderOptions): void {
  const address = link.getAttribute('href')
  if (address === null) return
  if (address.startsWith('#')) {
    link.setAttribute('href', `#${headingId(safeDecode(address.slice(1)))}`)
    return
  }
  if (/^(mailto|tel):/i.test(address)) return
  if (/^(https?:)?\/\//i.test(address)) {
    openElsewhere(link)
    return
  }
  const path = resolvePath(address, entry)
  // Files of an archive have no address to lead to.
  if (path === null || source.kind === 'archive') {
    link.removeAttribute('href')
  } else if (source.kind === 'files') {
    link.setAttribute('href', filesHref(path, /\/(\?|#|$)/.test(address)))
  } else {
    link.setAttribute('href', source.rawUrl({ ...entry, path, name: path }, { inline: true }))
    openElsewhere(link)
  }
}

function openElsewhere(link: Element): void {
  link.setAttribute('target', '_blank')
  link.setAttribute('rel', 'noopener noreferrer')
}

/** The boxes of task lists show a state; every other field is taken out. */
function placeCheckbox(input: Element): void {
  if (input.getAttribute('type') !== 'checkbox') {
    input.remove()
    return
  }
  input.setAttribute('disabled', '')
  input.setAttribute('class', 'check')
  const [words = ''] = (input.closest('li, p')?.textContent ?? '').trim().split('\n')
  input.setAttribute('aria-label', words)
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** An id that cannot collide with one of the page's own. */
function headingId(text: string): string {
  const slug = text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
  return `md-${slug}`
}

function nameHeadings(fragment: DocumentFragment): void {
  const used = new Map<string, number>()
  for (const heading of fragment.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const id = headingId(heading.textContent)
    const count = used.get(id) ?? 0
    used.set(id, count + 1)
    heading.id = count === 0 ? id : `${id}-${count}`
  }
}

const alerts = new Set(['note', 'tip', 'important', 'warning', 'caution'])

/** `> [!NOTE]` as GitHub shows it: a coloured box. */
function markAlerts(fragment: DocumentFragment): void {
  for (const quote of fragment.querySelectorAll('blockquote')) {
    const first = quote.firstElementChild?.firstChild
    if (first?.nodeType !== Node.TEXT_NODE) continue
    const kind = /^\[!(\w+)\]\s*/.exec(first.nodeValue ?? '')
    const name = kind?.[1]?.toLowerCase() ?? ''
    if (kind === null || !alerts.has(name)) continue
    first.nodeValue = (first.nodeValue ?? '').slice(kind[0].length)
    quote.className = `md-alert md-alert--${name}`
    const title = document.createElement('p')
    title.className = 'md-alert__title'
    title.textContent = name.charAt(0).toUpperCase() + name.slice(1)
    quote.prepend(title)
  }
}

/** Wide tables scroll by themselves; the page never does. */
function wrapTables(fragment: DocumentFragment): void {
  for (const table of fragment.querySelectorAll('table')) {
    const box = document.createElement('div')
    box.className = 'md-table'
    table.replaceWith(box)
    box.append(table)
  }
}
