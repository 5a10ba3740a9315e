// Virtual paths in the browser and their addresses. Names stay raw here; they are encoded segment by
// segment when an address is built and decoded once when one is read.

import { joinVPath, parentOf } from '../../src/lib/vpath.ts'
import { boot } from './boot.ts'

export {
  baseName as nameOf,
  isWithin,
  joinVPath as joinPath,
  parentOf,
} from '../../src/lib/vpath.ts'

export const ROOT: string = '/'

export function segmentsOf(vpath: string): string[] {
  return vpath === ROOT ? [] : vpath.slice(1).split('/')
}

/** Every folder from the root down to `vpath` itself. */
export function lineageOf(vpath: string): string[] {
  let at: string = ROOT
  const out = [at]
  for (const segment of segmentsOf(vpath)) {
    at = joinVPath(at, segment)
    out.push(at)
  }
  return out
}

/** Without a trailing slash, with a leading one; listings of the server carry the former. */
export function trimPath(vpath: string): string {
  const clean = vpath.endsWith('/') ? vpath.replace(/\/+$/, '') : vpath
  if (clean === '') return ROOT
  return clean.startsWith('/') ? clean : `/${clean}`
}

export function groupByParent<T>(
  items: readonly T[],
  pathOf: (item: T) => string,
): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const folder = parentOf(pathOf(item))
    const group = groups.get(folder)
    if (group === undefined) groups.set(folder, [item])
    else group.push(item)
  }
  return groups
}

export function encodePath(vpath: string): string {
  return vpath.split('/').map(encodeURIComponent).join('/')
}

/** Stem and extension, dot included. `.env` and names without a dot are all stem. */
export function splitName(name: string): { stem: string; extension: string } {
  const at = name.lastIndexOf('.')
  if (at <= 0 || at === name.length - 1) return { stem: name, extension: '' }
  const compound = /\.tar\.[a-z0-9]{1,4}$/i.exec(name)
  const cut = compound !== null && compound.index > 0 ? compound.index : at
  return { stem: name.slice(0, cut), extension: name.slice(cut) }
}

/**
 * The hits of a search are shown as a folder of their own below the one that is searched, by a name that nothing on a
 * disk can have.
 */
export function searchPath(folder: string, query: string): string {
  return joinVPath(folder, `\0${query.replaceAll('/', '\0')}`)
}

/** What a path made by `searchPath` asks for; null for all others. */
export function queryOf(vpath: string): string | null {
  const [, query] = /\/\0([^/]*)$/.exec(vpath) ?? []
  return query === undefined ? null : query.replaceAll('\0', '/')
}

/** The folder itself; the one that is searched where `vpath` is a search. */
export function realFolder(vpath: string): string {
  return queryOf(vpath) === null ? vpath : parentOf(vpath)
}

/** The page showing `vpath`; folders end in a slash, as the original's links do. */
export function filesHref(vpath: string, isDir: boolean): string {
  const query = queryOf(vpath)
  if (query !== null)
    return `${filesHref(parentOf(vpath), true)}?search=${encodeURIComponent(query)}`
  return `${boot.BaseURL}/files${encodePath(vpath)}${isDir && vpath !== ROOT ? '/' : ''}`
}

/**
 * The virtual path of a page address without the base URL, decoded exactly once. Null when the address
 * is not below `/files` or holds a malformed escape.
 */
export function readFilesPath(pathname: string): string | null {
  if (!/^\/files(\/|$)/.test(pathname)) return null
  const segments = pathname.split('/').filter((segment) => segment !== '')
  try {
    return trimPath(segments.slice(1).map(decodeURIComponent).join('/'))
  } catch {
    return null
  }
}

/**
 * The first name free in `taken`: `a.txt`, `a(1).txt`, `a(2).txt`, …, numbered as the server does for
 * `rename=true`. Folders are numbered at the end of the whole name.
 */
export function freeName(name: string, isDir: boolean, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  const at = isDir ? -1 : name.lastIndexOf('.')
  const stem = at > 0 ? name.slice(0, at) : name
  const extension = at > 0 ? name.slice(at) : ''
  for (let n = 1; ; n++) {
    const candidate = `${stem}(${n})${extension}`
    if (!taken.has(candidate)) return candidate
  }
}

/** Why `name` cannot be the name of an entry, or null when it can. */
export function nameProblem(name: string): 'empty' | 'slash' | 'dots' | 'long' | 'nul' | null {
  if (name === '') return 'empty'
  if (name.includes('/')) return 'slash'
  if (name === '.' || name === '..') return 'dots'
  if (name.includes('\0')) return 'nul'
  if (new TextEncoder().encode(name).length > 255) return 'long'
  return null
}

/** Control characters as their visible pictures, so that a line break in a name can be seen. */
export function shownName(name: string): string {
  return name.replace(/[\x00-\x1f\x7f]/g, (control) =>
    control === '\x7f' ? '\u2421' : String.fromCharCode(0x2400 + control.charCodeAt(0)),
  )
}
