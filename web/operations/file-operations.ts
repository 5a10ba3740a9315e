// What a person does to files, from the question to the toast: delete, rename, make. Copying and
// moving are in copy-and-move.ts. Errors are told here; callers only need to know whether it went through.

import { plural, t } from '@lingui/core/macro'
import { ApiError } from '../api/client.ts'
import { createFile, createFolder, fetchInfo, transfer } from '../api/files.ts'
import { joinPath, parentOf, shownName, trimPath } from '../lib/paths.ts'
import { cachedFolder, forgetFolder } from '../state/folder-cache.ts'
import { entryAt, markBusy, openFolderPath, revealEntry, shownFolder } from '../state/listing.ts'
import { draftEntry, movedEntry, patchFolder } from '../state/patch-folder.ts'
import { movePinned } from '../state/prefs.ts'
import { renameSelected, selectResult } from '../state/selection.ts'
import { endsOf, undoMoves } from './copy-and-move.ts'
import { tellFailures } from './failure-toasts.ts'
import { canTakeBack, emptyFolders, removeMade } from './made.ts'
import { reloadFolder } from './open-folder.ts'
import { toastSuccess } from './toasts.ts'
import type { TransferFailure } from './transfer-types.ts'
import type { PlannedTransfer } from './transfers.ts'
import { expectUndo, offerUndo } from './undo.ts'

/** @throws ApiError when the server refuses; what was shown is taken back by then. */
async function moveTo(from: string, to: string): Promise<void> {
  const folder = parentOf(from)
  const entry = entryAt(from)
  const sameFolder = folder === parentOf(to)
  // Before the listing changes: it forgets the selection of what it does not show.
  renameSelected(from, to)
  const change =
    entry !== undefined && sameFolder
      ? patchFolder({ folder, remove: [from], add: [movedEntry(entry, to)] })
      : null
  const focused = shownFolder().focus === from || shownFolder().focus === null
  if (focused && sameFolder) revealEntry(to)
  markBusy([to], true)
  try {
    await transfer({ action: 'rename', from, to, override: false })
    change?.settle()
    movePinned(from, to)
    forgetFolder(from)
  } catch (error) {
    renameSelected(to, from)
    change?.takeBack()
    if (focused && sameFolder) revealEntry(from)
    // Somebody else moved or deleted it: the listing is out of date.
    if (error instanceof ApiError && error.code === 'not_found') void reloadFolder(folder)
    throw error
  } finally {
    markBusy([to], false)
  }
  if (!sameFolder || entry === undefined) {
    await Promise.all([reloadFolder(folder), reloadFolder(parentOf(to))])
  }
}

/** Renames one entry and offers Undo. @throws ApiError for the field that asked. */
export async function renameEntry(path: string, name: string): Promise<string> {
  const to = joinPath(parentOf(path), name)
  const isTold = expectUndo()
  try {
    await moveTo(path, to)
    const shown = shownName(name)
    offerUndo(t`Renamed to “${shown}”`, () =>
      undoMoves([{ from: path, to, isDir: false, override: false }]),
    )
    return to
  } finally {
    isTold()
  }
}

/**
 * Renames several entries one after the other; targets were checked to be free and different. One may
 * take two steps, over a name in between.
 */
export async function renameEntries(
  pairs: readonly { path: string; name: string }[],
): Promise<void> {
  const done: PlannedTransfer[] = []
  const failures: TransferFailure[] = []
  const isTold = expectUndo()
  for (const { path, name } of pairs) {
    const to = joinPath(parentOf(path), name)
    try {
      await moveTo(path, to)
      done.push({ from: path, to, isDir: false, override: false })
    } catch (error) {
      failures.push({ item: { path, isDir: false }, error })
    }
  }
  if (done.length > 0) {
    const ends = endsOf(done)
    selectResult(ends)
    offerUndo(
      plural(ends.size, { one: 'Renamed # item', other: 'Renamed # items' }),
      // The last first: a name may have become free only by an earlier one.
      () => undoMoves([...done].reverse()),
    )
  }
  isTold()
  tellFailures(
    failures,
    (name, reason) => t`Couldn’t rename “${name}”. ${reason}`,
    (count, reason) =>
      plural(count, {
        one: `Couldn’t rename # item. ${reason}`,
        other: `Couldn’t rename # items. ${reason}`,
      }),
  )
}

/** Makes `a`, or `a/b/c` with all folders between, below `parent`. @throws ApiError */
export async function makeFolder(parent: string, segments: readonly string[]): Promise<string> {
  const first = joinPath(parent, segments[0] ?? '')
  const made = segments.reduce(joinPath, parent)
  const existed = await isThere(parent, first)
  const change = existed ? null : patchFolder({ folder: parent, add: [draftEntry(first, true)] })
  try {
    await createFolder(made)
    change?.settle()
  } catch (error) {
    change?.takeBack()
    throw error
  }
  if (openFolderPath() === parent) {
    selectResult([first])
    revealEntry(first)
  }
  void reloadFolder(parent)
  const name = shownName(segments.join('/'))
  // A folder that was there before must not be deleted by taking back what went into it.
  if (existed || !canTakeBack(parent)) toastSuccess(t`Created folder “${name}”`)
  else {
    const folders = segments.map((_, i) => segments.slice(0, i + 1).reduce(joinPath, parent))
    offerUndo(t`Created folder “${name}”`, () => removeMade(parent, emptyFolders(folders)))
  }
  return made
}

/** Whether `parent` holds `path`: as far as it is known here, else as the server says. */
async function isThere(parent: string, path: string): Promise<boolean> {
  const known = (openFolderPath() === parent && shownFolder().folder) || cachedFolder(parent)
  if (known) return known.byPath.has(path)
  const info = await fetchInfo(parent, new AbortController().signal)
  return (info.items ?? []).some((item) => trimPath(item.path) === path)
}

/** Makes a file, an empty one or as `make` does, with folders between, below `parent`. @throws ApiError 409 when taken. */
export async function makeFile(
  parent: string,
  segments: readonly string[],
  make: (path: string) => Promise<void> = createFile,
): Promise<string> {
  const made = segments.reduce(joinPath, parent)
  await make(made)
  void reloadFolder(parent)
  return made
}
