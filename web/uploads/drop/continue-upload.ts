// Goes on with an interrupted upload whose files this browser has kept handles of. Call it inside a click handler:
// the browser may ask the person whether the page may read them.

import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { toastError } from '../../operations/toasts.ts'
import { addScan } from '../add.ts'
import { scanFiles } from '../dropped-files.ts'
import { forgetKeptHandles, handlesOf } from '../resume.ts'

/** Never rejects: problems are told, and the files can be chosen then. */
export async function continueUpload(batchID: string, targetPath: string): Promise<void> {
  const handles = handlesOf(batchID)
  try {
    const files: File[] = []
    for (const handle of handles) {
      const state = (await handle.requestPermission?.({ mode: 'read' })) ?? 'granted'
      // Who says no is asked for the files.
      if (state !== 'granted') return forgetKeptHandles(batchID)
      files.push(await handle.getFile())
    }
    await addScan({ ...scanFiles(files), handles: Promise.resolve([...handles]) }, targetPath)
  } catch {
    forgetKeptHandles(batchID)
    toastError(
      i18n._(
        msg`This file or folder can’t be read on your device. It may have been moved or deleted, or you may not have permission.`,
      ),
    )
  }
}
