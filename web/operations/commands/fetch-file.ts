// Files that the server fetches from other addresses. Loaded when one is asked for.

import { t } from '@lingui/core/macro'
import { newOperation } from '../../api/client.ts'
import { hasTrash } from '../../lib/boot.ts'
import { nameOf, shownName } from '../../lib/paths.ts'
import { hasEnded } from '../../state/jobs.ts'
import { refreshUsage } from '../../state/usage.ts'
import { followJob, showJob } from '../follow-jobs.ts'
import { reloadFolder } from '../open-folder.ts'
import { openPrompt } from '../prompts.ts'
import { toastError, toastSuccess } from '../toasts.ts'
import { offerTakeBack } from '../undo.ts'

/** Asks for an address and has the server fetch what is there into a folder. Never rejects. */
export async function fetchInto(folder: string): Promise<void> {
  const operation = newOperation()
  const job = await openPrompt('fetchFile', { folder, operation })
  if (job === null) return
  try {
    const isLong = !hasEnded(job)
    const { state, items } = isLong ? await followJob(job) : job
    refreshUsage()
    await reloadFolder(folder)
    if (state === 'failed' && !isLong) showJob(job)
    if (state !== 'done') return
    const name = shownName(nameOf(items[0] ?? '/'))
    if (hasTrash) offerTakeBack(t`Fetched “${name}”`, operation, [folder])
    else toastSuccess(t`Fetched “${name}”`)
  } catch (error) {
    toastError(error)
  }
}
