// Logging out as people do it, with the questions that come first.

import { t } from '@lingui/core/macro'
import { mayLeave } from '../lib/page/navigate.ts'
import { logOut } from '../state/session.ts'
import { isUploading } from '../state/uploads.ts'
import { openPrompt } from './prompts.ts'

/**
 * Asks about unsaved work and running uploads before the session ends: afterwards it would be too
 * late to stay. Rejects with ApiError when the session could not be ended.
 */
export async function askToLogOut(): Promise<void> {
  if (!(await mayLeave())) return
  if (isUploading()) {
    const answer = await openPrompt('confirm', {
      title: t`Log out and stop the uploads?`,
      text: t`Choose the same files again to continue. Nothing is sent twice.`,
      answers: [{ id: 'leave', label: t`Log out`, tone: 'danger' }],
      cancelLabel: t`Keep uploading`,
    })
    if (answer === null) return
  }
  await logOut()
}
