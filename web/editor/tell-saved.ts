// What is told of a save, with the way back where the server keeps what it replaced.

import { t } from '@lingui/core/macro'
import { hasVersions } from '../lib/boot.ts'
import { announce } from '../lib/page/announce.ts'
import { nameOf, parentOf, shownName } from '../lib/paths.ts'
import { dismissToast } from '../operations/toasts.ts'
import { offerUndo } from '../operations/undo.ts'
import { takeBack } from '../operations/undo-record.ts'
import { current } from './current-file.ts'
import { checkDisk } from './disk-version.ts'

/** `operation` is null where there is nothing to go back to. A text without edits since follows an Undo. */
export function tellSaved({ path, operation }: { path: string; operation: string | null }): void {
  if (!hasVersions || operation === null) {
    announce(t`Saved`)
    return
  }
  const name = shownName(nameOf(path))
  const file = current.file?.entry.path === path ? current.file : null
  // Whoever saves again and again is not shown a pile of them.
  if (file !== null) dismissToast(file.savedToast)
  const toast = offerUndo(t`Saved “${name}”`, async () => {
    if (await takeBack(operation, [parentOf(path)])) await checkDisk()
  })
  if (file !== null) file.savedToast = toast
}
