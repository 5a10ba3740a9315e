import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { UnfinishedUpload } from '../../src/api-types.ts'
import { nameOf, parentOf } from '../lib/paths.ts'
import { toastError } from '../operations/toasts.ts'
import { addFiles, fileInput } from './entry.ts'

/**
 * Asks for the file of an upload that the server holds a part of, and sends what is missing. Call it
 * inside a click or key handler.
 */
export function pickUnfinished(upload: UnfinishedUpload): void {
  const name = nameOf(upload.path)
  fileInput(async (files) => {
    const other = files.find((file) => file.name !== name)?.name
    if (other !== undefined) {
      toastError(i18n._(msg`“${other}” is another file. Choose “${name}”.`))
      return
    }
    const { adoptUnfinished } = await import('./resume.ts')
    adoptUnfinished(upload)
    await addFiles(files, parentOf(upload.path))
  }).click()
}
