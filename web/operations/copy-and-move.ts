// Copy, move, paste and duplicate as the person meets them: clashes are asked about, the outcome is
// told in a toast, and what can be taken back is offered for Undo.

import { plural, t } from '@lingui/core/macro'
import { createLocks } from '../../src/lib/locks.ts'
import { newOperation } from '../api/client.ts'
import { messageOf } from '../api/error-text.ts'
import { transfer } from '../api/files.ts'
import { hasTrash, hasVersions } from '../lib/boot.ts'
import { goHref } from '../lib/page/navigate.ts'
import { filesHref, nameOf, parentOf, shownName } from '../lib/paths.ts'
import { clearClipboard, clipboard } from '../state/clipboard.ts'
import { forgetFolder } from '../state/folder-cache.ts'
import { openFolderPath, revealEntry } from '../state/listing.ts'
import { ownPreferences } from '../state/preferences.ts'
import { movePinned } from '../state/prefs.ts'
import { renameSelected, selectResult } from '../state/selection.ts'
import { refreshUsage } from '../state/usage.ts'
import { folderTitle, tellFailures, tellNotPutBack } from './failure-toasts.ts'
import { canTakeBack, lookAt, removeMade } from './made.ts'
import { reloadFolder, selectOnArrival } from './open-folder.ts'
import { toastError, toastSuccess } from './toasts.ts'
import { transferProblem } from './transfer-problem.ts'
import type { TransferFailure, TransferItem, TransferKind } from './transfer-types.ts'
import { carryOut, type PlannedTransfer, planTransfer, type TransferResult } from './transfers.ts'
import { expectUndo, offerTakeBack, offerUndo, showing } from './undo.ts'

/**
 * Moves or copies into a folder, asking where names are taken. Resolves true when something was done.
 * `follow` opens the target afterwards for people who want that; what is `told` is a copy unless it is named.
 */
export async function transferEntries(
  kind: TransferKind,
  items: readonly TransferItem[],
  target: string,
  options: { follow?: boolean; told?: 'duplicate' } = {},
): Promise<boolean> {
  const blocked = items.find((item) => transferProblem(kind, item, target) === 'into-itself')
  if (blocked !== undefined) {
    const name = shownName(nameOf(blocked.path))
    toastError(
      kind === 'move'
        ? t`“${name}” can’t be moved into itself.`
        : t`“${name}” can’t be copied into itself.`,
    )
    return false
  }
  // Asked for beside the plan, so that nothing waits for it.
  const follows = options.follow === true && opensTarget()
  let plan: PlannedTransfer[] | null
  try {
    plan = await planTransfer(kind, items, target, new AbortController().signal)
  } catch (error) {
    const name = folderTitle(target)
    toastError(t`Couldn’t open “${name}”. ${messageOf(error)}`, { report: true })
    return false
  }
  if (plan === null || plan.length === 0) return false
  const operation = newOperation()
  const isTold = expectUndo()
  const result = await carryOut(kind, plan, target, operation)
  if (kind === 'move') {
    for (const step of result.done) {
      movePinned(step.from, step.to)
      forgetFolder(step.from)
    }
  } else refreshUsage()
  // Told before the folders are listed again, which may take long on a bad connection.
  const goes = !result.isLong && (await follows)
  if (result.done.length > 0)
    tellTransfer(options.told ?? kind, result.done, target, operation, goes)
  isTold()
  await settle(kind, result, target, goes)
  if (result.isLong) return result.done.length > 0
  tellFailures(
    result.failures,
    (name, reason) =>
      kind === 'move'
        ? t`Couldn’t move “${name}”. ${reason}`
        : t`Couldn’t copy “${name}”. ${reason}`,
    (count, reason) =>
      kind === 'move'
        ? plural(count, {
            one: `Couldn’t move # item. ${reason}`,
            other: `Couldn’t move # items. ${reason}`,
          })
        : plural(count, {
            one: `Couldn’t copy # item. ${reason}`,
            other: `Couldn’t copy # items. ${reason}`,
          }),
  )
  return result.done.length > 0
}

/** Not knowing, the page stays. */
const opensTarget = () =>
  ownPreferences().then(
    ({ openTarget }) => openTarget,
    () => false,
  )

/** Brings the screen in step with the server and shows what arrived, or goes where it went. */
async function settle(
  kind: TransferKind,
  { done, failures, isLong }: TransferResult,
  target: string,
  goes: boolean,
): Promise<void> {
  const [first] = done
  const here = openFolderPath() === target
  // Before the folder is listed again: by then the person may have turned to something else.
  if (first !== undefined && here && !isLong) {
    selectResult(done.map((step) => step.to))
    revealEntry(first.to)
  }
  // What was refused may have gone meanwhile: somebody else moved or deleted it.
  const changed = new Set([target, ...failures.map(({ item }) => parentOf(item.path))])
  if (kind === 'move') for (const step of done) changed.add(parentOf(step.from))
  await Promise.all([...changed].map(reloadFolder))
  if (first !== undefined && !here && goes) {
    await goTo(
      target,
      done.map((step) => step.to),
    )
  }
}

/** Opens the folder and selects these of its entries. */
async function goTo(folder: string, paths: readonly string[]): Promise<void> {
  selectOnArrival(folder, paths)
  await goHref(filesHref(folder, true))
}

/**
 * Says what has been copied or moved, and offers to show it, unless the page `goes` there, and to take it back. From
 * there Undo leads to where the page came from.
 */
export function tellTransfer(
  kind: TransferKind | 'duplicate',
  done: readonly PlannedTransfer[],
  target: string,
  operation: string,
  goes = false,
): void {
  const count = done.length
  const folder = folderTitle(target)
  const text =
    kind === 'move'
      ? plural(count, {
          one: `Moved # item to “${folder}”`,
          other: `Moved # items to “${folder}”`,
        })
      : kind === 'duplicate'
        ? plural(count, { one: 'Duplicated # item', other: 'Duplicated # items' })
        : plural(count, {
            one: `Copied # item to “${folder}”`,
            other: `Copied # items to “${folder}”`,
          })
  const replaced = done.some((step) => step.override)
  const isElsewhere = openFolderPath() !== target
  const made = done.map((step) => step.to)
  let origin = isElsewhere && goes ? openFolderPath() : null
  const leadThere = () => {
    origin = openFolderPath()
    void goTo(target, made)
  }
  const show = isElsewhere && !goes ? leadThere : undefined
  const goBack = async () => {
    if (origin === null || origin === target || openFolderPath() !== target) return
    await goTo(
      origin,
      done.map((step) => step.from),
    )
  }
  const undoing = (undo: () => Promise<void>) => async () => {
    await undo()
    await goBack()
  }
  if (kind === 'move' && !replaced)
    offerUndo(
      text,
      undoing(() => undoMoves(done)),
      show,
    )
  else if (hasTrash && (hasVersions || !replaced)) {
    const folders = new Set(done.map((step) => parentOf(step.from)).concat(target))
    offerTakeBack(text, operation, [...folders], show, goBack)
  }
  // Without versions what was replaced cannot be brought back, so nothing is promised then.
  else if (replaced || !canTakeBack(target)) toastSuccess(text, showing(show))
  else {
    const copies = lookAt(target, made)
    // Waited for only by Undo, which then says why it cannot.
    copies.catch(() => {})
    offerUndo(
      text,
      undoing(async () => removeMade(target, await copies)),
      show,
    )
  }
}

/**
 * By what is copied or moved, and where to. The server takes a copy that is asked for again while it runs for one and the
 * same, and what was cut is not where it was once it has moved.
 */
const underWay = createLocks()

const keyOf = (items: readonly TransferItem[], target = '') =>
  [target, ...items.map(({ path }) => path)].join('\n')

/**
 * Pastes what was copied or cut. A cut empties the clipboard once it has moved, unless something else
 * was taken meanwhile, here or in another tab.
 */
export async function pasteInto(folder: string): Promise<void> {
  const { kind, items } = clipboard
  if (items.length === 0) return
  if (kind === 'copy') {
    await underWay.withLock(keyOf(items, folder), () => transferEntries('copy', items, folder))
    return
  }
  await underWay.withLock(keyOf(items), async () => {
    if (clipboard.items !== items) return
    if ((await transferEntries('move', items, folder)) && clipboard.items === items)
      clearClipboard()
  })
}

/** Copies beside the originals, under free names. */
export async function duplicateEntries(items: readonly TransferItem[]): Promise<void> {
  const [first] = items
  if (first === undefined) return
  const folder = parentOf(first.path)
  await underWay.withLock(keyOf(items, folder), () =>
    transferEntries('copy', items, folder, { told: 'duplicate' }),
  )
}

/** Where things are after these moves, made one after the other; what moved twice is there once. */
export function endsOf(moves: readonly { from: string; to: string }[]): Set<string> {
  const ends = new Set<string>()
  for (const { from, to } of moves) {
    ends.delete(from)
    ends.add(to)
  }
  return ends
}

/** Moves everything back where it came from, one after the other. */
export async function undoMoves(steps: readonly PlannedTransfer[]): Promise<void> {
  const folders = new Set<string>()
  const failures: TransferFailure[] = []
  const moves: { from: string; to: string }[] = []
  for (const { from, to, isDir } of steps) {
    folders.add(parentOf(from)).add(parentOf(to))
    try {
      await transfer({ action: 'rename', from: to, to: from, override: false })
      moves.push({ from: to, to: from })
      renameSelected(to, from)
      movePinned(to, from)
    } catch (error) {
      failures.push({ item: { path: to, isDir }, error })
    }
  }
  for (const folder of folders) await reloadFolder(folder)
  const here = [...endsOf(moves)].filter((path) => parentOf(path) === openFolderPath())
  selectResult(here)
  const [first] = here
  if (first !== undefined) revealEntry(first)
  tellNotPutBack(failures)
}
