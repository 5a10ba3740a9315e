// Copying to the clipboard from a click: success and failure are both told.

import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
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

const noData = msg`There is nothing to copy.`
const denied = msg`The browser doesn’t allow copying. Permission was denied.`
const unsupported = msg`This browser can’t copy to the clipboard.`

/** Why nothing was copied; `message` is translated. */
class ClipboardError extends Error {
  override name = 'ClipboardError'
}

/** There before it is needed: screens/page-commands.tsx. */
const otherWays = () => import('../lib/page/copy-otherwise.ts')

/**
 * Copies text.
 *
 * @throws ClipboardError when there is none, when it is not allowed, when no way works here.
 */
async function copyText(text: string): Promise<void> {
  if (text === '') throw new ClipboardError(i18n._(noData))
  const modern = globalThis.navigator?.clipboard?.writeText
  if (modern !== undefined) {
    try {
      await navigator.clipboard.writeText(text)
      return
    } catch {
      // Refused at first, for instance without focus: asking may help, and the old way is left.
      const { askForPermission } = await otherWays()
      if (await askForPermission(text)) return
    }
  }
  const { copyTheOldWay } = await otherWays()
  if (copyTheOldWay(text)) return
  throw new ClipboardError(i18n._(modern === undefined ? unsupported : denied))
}
