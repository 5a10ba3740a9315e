// What was turned or cropped on the screen, saved: over the picture, or as a copy beside it.

import { t } from '@lingui/core/macro'
import type { FileEntry } from '../../../src/api-types.ts'
import { newOperation } from '../../api/client.ts'
import { fetchInfo } from '../../api/files.ts'
import { editPicture, type PictureEdit } from '../../api/pictures/edit-picture.ts'
import { hasVersions } from '../../lib/boot.ts'
import { extensionOf } from '../../lib/file-class.ts'
import { freeName, joinPath, parentOf, shownName } from '../../lib/paths.ts'
import { reloadFolder } from '../../operations/open-folder.ts'
import { toastError, toastSuccess } from '../../operations/toasts.ts'
import { offerUndo } from '../../operations/undo.ts'
import { listing, sendToListing } from '../../state/listing.ts'

const cropped = new Set(['jpg', 'jpeg', 'jpe', 'jfif', 'png', 'webp'])
/** Written anew with some loss, at this quality. */
const lossy = new Set(['jpg', 'jpeg', 'jpe', 'jfif', 'webp'])
export const QUALITY_PERCENT = 95

/** What the server can write of a picture of this name. */
export function editsOf(name: string): { turn: boolean; crop: boolean; isLossy: boolean } {
  const extension = extensionOf(name)
  const crop = cropped.has(extension)
  const turn = crop || extension === 'tif' || extension === 'tiff'
  return { turn, crop, isLossy: lossy.has(extension) }
}

/** True when it is saved. Tells what goes wrong, and offers the way back where versions are kept. */
export async function savePicture(
  { path, ...entry }: FileEntry,
  edit: PictureEdit,
  headers: Record<string, string>,
): Promise<boolean> {
  const operation = newOperation()
  const folder = parentOf(path)
  const name = shownName(entry.name)
  try {
    await editPicture(path, edit, headers, operation)
    const text = t`Saved “${name}”`
    if (hasVersions) offerUndo(text, () => takeBackSave(path, operation))
    else toastSuccess(text)
    await Promise.all([reloadFolder(folder), refreshFile(path)])
    return true
  } catch (error) {
    toastError(error)
    return false
  }
}

/** Shows a file that is open as it is by now. */
async function refreshFile(vpath: string): Promise<void> {
  const isShown = () => listing.phase.kind === 'file' && listing.phase.vpath === vpath
  if (!isShown()) return
  const file = await fetchInfo(vpath)
  if (isShown() && !file.isDir) sendToListing({ type: 'found', file })
}

async function takeBackSave(path: string, operation: string): Promise<void> {
  const { takeBack } = await import('../../operations/undo-record.ts')
  await takeBack(operation, [parentOf(path)])
  await refreshFile(path)
}

/** True when there is a copy of the picture with the change, under a free name. */
export async function saveCopy(
  { path, ...entry }: FileEntry,
  edit: PictureEdit,
  { headers, siblings }: { headers: Record<string, string>; siblings: readonly FileEntry[] },
): Promise<boolean> {
  const folder = parentOf(path)
  const taken = new Set(siblings.map((sibling) => sibling.name))
  const free = freeName(entry.name, false, taken.add(entry.name))
  try {
    await editPicture(path, { ...edit, to: joinPath(folder, free) }, headers, newOperation())
    const name = shownName(free)
    toastSuccess(t`Saved “${name}”`)
    await reloadFolder(folder)
    return true
  } catch (error) {
    toastError(error)
    return false
  }
}
