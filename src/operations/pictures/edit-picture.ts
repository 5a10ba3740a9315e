// A picture saved turned or cropped: as a save of its file, or as another file beside it.
import { Readable } from 'node:stream'
import { spliced, splicedBytes } from '../../files/pictures/splices.ts'
import { turn, UnturnableError } from '../../files/pictures/turn.ts'
import type { OpenFile } from '../../files/place/scope.ts'
import { type PictureEdit, PreviewError } from '../../files/preview/protocol.ts'
import type { EntryStat } from '../../files/volume/entry-stat.ts'
import type { CommittedFile } from '../../files/volume/temp-file.ts'
import { AppError, tooMany } from '../../lib/errors.ts'
import { suffixOf, type VPath } from '../../lib/vpath.ts'
import { type Actor, requireMay } from '../actor.ts'
import { type Body, createFile, saveFile } from '../write.ts'

/** What is turned without being written anew, by the end of its name: raw files of cameras are TIFF as well. */
const BY_ORIENTATION = new Set(['.jpg', '.jpeg', '.jpe', '.jfif', '.tif', '.tiff'])
const BY_PIXELS = new Set(['.jpg', '.jpeg', '.jpe', '.jfif', '.png', '.webp'])

interface EditOptions {
  edit: PictureEdit
  /** Makes this file instead; `exists` where there is one. */
  to: VPath | null
  /** Throws unless the picture is as the caller expects. */
  check: (file: EntryStat) => void
}

/**
 * Turns and crops a picture, with the right to download, and to modify it or to create `to`. Only the orientation
 * that the file tells of is changed where that is enough (JPEG, TIFF). Throws `unsupported` for what is no picture
 * that can be written, and `too_large`.
 */
export async function editPicture(
  actor: Actor,
  vpath: VPath,
  { edit, to, check }: EditOptions,
): Promise<CommittedFile> {
  requireMay(actor, 'download', vpath)
  // Before the work, which is asked again at its end.
  requireMay(actor, to === null ? 'modify' : 'create', to ?? vpath)
  const { scope } = actor
  using place = await scope.place(vpath)
  check(await scope.stat(place))
  const file = await scope.openRead(place)
  try {
    const body = await bodyOf(actor, file, place.realPath, edit)
    try {
      const isSame = (now: EntryStat) => {
        check(now)
        if (now.mtimeNs !== file.mtimeNs || now.sizeBytes !== file.sizeBytes)
          throw new AppError('precondition_failed', `${vpath} has changed meanwhile`)
      }
      return to === null
        ? await saveFile(actor, vpath, body, isSame)
        : await createFile(actor, to, body, { replace: false })
    } finally {
      body.stream.destroy()
    }
  } finally {
    await file.handle.close()
  }
}

async function bodyOf(
  actor: Actor,
  file: OpenFile,
  realPath: string,
  edit: PictureEdit,
): Promise<Body> {
  const suffix = suffixOf(file.name).toLowerCase()
  const { handle, sizeBytes, vpath } = file
  try {
    if (edit.crop === null && BY_ORIENTATION.has(suffix)) {
      const splices = await turn(handle, sizeBytes, edit.quarterTurns)
      if (splices)
        return {
          stream: Readable.from(spliced(handle, sizeBytes, splices), { objectMode: false }),
          sizeBytes: splicedBytes(sizeBytes, splices),
        }
    }
    if (!BY_PIXELS.has(suffix)) throw new AppError('unsupported', `${vpath}: no such picture`)
    const asker = { name: `user ${actor.user.id}`, isVisitor: false }
    const work = { realPath, asker, edit }
    const bytes = await actor.services.previews.edit(file, work, actor.signal)
    return { stream: Readable.from([bytes], { objectMode: false }), sizeBytes: bytes.length }
  } catch (error) {
    throw toAppError(error, vpath)
  }
}

function toAppError(error: unknown, vpath: VPath): unknown {
  if (error instanceof UnturnableError)
    return new AppError('unsupported', `${vpath}: ${error.message}`)
  if (!(error instanceof PreviewError)) return error
  if (error.failure === 'unavailable') return tooMany(error.message, 1)
  return new AppError(CODES[error.failure], `${vpath}: ${error.message}`)
}

const CODES = {
  too_large: 'too_large',
  too_heavy: 'too_large',
  too_slow: 'too_large',
  undecodable: 'damaged',
  unsupported: 'unsupported',
} as const
