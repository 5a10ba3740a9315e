// Deleting: the question where one is due, the screen first, then the server, and the way back where the
// server has a trash.

import { plural, t } from '@lingui/core/macro'
import { ApiError, newOperation } from '../api/client.ts'
import { hasTrash } from '../lib/boot.ts'
import { groupByParent, nameOf, parentOf, shownName } from '../lib/paths.ts'
import { forgetFolder } from '../state/folder-cache.ts'
import { heirOf, openFolderPath, revealEntry } from '../state/listing.ts'
import { patchFolder, type ShownChange } from '../state/patch-folder.ts'
import { ownPreferences } from '../state/preferences.ts'
import { dropPinned } from '../state/prefs.ts'
import { selectResult } from '../state/selection.ts'
import { refreshUsage } from '../state/usage.ts'
import { doAsJobs } from './as-job.ts'
import { tellNotDeleted } from './failure-toasts.ts'
import { reloadFolder } from './open-folder.ts'
import { openPrompt } from './prompts.ts'
import { toastSuccess } from './toasts.ts'
import type { TransferItem } from './transfer-types.ts'
import { expectUndo, offerTakeBack } from './undo.ts'

export type Deletion = 'trash' | 'gone'

/** Not knowing, it is better to ask. */
const whatOnDelete = () =>
  ownPreferences().then(
    ({ onDelete }) => onDelete,
    () => 'ask' as const,
  )

/** What is about to be deleted, until it is known whether and how. */
const asked = new Set<string>()

/**
 * Asks where that is due: before something is gone for good, and for those who want to be asked. Null when the
 * person thought better of it.
 */
export async function askToDelete(
  items: readonly TransferItem[],
  forGood = false,
): Promise<Deletion | null> {
  // Pressed again before it was known what Delete does, or before the question was there.
  if (items.every(({ path }) => asked.has(path))) return null
  for (const { path } of items) asked.add(path)
  try {
    const choice = hasTrash && !forGood ? await whatOnDelete() : 'gone'
    if (choice === 'trash') return choice
    const how = choice === 'ask' ? 'trash' : 'gone'
    return (await openPrompt('delete', { items, forGood: how === 'gone' })) && how
  } finally {
    for (const { path } of items) asked.delete(path)
  }
}

/** Deletes without a question. Focus goes to the next entry, else the previous. */
export async function deleteEntries(items: readonly TransferItem[], how: Deletion): Promise<void> {
  const operation = newOperation()
  const isTold = expectUndo()
  const trash = hasTrash ? how === 'trash' : undefined
  const paths = items.map((item) => item.path)
  const heir = heirOf(paths)
  const folders = groupByParent(paths, (path) => path)
  const changes = new Map<string, ShownChange>()
  for (const [folder, remove] of folders) changes.set(folder, patchFolder({ folder, remove }))
  if (heir !== null) {
    revealEntry(heir)
    if (paths.length === 1) selectResult([heir])
  }
  const { failures: refused, isLong } = await doAsJobs(
    [{ what: { kind: 'delete', trash }, items }],
    operation,
  )
  // Gone already is what was wanted.
  const failures = refused.filter(
    ({ error }) => !(error instanceof ApiError && error.code === 'not_found'),
  )
  const left = new Set(failures.map(({ item }) => item.path))
  for (const path of paths) {
    if (left.has(path)) continue
    dropPinned(path)
    forgetFolder(path)
  }
  refreshUsage()
  const gone = items.length - failures.length
  if (gone > 0) {
    const [first] = items
    const name = shownName(nameOf(first?.path ?? ''))
    const text =
      gone === 1 && items.length === 1
        ? t`Deleted “${name}”`
        : plural(gone, { one: 'Deleted # item', other: 'Deleted # items' })
    if (trash) offerTakeBack(text, operation, [...folders.keys()])
    else toastSuccess(text)
  }
  isTold()
  for (const [folder, change] of changes) {
    change.takeBack([...left].filter((path) => parentOf(path) === folder))
    change.settle()
  }
  if (failures.length === 0) return
  await Promise.all([...folders.keys()].map(reloadFolder))
  if (isLong) return
  const here = [...left].filter((path) => parentOf(path) === openFolderPath())
  if (here[0] !== undefined) {
    selectResult(here)
    revealEntry(here[0])
  }
  tellNotDeleted(failures)
}
