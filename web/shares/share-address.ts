// The address of a share page: the link's hash and the path inside what is shared, read raw and
// decoded once, as names may hold `#`, `?` and `%`.

import { boot } from '../lib/boot.ts'
import { encodePath, ROOT, trimPath } from '../lib/paths.ts'

export interface ShareAddress {
  hash: string
  /** Inside the share; the root for the shared thing itself. */
  inner: string
}

/** Null when `path`, without the base URL, is no share page or holds a malformed escape. */
export function readShareAddress(path: string): ShareAddress | null {
  const [, word, hash, ...rest] = path.split('/')
  if (word !== 'share' || hash === undefined || hash === '') return null
  try {
    const segments = rest.filter((segment) => segment !== '').map(decodeURIComponent)
    return { hash: decodeURIComponent(hash), inner: trimPath(`/${segments.join('/')}`) }
  } catch {
    return null
  }
}

/** The page of something inside a share, with the base URL. */
export function shareHref({ hash, inner }: ShareAddress): string {
  const path = inner === ROOT ? '' : encodePath(inner)
  return `${boot.BaseURL}/share/${encodeURIComponent(hash)}${path}`
}
