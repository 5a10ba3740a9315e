// Why an upload failed, in the few words that fit its row, and in a sentence for the tooltip.

import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { UploadFailureCode } from './upload-item.ts'

const texts = {
  bad_request: msg`Refused by the server`,
  invalid_password: msg`Refused by the server`,
  invalid_code: msg`Refused by the server`,
  weak_password: msg`Refused by the server`,
  unauthenticated: msg`Signed out`,
  second_factor_required: msg`Signed out`,
  wrong_credentials: msg`Signed out`,
  forbidden: msg`No permission`,
  last_admin: msg`Refused by the server`,
  token_not_allowed: msg`No permission`,
  download_forbidden: msg`No permission`,
  not_found: msg`Folder is gone`,
  method_not_allowed: msg`Refused by the server`,
  exists: msg`Name is taken`,
  conflict: msg`In use`,
  precondition_failed: msg`Changed meanwhile`,
  too_large: msg`Too large for the server`,
  range_not_satisfiable: msg`Refused by the server`,
  unsupported: msg`Refused by the server`,
  locked: msg`In use`,
  too_many_requests: msg`Server is busy`,
  too_many_shares: msg`Refused by the server`,
  not_a_folder: msg`Name is taken`,
  is_a_folder: msg`Name is taken`,
  invalid_name: msg`Refused by the server`,
  same_place: msg`Refused by the server`,
  incomplete: msg`Server error`,
  damaged: msg`Server error`,
  command_failed: msg`Refused by the server`,
  sign_in_unavailable: msg`Signed out`,
  disk_failed: msg`Server error`,
  internal: msg`Server error`,
  not_implemented: msg`Not supported`,
  no_space: msg`Server is full`,
  unreachable: msg`Disk does not answer`,
  network: msg`Connection lost`,
  timeout: msg`Connection lost`,
  unreadable: msg`Can’t be read`,
} satisfies Record<UploadFailureCode, MessageDescriptor>

const unreadableHint = msg`This file or folder can’t be read on your device. It may have been moved or deleted, or you may not have permission.`
const takenHint = msg`Something with this name appeared there meanwhile. Try again to choose what to keep.`
const fullHint = msg`There is not enough space left on the server. Free some, then try again.`

export function failureText(code: UploadFailureCode): string {
  return i18n._(texts[code])
}

/** A longer explanation, where there is more to say; undefined otherwise. */
export function failureHint(code: UploadFailureCode): string | undefined {
  if (code === 'unreadable') return i18n._(unreadableHint)
  if (code === 'exists') return i18n._(takenHint)
  if (code === 'no_space') return i18n._(fullHint)
  return undefined
}
