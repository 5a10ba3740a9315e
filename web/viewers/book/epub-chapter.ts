// One chapter of a book as cleaned markup, with its pictures and styles taken out of the package.

import { withoutDoctype } from '../office/doctype.ts'
import { type PackageFile, resolvePart } from '../office/package-file.ts'
import { cleanSheet } from '../office/safe-css.ts'
import { cleanMarkup, openLinksOutside, outsideLink } from '../office/safe-html.ts'
import type { Book } from './epub-book.ts'

const MAX_STYLES = 20
/** Links into the book carry this, so that the reader turns to them and the browser does not. */
export const INSIDE = '#book:'

const pictureTypes = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/svg+xml',
])

export interface Chapter {
  content: DocumentFragment
  sheets: CSSStyleSheet[]
  /** Frees the pictures; call when the chapter is no longer shown. */
  release(): void
}

/** @throws ZipError when the chapter cannot be read. */
export async function loadChapter(whole: PackageFile, book: Book, index: number): Promise<Chapter> {
  const file = whole.afresh()
  const name = book.spine[index] ?? ''
  // Parsed as HTML: real books are seldom well-formed, and a parser that gives up shows nothing.
  const parsed = new DOMParser().parseFromString(
    selfClosed(withoutDoctype(await file.text(name))),
    'text/html',
  )
  // By part, not by address: one picture has as many addresses as somebody adds `?1`, `?2` to it.
  const urls = new Map<string, string>()
  const partOf = (href: string) => (href && resolvePart(name, href)?.name) || ''
  const elements = [...parsed.querySelectorAll('img, image')]
  await Promise.all(
    elements.map(async (element) => {
      const part = partOf(hrefOf(element))
      if (urls.has(part) || !file.has(part)) return
      const type = book.types.get(part) ?? ''
      if (!pictureTypes.has(type)) return
      urls.set(part, '')
      try {
        // In an <img> a drawing runs no scripts and loads nothing.
        urls.set(part, URL.createObjectURL(new Blob([await file.bytes(part)], { type })))
      } catch {
        // One picture that cannot be read leaves a gap, not an empty chapter.
      }
    }),
  )

  const links = [...parsed.querySelectorAll('link[rel~=stylesheet]')].slice(0, MAX_STYLES)
  const texts = await Promise.all(
    links.map(async (link) => {
      const target = resolvePart(name, link.getAttribute('href') ?? '')
      return target && file.has(target.name) ? file.text(target.name).catch(() => '') : ''
    }),
  )
  const inline = [...parsed.querySelectorAll('style')].map((style) => style.textContent ?? '')

  const content = cleanMarkup(parsed.body, {
    picture: (src) => urls.get(partOf(src)) || null,
    link(href) {
      if (outsideLink(href)) return href
      const target = resolvePart(name, href)
      const chapter = target ? book.spine.indexOf(target.name) : -1
      return target && chapter >= 0 ? `${INSIDE}${chapter}:${target.fragment}` : null
    },
  })
  openLinksOutside(content)
  return {
    content,
    sheets: [...texts, ...inline].map(cleanSheet),
    release() {
      for (const url of urls.values()) URL.revokeObjectURL(url)
    },
  }
}

function hrefOf(element: Element): string {
  return (
    element.getAttribute('src') ??
    element.getAttribute('xlink:href') ??
    element.getAttribute('href') ??
    ''
  )
}

/** `<a id="x"/>` closes itself in XHTML but would swallow the rest of the page in HTML. */
function selfClosed(xhtml: string): string {
  return xhtml.replace(
    /<(a|b|div|em|h[1-6]|i|p|script|span|strong|td|th|title)((?:\s[^<>]*)?)\/>/gi,
    '<$1$2></$1>',
  )
}
