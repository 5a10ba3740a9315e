// Paths of the host.
import { sep } from 'node:path'

/** Linux PATH_MAX, the NUL at the end included: a longer path leads nowhere. */
export const MAX_PATH_BYTES = 4_096

/** True when `path` is `root` or lies below it; both real, without trailing separator. */
export function contains(root: string, path: string): boolean {
  if (path === root) return true
  return path.startsWith(root.endsWith(sep) ? root : root + sep)
}
