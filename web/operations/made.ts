// What was made and may be taken back: new folders and copies. Only what nobody touched since is
// removed, because taking back must not delete what came later.

import { plural, t } from '@lingui/core/macro'
import { deletePath, deleteSeen, fetchInfo, fetchTree } from '../api/files.ts'
import { nameOf, shownName, trimPath } from '../lib/paths.ts'
import { forgetFolder } from '../state/folder-cache.ts'
import { dropPinned } from '../state/prefs.ts'
import { abilitiesIn } from '../state/rights.ts'
import { session } from '../state/session.ts'
import { refreshUsage } from '../state/usage.ts'
import { reloadFolder } from './open-folder.ts'
import { toastError } from './toasts.ts'

/**
 * What an entry made is known to hold: size and time of itself and of all below it, by path. The time
 * of a folder says nothing that its entries do not.
 */
type Content = ReadonlyMap<string, Facts>

type Facts = { sizeBytes: number; modified: string } | 'folder'

export type Made = ReadonlyMap<string, Content>

/**
 * Bytes of the names and times that a deletion brings along: proxies in front refuse a body from 1 MB
 * on. Larger trees go as a whole after the look.
 */
const MAX_SEEN_BYTES = 512 * 1024

function factsOf(entry: { isDir: boolean; size: number; modified: string }): Facts {
  return entry.isDir ? 'folder' : { sizeBytes: entry.size, modified: entry.modified }
}

/**
 * Whether something made in a folder can be taken back. Hidden names are deleted along with their folder,
 * so who does not see them could not know what is lost.
 */
export function canTakeBack(folder: string): boolean {
  return abilitiesIn(folder).delete && session.user?.hideDotfiles !== true
}

/** New folders, each inside the one before, with nothing else in them. */
export function emptyFolders(paths: readonly string[]): Made {
  const [outermost] = paths
  if (outermost === undefined) return new Map()
  return new Map([[outermost, new Map(paths.map((path) => [path, 'folder' as const]))]])
}

/**
 * Looks at entries of `folder` and all they hold; those that are not there are left out.
 *
 * @throws ApiError when one of them cannot be listed.
 */
export async function lookAt(folder: string, paths: readonly string[]): Promise<Made> {
  const { signal } = new AbortController()
  const wanted = new Set(paths)
  const made = new Map<string, Content>()
  for (const item of (await fetchInfo(folder, signal)).items ?? []) {
    const path = trimPath(item.path)
    if (!wanted.has(path)) continue
    const content = new Map<string, Facts>([[path, factsOf(item)]])
    if (item.isDir) {
      for (const below of await fetchTree(path, signal)) content.set(below.path, factsOf(below))
    }
    made.set(path, content)
  }
  return made
}

/**
 * Deletes what was made in `folder`, but for what changed since: that stays and is told.
 *
 * @throws ApiError when the server refuses.
 */
export async function removeMade(folder: string, made: Made): Promise<void> {
  const kept: string[] = []
  try {
    for (const [path, content] of await lookAt(folder, [...made.keys()])) {
      if (isUntouched(content, made.get(path)) && (await remove(path, content))) dropPinned(path)
      else kept.push(path)
    }
  } finally {
    await reloadFolder(folder)
    refreshUsage()
  }
  const [first] = kept
  if (first === undefined) return
  const name = shownName(nameOf(first))
  toastError(
    kept.length === 1
      ? t`“${name}” wasn’t removed because it has changed since.`
      : plural(kept.length, {
          one: '# item wasn’t removed because it has changed since.',
          other: '# items weren’t removed because they have changed since.',
        }),
  )
}

/** Deletes what was checked; false when something came or changed in the moment since. */
async function remove(path: string, content: Content): Promise<boolean> {
  const times = [...content].map(([at, facts]) => {
    return [at, facts === 'folder' ? null : facts.modified] as const
  })
  try {
    const { size } = new Blob([JSON.stringify(times)])
    if (size <= MAX_SEEN_BYTES) return await deleteSeen(path, new Map(times))
    await deletePath(path)
    return true
  } finally {
    // Kept or refused, a part may have gone before.
    for (const [at, facts] of content) if (facts === 'folder') forgetFolder(at)
  }
}

/** What has gone meanwhile is no loss; what came or changed would be. */
function isUntouched(now: Content, then: Content | undefined): boolean {
  return [...now].every(([path, facts]) => isSame(facts, then?.get(path)))
}

function isSame(now: Facts, then: Facts | undefined): boolean {
  if (now === 'folder' || then === undefined || then === 'folder') return now === then
  return now.sizeBytes === then.sizeBytes && now.modified === then.modified
}
