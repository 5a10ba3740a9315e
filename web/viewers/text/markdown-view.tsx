// Rendered Markdown in the page: keeps what did not change between two versions, so that pictures do
// not flicker while somebody types, and colours code when its language has arrived.

import { highlightCode } from '@lezer/highlight'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { defaultPalette } from '../../editor/code/palettes.ts'
import { highlightStyle } from '../../editor/code/theme.ts'
import { languageNamed } from '../../text/language.ts'
import type { FileSource } from '../frame/source.ts'
import { showFormulas, showKnownFormulas } from './markdown-formulas.ts'
import { renderMarkdown, UNPACK } from './markdown-render.ts'

interface MarkdownViewProps {
  text: string
  source: FileSource
  entry: FileEntry
}

export function MarkdownView({ text, source, entry }: MarkdownViewProps) {
  const box = useRef<HTMLElement>(null)
  /** Addresses of pictures that could not be shown: not asked for again with each letter. */
  const missing = useRef<Set<string>>(new Set())

  useEffect(() => {
    const onError = ({ target }: Event) => {
      if (!(target instanceof HTMLImageElement)) return
      missing.current.add(target.getAttribute('src') ?? '')
      standIn(target)
    }
    const element = box.current
    // Failures of pictures do not bubble.
    element?.addEventListener('error', onError, true)
    return () => element?.removeEventListener('error', onError, true)
  }, [])

  useLayoutEffect(() => {
    if (box.current === null) return
    const fragment = renderMarkdown(text, { source, entry })
    showKnownFormulas(fragment)
    for (const image of fragment.querySelectorAll('img')) {
      if (missing.current.has(image.getAttribute('src') ?? '')) standIn(image)
    }
    for (const code of fragment.querySelectorAll('pre > code')) recolour(code)
    const fresh = patchChildren(box.current, fragment)
    for (const code of fresh.flatMap((node) => [...node.querySelectorAll('pre > code')])) {
      void colour(code)
    }
    const abort = new AbortController()
    void showFormulas(box.current, abort.signal)
    const stop = unpackInSight(box.current.querySelectorAll(`img[${UNPACK}]:not([src])`), source)
    return () => {
      abort.abort()
      stop()
    }
  }, [text, source, entry])

  function onClick(event: React.MouseEvent) {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const target = link?.getAttribute('href') ?? ''
    if (!target.startsWith('#')) return
    // The address of the page stays what it is: it belongs to the file.
    event.preventDefault()
    const heading = [...(box.current?.querySelectorAll('[id]') ?? [])].find(
      (element) => element.id === target.slice(1),
    )
    heading?.scrollIntoView({ block: 'start', behavior: 'smooth' })
  }

  // biome-ignore lint/a11y/useKeyWithClickEvents: the links inside handle keys by themselves
  return <article className="md" ref={box} dir="auto" onClick={onClick} />
}

/** Its words in the place of a picture that is not there. */
function standIn(image: HTMLImageElement): void {
  const words = document.createElement('span')
  words.className = 'md-missing'
  words.textContent = image.alt || image.title
  image.replaceWith(words)
}

/** Pictures of an archive are unpacked when one comes to see them. Returns how to give up waiting. */
function unpackInSight(images: Iterable<Element>, source: FileSource): () => void {
  const observer = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      if (!isIntersecting) continue
      observer.unobserve(target)
      void unpack(target, source)
    }
  })
  for (const image of images) observer.observe(image)
  return () => observer.disconnect()
}

async function unpack(image: Element, source: FileSource): Promise<void> {
  const path = image.getAttribute(UNPACK)
  const url = path === null ? null : await source.unpackPicture?.(path)
  if (url) image.setAttribute('src', url)
}

/** Replaces the nodes that differ, from the first to the last; returns the new elements. */
function patchChildren(box: HTMLElement, fragment: DocumentFragment): Element[] {
  const before = [...box.childNodes]
  const after = [...fragment.childNodes]
  let head = 0
  while (head < before.length && head < after.length && same(before[head], after[head])) head++
  let tail = 0
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    same(before[before.length - 1 - tail], after[after.length - 1 - tail])
  ) {
    tail++
  }
  const anchor = before[before.length - tail] ?? null
  for (const node of before.slice(head, before.length - tail)) node.remove()
  const fresh = after.slice(head, after.length - tail)
  for (const node of fresh) box.insertBefore(node, anchor)
  return fresh.filter((node) => node instanceof Element)
}

function same(a: Node | undefined, b: Node | undefined): boolean {
  return a !== undefined && b !== undefined && a.isEqualNode(b)
}

let classes: ReturnType<typeof highlightStyle> | null = null
/** Coloured code by language and text, so that retyped documents show it at once. */
const coloured = new Map<string, readonly { text: string; className: string }[]>()
const MAX_COLOURED = 200
const MAX_CODE_CHARS = 60_000

function keyOf(code: Element): string {
  return `${/language-(\S+)/.exec(code.className)?.[1] ?? ''}\n${code.textContent}`
}

/** Colours from memory, before the code is compared with what is shown. */
function recolour(code: Element): void {
  const known = coloured.get(keyOf(code))
  if (known !== undefined) fill(code, known)
}

async function colour(code: Element): Promise<void> {
  const key = keyOf(code)
  const name = key.slice(0, key.indexOf('\n'))
  const text = code.textContent
  if (name === '' || coloured.has(key) || text.length > MAX_CODE_CHARS) return
  const language = languageNamed(name)
  if (language === null) return
  const support = await language.load()
  classes ??= mountedStyle()
  const pieces: { text: string; className: string }[] = []
  highlightCode(
    text,
    support.language.parser.parse(text),
    classes,
    (piece, className) => pieces.push({ text: piece, className }),
    () => pieces.push({ text: '\n', className: '' }),
  )
  if (coloured.size >= MAX_COLOURED) coloured.clear()
  coloured.set(key, pieces)
  if (code.textContent === text) fill(code, pieces)
}

function fill(code: Element, pieces: readonly { text: string; className: string }[]): void {
  code.replaceChildren(
    ...pieces.map(({ text, className }) => {
      if (className === '') return document.createTextNode(text)
      const span = document.createElement('span')
      span.className = className
      span.textContent = text
      return span
    }),
  )
}

/** The rules of the style go into a constructed sheet, which the page's policy allows. */
function mountedStyle() {
  const style = highlightStyle(defaultPalette)
  const rules = style.module?.getRules() ?? ''
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(rules)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  return style
}
