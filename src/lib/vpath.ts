// Virtual paths: what users see. Text only, no disk. `/` separated, absolute, canonical.

/** `/` or `/a/b`; never a trailing slash, `.`, `..`, empty segment or NUL. */
export type VPath = string & { readonly __brand: 'VPath' }

export const ROOT = '/' as VPath

/**
 * Canonicalises decoded text: a leading `/` is added, `.`, `..` and empty segments are resolved
 * lexically and cannot climb above the root, a trailing slash is dropped. A backslash is an
 * ordinary character except on Windows, where it separates (GHSA-fgm5-pw99-w2p7).
 * Returns null when the text holds NUL.
 */
export function toVPath(decoded: string): VPath | null {
  if (decoded.includes('\0')) return null
  const text = process.platform === 'win32' ? decoded.replaceAll('\\', '/') : decoded
  return resolveSegments(text) as VPath
}

// Most paths are canonical.
const CANONICAL = /^(?:\/(?!\.{0,2}(?:\/|$))[^/]*)+$/

/** Resolves empty, `.` and `..` segments; without a slash at the end. */
export function resolveSegments(path: string): string {
  if (CANONICAL.test(path)) return path
  const out: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') out.pop()
    else out.push(segment)
  }
  return `/${out.join('/')}`
}

/** Like toVPath for text known to be free of NUL, such as names read from disk. */
export function vpathOf(...segments: string[]): VPath {
  return toVPath(segments.join('/')) ?? ROOT
}

/** The child `name` of `parent`; `name` is one segment. */
export function joinVPath<P extends string>(parent: P, name: string): P {
  return (parent === '/' ? `/${name}` : `${parent}/${name}`) as P
}

/** The last segment; empty for the root. */
export function baseName(vpath: string): string {
  return vpath.slice(vpath.lastIndexOf('/') + 1)
}

/** The containing folder; the root is its own parent. */
export function parentOf<P extends string>(vpath: P): P {
  const at = vpath.lastIndexOf('/')
  return (at <= 0 ? '/' : vpath.slice(0, at)) as P
}

/** True when `vpath` is `ancestor` or lies below it, on segment boundaries. */
export function isWithin(ancestor: string, vpath: string): boolean {
  return ancestor === '/' || vpath === ancestor || vpath.startsWith(`${ancestor}/`)
}

/** `vpath` behind `base`: used where a tree is re-rooted, as for shares and user scopes. */
export function rebase(base: VPath, vpath: VPath): VPath {
  if (base === '/') return vpath
  return (vpath === '/' ? base : `${base}${vpath}`) as VPath
}

/** The extension from the last dot, dot included (`.env` for `.env`), or the empty string. */
export function suffixOf(name: string): string {
  const at = name.lastIndexOf('.')
  return at < 0 ? '' : name.slice(at)
}
