// Why an upload failed, in the few words that fit its row, and in a sentence for the tooltip.

import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { UploadFailureCode } from './upload-item.ts'

const texts: Partial<Record<UploadFailureCode, MessageDescriptor>> = {
  unauthenticated: msg`Signed out`,
  second_factor_required: msg`Signed out`,
  wrong_credentials: msg`Signed out`,
  forbidden: msg`No permission`,
  token_not_allowed: msg`No permission`,
  download_forbidden: msg`No permission`,
  not_found: msg`Folder is gone`,
  exists: msg`Name is taken`,
  conflict: msg`In use`,
  precondition_failed: msg`Changed meanwhile`,
  too_large: msg`Too large for the server`,
  locked: msg`In use`,
  too_many_requests: msg`Server is busy`,
  not_a_folder: msg`Name is taken`,
  is_a_folder: msg`Name is taken`,
  incomplete: msg`Server error`,
  damaged: msg`Server error`,
  sign_in_unavailable: msg`Signed out`,
  disk_failed: msg`Server error`,
  internal: msg`Server error`,
  not_implemented: msg`Not supported`,
  no_space: msg`Server is full`,
  unreachable: msg`Disk does not answer`,
  network: msg`Connection lost`,
  timeout: msg`Connection lost`,
  unreadable: msg`Can’t be read`,
}
const refused = msg`Refused by the server`

const unreadableHint = msg`This file or folder can’t be read on your device. It may have been moved or deleted, or you may not have permission.`
const takenHint = msg`Something with this name appeared there meanwhile. Try again to choose what to keep.`
const fullHint = msg`There is not enough space left on the server. Free some, then try again.`

export function failureText(code: UploadFailureCode): string {
  return i18n._(texts[code] ?? refused)
}

/** A longer explanation, where there is more to say; undefined otherwise. */
export function failureHint(code: UploadFailureCode): string | undefined {
  if (code === 'unreadable') return i18n._(unreadableHint)
  if (code === 'exists') return i18n._(takenHint)
  if (code === 'no_space') return i18n._(fullHint)
  return undefined
}
