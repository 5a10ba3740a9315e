// Failures of work on several files in one toast: one item is named, more are counted.

import { plural, t } from '@lingui/core/macro'
import { ApiError, isAbort } from '../api/client.ts'
import { messageOf } from '../api/error-text.ts'
import { nameOf, queryOf, ROOT, shownName } from '../lib/paths.ts'
import { toastError } from './toasts.ts'
import type { TransferFailure } from './transfer-types.ts'

export function folderTitle(vpath: string): string {
  const query = queryOf(vpath)
  if (query !== null) return t`Results for “${query}”`
  return vpath === ROOT ? t`My files` : shownName(nameOf(vpath))
}

/** Tells what failed, naming one item and counting the rest. Aborted work needs no words. */
export function tellFailures(
  failures: readonly TransferFailure[],
  one: (name: string, reason: string) => string,
  several: (count: number, reason: string) => string,
): void {
  const told = failures.filter(({ error }) => !isAbort(error))
  const [first] = told
  if (first === undefined) return
  const reason = messageOf(first.error)
  toastError(
    told.length === 1
      ? one(shownName(nameOf(first.item.path)), reason)
      : several(told.length, reason),
    { report: first.error instanceof ApiError },
  )
}

/** Tells what is still there. */
export function tellNotDeleted(failures: readonly TransferFailure[]): void {
  tellFailures(
    failures,
    (name, reason) => t`Couldn’t delete “${name}”. ${reason}`,
    (count, reason) =>
      plural(count, {
        one: `Couldn’t delete # item. ${reason}`,
        other: `Couldn’t delete # items. ${reason}`,
      }),
  )
}

/** Tells what did not come back. */
export function tellNotPutBack(failures: readonly TransferFailure[]): void {
  tellFailures(
    failures,
    (name, reason) => t`Couldn’t restore “${name}”. ${reason}`,
    (count, reason) =>
      plural(count, {
        one: `Couldn’t restore # item. ${reason}`,
        other: `Couldn’t restore # items. ${reason}`,
      }),
  )
}
