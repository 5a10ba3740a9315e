// Foreign markup made harmless: what documents contain is cleaned here before it enters the page,
// whose policy forbids inline scripts anyway. Two walls, because one of them may have a hole.

import DOMPurify from 'dompurify'
import { cleanDeclarations } from './safe-css.ts'

const purify = DOMPurify(window)

/** What DOMPurify puts before ids and names, so that they cannot shadow those of the page. */
export const ID_PREFIX = 'user-content-'

/** Attributes that load or open something; each is answered by the caller or removed. */
const linking = ['src', 'href', 'xlink:href', 'srcset', 'poster', 'background', 'data', 'action']

const forbiddenTags =
  'style form input button textarea select audio video source track iframe object embed link meta base dialog'

interface CleanOptions {
  /** The address to use for a picture, or null to leave it out. */
  picture(src: string): string | null
  /** The address to use for a link; null keeps the text only. */
  link(href: string): string | null
}

/** A detached fragment without scripts, forms, frames, outside pictures and event handlers. */
export function cleanMarkup(markup: string | Element, options: CleanOptions): DocumentFragment {
  const fragment = purify.sanitize(markup as string, {
    RETURN_DOM_FRAGMENT: true,
    USE_PROFILES: { html: true, svg: true, mathMl: true },
    FORBID_TAGS: forbiddenTags.split(' '),
    FORBID_ATTR: ['popover', 'popovertarget', 'contenteditable', 'autofocus', 'tabindex'],
    ALLOW_DATA_ATTR: false,
    ALLOW_UNKNOWN_PROTOCOLS: true,
    SANITIZE_NAMED_PROPS: true,
  })
  for (const element of fragment.querySelectorAll('*')) {
    const source = element.getAttribute('src') ?? element.getAttribute('xlink:href') ?? ''
    const href = element.getAttribute('href') ?? ''
    for (const name of linking) element.removeAttribute(name)
    if ('style' in element) cleanDeclarations(element.style as CSSStyleDeclaration)
    const tag = element.tagName.toLowerCase()
    if (tag === 'img' || tag === 'image') {
      const url = options.picture(source || href)
      if (url) element.setAttribute(tag === 'img' ? 'src' : 'href', url)
    } else if (tag === 'a') {
      const url = options.link(href || source)
      if (url !== null) element.setAttribute('href', url)
    }
  }
  return fragment
}

/** Links to other sites may be followed; everything that is not plainly one may not. */
export function outsideLink(href: string): string | null {
  return /^(https?|mailto):/i.test(href) ? href : null
}

/** Makes links of cleaned markup open beside the page, without telling where they came from. */
export function openLinksOutside(root: ParentNode) {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href]')) {
    if (outsideLink(link.getAttribute('href') ?? '') === null) continue
    link.target = '_blank'
    link.rel = 'noopener noreferrer nofollow'
  }
}
