// Copying to the clipboard from a click: success and failure are both told.

import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ClipboardError, copyText } from '../lib/clipboard.ts'
import { toastError, toastSuccess } from './toasts.ts'

/** Copies a text and shows `done`, which is translated already. */
export async function copyWithToast(text: string | Promise<string>, done: string): Promise<void> {
  try {
    await copyText(await text)
    toastSuccess(done)
  } catch (error) {
    toastError(error instanceof ClipboardError ? error.message : error)
  }
}

export function copyLink(address: string): Promise<void> {
  return copyWithToast(address, i18n._(msg`Link copied`))
}
