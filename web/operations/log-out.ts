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
      title: t`Sign out and stop the uploads?`,
      text: t`Choose the same files again to resume. What’s already uploaded won’t be sent again.`,
      answers: [{ id: 'leave', label: t`Sign out`, tone: 'danger' }],
      cancelLabel: t`Keep uploading`,
    })
    if (answer === null) return
  }
  await logOut()
}
