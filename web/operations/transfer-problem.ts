// What of a copy or move can be known without asking the server.

import { isWithin, parentOf, ROOT } from '../lib/paths.ts'
import type { TransferItem, TransferKind } from './transfer-types.ts'

/** Why an entry cannot go into a folder at all; null when it can. */
export function transferProblem(
  kind: TransferKind,
  item: TransferItem,
  target: string,
): 'into-itself' | 'already-there' | 'root' | null {
  if (item.path === ROOT) return 'root'
  if (item.isDir && isWithin(item.path, target)) return 'into-itself'
  if (kind === 'move' && parentOf(item.path) === target) return 'already-there'
  return null
}
