// Places of the installation as text: `/docs` in the served folder, `photos:/2024` in the root `photos`.
import { isWithin, ROOT, rebase, toVPath, type VPath } from './vpath.ts'

/** Canonical: what names the same place is the same text, but for case. */
export type PlaceText = string & { readonly __brand: 'PlaceText' }

/** A place by the name of its root, which is empty for the served folder. */
export interface PlaceParts {
  root: string
  vpath: VPath
}

const ROOT_NAME = /^[a-z0-9-]{1,32}$/

/** Reads a place in any spelling, which `/` or the name of a root and `:/` must begin. Null for anything else. */
export function parsePlace(text: string): PlaceText | null {
  const at = text.startsWith('/') ? -1 : text.indexOf(':')
  const root = text.slice(0, Math.max(at, 0))
  const path = text.slice(at + 1)
  if (!path.startsWith('/') || (at >= 0 && !ROOT_NAME.test(root))) return null
  const vpath = toVPath(path)
  return vpath === null ? null : formatPlace({ root, vpath })
}

export function formatPlace({ root, vpath }: PlaceParts): PlaceText {
  return (root === '' ? vpath : `${root}:${vpath}`) as PlaceText
}

export function splitPlace(place: PlaceText): PlaceParts {
  const at = place.startsWith('/') ? -1 : place.indexOf(':')
  return { root: place.slice(0, Math.max(at, 0)), vpath: place.slice(at + 1) as VPath }
}

/** The place of a path below another place. */
export function placeBelow(base: PlaceText, vpath: VPath): PlaceText {
  const { root, vpath: top } = splitPlace(base)
  return formatPlace({ root, vpath: rebase(top, vpath) })
}

/** True when `place` is `ancestor` or lies below it. */
export function isPlaceWithin(ancestor: PlaceText, place: PlaceText): boolean {
  const [a, b] = [splitPlace(ancestor), splitPlace(place)]
  return a.root === b.root && isWithin(a.vpath, b.vpath)
}

/** The path of a place below another one that holds it. */
export function pathBelow(ancestor: PlaceText, place: PlaceText): VPath {
  const [top, own] = [splitPlace(ancestor).vpath, splitPlace(place).vpath]
  return (own.slice(top === ROOT ? 0 : top.length) || ROOT) as VPath
}
