// What an EPUB is made of: metadata, reading order, contents. Versions 2 and 3.
// https://www.w3.org/TR/epub-33/

import { ZipError } from '../archive/zip-reader.ts'
import { type PackageFile, resolvePart } from '../office/package-file.ts'

interface TocItem {
  title: string
  /** Index into `spine`; -1 when it leads nowhere. */
  chapter: number
  fragment: string
  depth: number
}

export interface Book {
  title: string
  author: string
  language: string
  rightToLeft: boolean
  spine: string[]
  toc: TocItem[]
  types: Map<string, string>
}

const MAX_CHAPTERS = 5000
const MAX_TOC_ITEMS = 5000
const MAX_TOC_DEPTH = 10

function named(root: ParentNode, name: string): Element[] {
  return [...root.querySelectorAll('*')].filter((element) => element.localName === name)
}

/** @throws ZipError `damaged` when it is no book. */
export async function readBook(file: PackageFile): Promise<Book> {
  const container = await file.xml('META-INF/container.xml')
  const opfName = named(container, 'rootfile')[0]?.getAttribute('full-path')
  if (!opfName) throw new ZipError('damaged')
  const opf = await file.xml(opfName)

  const parts = new Map<string, { name: string; properties: string }>()
  const types = new Map<string, string>()
  for (const item of named(opf, 'item')) {
    const target = resolvePart(opfName, item.getAttribute('href') ?? '')
    if (!target) continue
    const properties = item.getAttribute('properties') ?? ''
    parts.set(item.getAttribute('id') ?? '', { name: target.name, properties })
    types.set(target.name, item.getAttribute('media-type') ?? '')
  }
  const spineElement = named(opf, 'spine')[0]
  const spine = (spineElement ? named(spineElement, 'itemref') : [])
    .flatMap((ref) => parts.get(ref.getAttribute('idref') ?? '')?.name ?? [])
    .filter((name) => file.has(name))
    .slice(0, MAX_CHAPTERS)
  if (spine.length === 0) throw new ZipError('damaged')

  const nav = [...parts.values()].find(({ properties }) => properties.split(' ').includes('nav'))
  const ncx = parts.get(spineElement?.getAttribute('toc') ?? '')
  const text = (name: string) => named(opf, name)[0]?.textContent?.trim() ?? ''
  return {
    title: text('title'),
    author: named(opf, 'creator')
      .map((creator) => creator.textContent?.trim() ?? '')
      .join(', '),
    language: text('language'),
    rightToLeft: spineElement?.getAttribute('page-progression-direction') === 'rtl',
    spine,
    types,
    toc: await readToc(file, spine, nav?.name, ncx?.name),
  }
}

async function readToc(
  file: PackageFile,
  spine: string[],
  navName: string | undefined,
  ncxName: string | undefined,
): Promise<TocItem[]> {
  try {
    if (navName) {
      const nav = await file.xml(navName)
      const list = named(nav, 'nav').find((candidate) =>
        [...candidate.attributes].some((attribute) => attribute.value.split(' ').includes('toc')),
      )
      if (list) return fromNav(list, navName, spine)
    }
    if (ncxName) return fromNcx(await file.xml(ncxName), ncxName, spine)
  } catch (error) {
    // A book with damaged contents can still be read from front to back.
    if (!(error instanceof ZipError)) throw error
  }
  return spine.map((_, chapter) => ({ title: '', chapter, fragment: '', depth: 0 }))
}

function item(title: string, href: string, from: string, depth: number, spine: string[]): TocItem {
  const target = resolvePart(from, href)
  return {
    title: title.replace(/\s+/g, ' ').trim(),
    chapter: target ? spine.indexOf(target.name) : -1,
    fragment: target?.fragment ?? '',
    depth: Math.min(depth, MAX_TOC_DEPTH),
  }
}

/** How many elements called `name` there are around `element` and below `root`, less one. */
function depthOf(element: Element, name: string, root: Element | null): number {
  let depth = -1
  for (let up: Element | null = element; up && up !== root; up = up.parentElement) {
    if (up.localName === name) depth++
  }
  return depth
}

function fromNav(nav: Element, name: string, spine: string[]): TocItem[] {
  return named(nav, 'li')
    .slice(0, MAX_TOC_ITEMS)
    .flatMap((li) => {
      const link = [...li.children].find(
        (child) => child.localName === 'a' || child.localName === 'span',
      )
      if (!link) return []
      const depth = depthOf(li, 'ol', nav)
      return item(link.textContent ?? '', link.getAttribute('href') ?? '', name, depth, spine)
    })
}

function fromNcx(ncx: Document, name: string, spine: string[]): TocItem[] {
  return named(ncx, 'navPoint')
    .slice(0, MAX_TOC_ITEMS)
    .map((point) => {
      const depth = depthOf(point, 'navPoint', null)
      const children = [...point.children]
      const label = children.find((child) => child.localName === 'navLabel')?.textContent ?? ''
      const content = children.find((child) => child.localName === 'content')
      return item(label, content?.getAttribute('src') ?? '', name, depth, spine)
    })
}
