// OpenDocument text as plain HTML: headings, paragraphs, lists, tables, pictures, notes, and the
// common character formats. No library of good quality does this; layout to the millimetre is not
// attempted.
// https://docs.oasis-open.org/office/OpenDocument/v1.3/

import { byWord } from '../../text/by-word.ts'
import { ZipError } from '../archive/zip-reader.ts'
import type { PackageFile } from './package-file.ts'

interface RenderedText {
  body: HTMLElement
  release(): void
}

interface Context {
  file: PackageFile
  styles: Map<string, Partial<CSSStyleDeclaration>>
  /** Names of list styles whose first level is numbered. */
  numbered: Set<string>
  urls: string[]
  doc: Document
}

const MAX_DEPTH = 64
const MAX_REPEATS = 200

/** @throws ZipError when the file is no OpenDocument text. The markup still has to be cleaned. */
export async function renderOdt(file: PackageFile): Promise<RenderedText> {
  const content = await file.xml('content.xml')
  const text = find(content, 'text', 'office')
  if (!text) throw new ZipError('damaged')
  const context: Context = {
    file,
    styles: new Map(),
    numbered: new Set(),
    urls: [],
    doc: document.implementation.createHTMLDocument(),
  }
  if (file.has('styles.xml')) readStyles(await file.xml('styles.xml'), context)
  readStyles(content, context)
  const body = context.doc.createElement('div')
  await renderChildren(text, body, context, 0)
  return {
    body,
    release() {
      for (const url of context.urls) URL.revokeObjectURL(url)
    },
  }
}

function find(root: ParentNode, local: string, prefix: string): Element | undefined {
  return [...root.querySelectorAll('*')].find(
    (element) => element.localName === local && element.prefix === prefix,
  )
}

function get(element: Element, local: string): string {
  for (const attribute of element.attributes) {
    if (attribute.localName === local) return attribute.value
  }
  return ''
}

function readStyles(root: Document, context: Context) {
  for (const element of root.querySelectorAll('*')) {
    if (element.localName === 'list-style') {
      const first = [...element.children].find((level) => get(level, 'level') === '1')
      if (first?.localName === 'list-level-style-number') context.numbered.add(get(element, 'name'))
    }
    if (element.localName !== 'style') continue
    const parent = context.styles.get(get(element, 'parent-style-name'))
    const style: Partial<CSSStyleDeclaration> = { ...parent }
    for (const properties of element.children) addFormats(properties, style)
    context.styles.set(get(element, 'name'), style)
  }
}

function addFormats(properties: Element, style: Partial<CSSStyleDeclaration>) {
  const weight = get(properties, 'font-weight')
  if (weight) style.fontWeight = weight
  const slant = get(properties, 'font-style')
  if (slant) style.fontStyle = slant
  const lines = [
    /^(?!none|$)/.test(get(properties, 'text-underline-style')) ? 'underline' : '',
    /^(?!none|$)/.test(get(properties, 'text-line-through-style')) ? 'line-through' : '',
  ].filter(Boolean)
  if (lines.length > 0) style.textDecoration = lines.join(' ')
  const align = get(properties, 'text-align')
  if (/^(start|end|left|right|center|justify)$/.test(align)) style.textAlign = align
  const colour = get(properties, 'color')
  if (/^#[0-9a-f]{6}$/i.test(colour)) style.color = colour
  const position = get(properties, 'text-position')
  if (/^(super|sub|-?\d)/.test(position)) {
    style.verticalAlign = position.startsWith('sub') || position.startsWith('-') ? 'sub' : 'super'
    style.fontSize = '75%'
  }
}

async function renderChildren(from: Element, to: HTMLElement, context: Context, depth: number) {
  if (depth > MAX_DEPTH) return
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) {
      // Runs of white space in the file mean one space; real ones are elements of their own.
      to.append((node.textContent ?? '').replace(/\s+/g, ' '))
    } else if (node instanceof Element) {
      await renderElement(node, to, context, depth + 1)
    }
  }
}

const plain: Record<string, string> = { p: 'p', list: 'ul', 'list-item': 'li', 'list-header': 'li' }

async function renderElement(element: Element, to: HTMLElement, context: Context, depth: number) {
  const { doc } = context
  const into = async (name: string) => {
    const made = doc.createElement(name)
    Object.assign(made.style, context.styles.get(get(element, 'style-name')))
    await renderChildren(element, made, context, depth)
    to.append(made)
    return made
  }
  switch (element.localName) {
    case 'h': {
      const level = Math.min(6, Math.max(1, Number(get(element, 'outline-level')) || 1))
      await into(`h${level}`)
      return
    }
    case 'list':
      await into(context.numbered.has(get(element, 'style-name')) ? 'ol' : 'ul')
      return
    case 'p':
    case 'list-item':
    case 'list-header':
      await into(plain[element.localName] ?? 'p')
      return
    case 'span':
      await into('span')
      return
    case 'a': {
      const link = await into('a')
      link.setAttribute('href', get(element, 'href'))
      return
    }
    case 'line-break':
      to.append(doc.createElement('br'))
      return
    case 'tab':
      to.append('\u2003')
      return
    case 's':
      to.append('\u00a0'.repeat(Math.min(MAX_REPEATS, Number(get(element, 'c')) || 1)))
      return
    case 'table':
      await into('table')
      return
    case 'table-row':
      await into('tr')
      return
    case 'table-cell': {
      const cell = await into('td')
      const wide = Number(get(element, 'number-columns-spanned'))
      const high = Number(get(element, 'number-rows-spanned'))
      if (wide > 1) cell.setAttribute('colspan', String(Math.min(wide, MAX_REPEATS)))
      if (high > 1) cell.setAttribute('rowspan', String(Math.min(high, MAX_REPEATS)))
      return
    }
    case 'image':
      await renderImage(element, to, context)
      return
    case 'note': {
      const note = await into('small')
      note.prepend(' [')
      note.append('] ')
      return
    }
    // Not part of the text as read: removed passages, comments, the definitions of forms.
    case 'tracked-changes':
    case 'annotation':
    case 'forms':
    case 'sequence-decls':
    case 'soft-page-break':
      return
    default:
      await renderChildren(element, to, context, depth)
  }
}

const pictureTypes = byWord({
  'image/png': 'png',
  'image/jpeg': 'jpg jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'image/bmp': 'bmp',
})

async function renderImage(element: Element, to: HTMLElement, context: Context) {
  const name = get(element, 'href').replace(/^\.\//, '')
  const type = pictureTypes.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase())
  if (!type || !context.file.has(name)) return
  let url: string
  try {
    url = URL.createObjectURL(new Blob([await context.file.bytes(name)], { type }))
  } catch {
    // One picture that cannot be read leaves a gap, not an empty document.
    return
  }
  context.urls.push(url)
  const image = context.doc.createElement('img')
  image.src = url
  const width = element.parentElement ? get(element.parentElement, 'width') : ''
  if (/^[\d.]+(cm|mm|in|pt|px)$/.test(width)) image.style.width = width
  to.append(image)
}
