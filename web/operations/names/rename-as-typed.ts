import { ApiError } from '../../api/client.ts'
import { parentOf } from '../../lib/paths.ts'
import { openFolderPath } from '../../state/listing.ts'
import { renameInRow } from '../../state/renaming.ts'
import { renameEntry } from '../file-operations.ts'
import { toastError } from '../toasts.ts'
import { describeRefusal } from './name-check.ts'

/** Renames as typed in the row. What is refused is typed there again, with what was typed and why. */
export async function renameAsTyped(path: string, name: string): Promise<void> {
  try {
    await renameEntry(path, name)
  } catch (error) {
    const isGone = error instanceof ApiError && error.code === 'not_found'
    const isShown = openFolderPath() === parentOf(path) && !isGone
    const refusal = describeRefusal(error, name)
    if (!isShown || !(await renameInRow(path, name, refusal))) toastError(error)
  }
}
