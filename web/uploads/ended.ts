// What was uploaded is told once, with the way back: by the panel where it is open, else by a message.

import { toastSuccess } from '../operations/toasts.ts'
import { offerUndo, offerUndoIn } from '../operations/undo.ts'
import { takeBack } from '../operations/undo-record.ts'
import { type EndedUpload, uploads } from '../state/uploads.ts'
import { uploadedText } from './notify.ts'

/** One of several has ended: while the panel tells about the others, a message offers to take it back. */
export function noteEnded(upload: EndedUpload, othersRun: boolean): void {
  // What had failed may have ended anew.
  const known = uploads.ended.filter(({ id }) => id === upload.id)
  const folders = [...upload.folders, ...known.flatMap((earlier) => earlier.folders)]
  uploads.ended = uploads.ended.filter((earlier) => !known.includes(earlier))
  uploads.ended.push({ ...upload, folders })
  if (othersRun) offerUndo(uploadedText(upload.files), () => takeBackUploads([upload]))
}

/** All have ended and the panel is folded away, in which `done` files were told. */
export function tellEnded(done: number): void {
  const ended = [...uploads.ended]
  if (ended.length === 0) toastSuccess(uploadedText(done))
  else offerUndo(uploadedText(done), () => takeBackUploads(ended))
}

/** All have ended, and the open panel says so: `dismiss` puts it away. */
export function offerInPanel(dismiss: () => void): void {
  const isShown = () => uploads.ended.length > 0 && !uploads.collapsed
  if (isShown()) offerUndoIn({ isShown, hide: dismiss, undo: takeBackAll })
}

/** Takes back all that the panel tells of. */
export function takeBackAll(): Promise<void> {
  return takeBackUploads([...uploads.ended])
}

async function takeBackUploads(some: readonly EndedUpload[]): Promise<void> {
  const ids = some.map(({ id }) => id)
  uploads.ended = uploads.ended.filter(({ id }) => !ids.includes(id))
  for (const { id, folders } of some.toReversed()) await takeBack(id, folders)
}
