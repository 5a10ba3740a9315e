// Taking back what the server remembers, and telling what of it had to stay.

import { plural, t } from '@lingui/core/macro'
import { undoRecord } from '../api/history.ts'
import { nameOf, shownName } from '../lib/paths.ts'
import { forgetFolder } from '../state/folder-cache.ts'
import { openFolderPath } from '../state/listing.ts'
import { refreshUsage } from '../state/usage.ts'
import { reloadFolder } from './open-folder.ts'
import { toastError } from './toasts.ts'

/**
 * Takes back a record, or all that was done under the name of an operation. `folders` are listed anew. False when
 * nothing of it is as it was before.
 *
 * @throws ApiError when the server refuses.
 */
export async function takeBack(id: string, folders: readonly string[] = []): Promise<boolean> {
  const open = openFolderPath()
  const changed = new Set([...folders, ...(open === null ? [] : [open])])
  try {
    const { done, kept } = await undoRecord(id)
    const [first] = kept
    if (first === undefined) {
      if (done === 0) toastError(t`This can’t be undone any more.`)
      return done > 0
    }
    const name = shownName(nameOf(first.path ?? ''))
    toastError(
      kept.length === 1 && first.path !== undefined
        ? t`“${name}” wasn’t removed because it has changed since.`
        : plural(kept.length, {
            one: '# item wasn’t removed because it has changed since.',
            other: '# items weren’t removed because they have changed since.',
          }),
    )
    return done > 0
  } finally {
    for (const folder of changed) forgetFolder(folder)
    await Promise.all([...changed].map(reloadFolder))
    refreshUsage()
  }
}
