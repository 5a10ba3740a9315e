// Copies an address of a share and says so.

import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ClipboardError, copyText } from '../lib/clipboard.ts'
import { toastError, toastSuccess } from '../operations/toasts.ts'

export async function copyShareLink(address: string): Promise<void> {
  try {
    await copyText(address)
    toastSuccess(i18n._(msg`Link copied`))
  } catch (error) {
    toastError(error instanceof ClipboardError ? error.message : error)
  }
}
