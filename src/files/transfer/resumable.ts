// Resumable uploads on disk. The bytes rest in a hidden sibling of the target whose name carries
// what must be known to go on (the target as a hash, length, whether to replace), and whose
// size is the offset: nothing needs reconciling after a crash or a restart.
import { hash } from 'node:crypto'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError, badRequest } from '../../lib/errors.ts'
import type { Place, Scope, TempOptions } from '../place/scope.ts'
import type { TempFile } from '../temp/temp-file.ts'
import { type Declared, declaredIn, TEMP_PREFIX } from '../temp/temp-name.ts'
import { hasArrived, receive } from './receive.ts'

export interface Upload extends Declared {
  /** Name of the temporary sibling. */
  tempName: string
}

export interface Resumables {
  /**
   * Starts an upload, dropping an unfinished one of the same account to the same target. Throws `locked` while a complete
   * one waits to be moved into place: its bytes have been acknowledged. Throws
   * `too_many_requests` when the account has too many.
   */
  create(destination: Destination, facts: Declared): Promise<Upload>
  /**
   * The unfinished upload and how much of it is on disk; null when there is none. Without one of the
   * account's own it is another account's (`isOwn` false), which only that one may go on with.
   */
  find(destination: Destination): Promise<Found | null>
  /**
   * Appends at `offsetBytes`. A newer append asks the one under way to stop and waits for it.
   * Bytes received before a broken connection stay. Throws `not_found` without an upload,
   * `forbidden` for one of another account and where it would replace a file that the user may not replace, `bad_request` past the
   * length, `conflict` when the offset is not the size on disk, and
   * `too_large` (back at the offset) when more arrives than was declared. An abort of `signal` ends
   * it with the signal's reason; what had been written stays.
   */
  append(
    destination: Destination,
    offsetBytes: number,
    source: Readable,
    signal?: AbortSignal,
  ): Promise<{ upload: Upload; offsetBytes: number }>
  /**
   * Moves a complete upload into place, at a time that `around` chooses; it learns whether this was
   * tried `again`. Callers at the same time share one run, until the file is in place. When it fails
   * the bytes stay, so that it can be tried again. Throws `conflict` when the upload is not complete.
   */
  complete(
    destination: Destination,
    upload: Upload,
    around: (commit: () => Promise<void>, again: boolean) => Promise<void>,
  ): Promise<void>
  /** Removes an unfinished upload; false when there is none, `forbidden` for one of another account. */
  discard(destination: Destination): Promise<boolean>
}

export interface Found {
  upload: Upload
  offsetBytes: number
  isOwn: boolean
}

/** Where an upload goes, and whose it is. Each account has one to a file. */
export interface Destination {
  scope: Scope
  place: Place
  /** Id of the account. */
  owner: number
  /** Whether the user may replace a file; asked each time, since rights end and files appear. */
  mayReplace: boolean
}

interface Holder {
  /** Made when it is asked for: most have ended by then. */
  stop?: AbortController
  done: Promise<void>
}

/** Uploads whose name is remembered, so that a chunk needs no look into the folder. */
const MAX_REMEMBERED = 10_000
const MAX_SEARCHED = 1_000

/** `admit` is asked before an upload is begun that does not take the place of another one. */
export function createResumables(
  admit: (owner: number) => Promise<void> = async () => {},
): Resumables {
  const remembered = new Map<string, Upload>()
  /** Folders whose uploads of an earlier run of the server are remembered, too, or are about to be. */
  const searched = new Map<string, Promise<void>>()
  const exclusively = createTurns()
  const completions = new Map<string, Promise<void>>()
  const tried = new WeakSet<Upload>()

  const remember = (key: string, upload: Upload) => {
    if (remembered.size >= MAX_REMEMBERED) {
      remembered.clear()
      searched.clear()
    }
    remembered.set(key, upload)
  }

  // Once a folder, so that beginning many uploads does not list it each time.
  const rememberLeft = async (destination: Destination) => {
    const folder = dirname(destination.place.realPath)
    const known = searched.get(folder)
    if (known) return known
    if (searched.size >= MAX_SEARCHED) searched.clear()
    const search = rememberFound(destination)
    searched.set(folder, search)
    try {
      await search
    } catch (error) {
      if (searched.get(folder) === search) searched.delete(folder)
      throw error
    }
  }

  const rememberFound = async ({ scope, place }: Destination) => {
    for (const tempName of await scope.findTemps(place, LABEL)) {
      const found = parseName(tempName)
      if (found && !remembered.has(found.key)) remember(found.key, found.upload)
    }
  }

  const lookUp = async (destination: Destination, key: string): Promise<Upload | null> => {
    const known = remembered.get(key)
    if (known) return known
    const found = await findLabelled(destination, labelOf(key))
    if (found) remember(key, found)
    return found
  }

  const openUpload = async (destination: Destination, key: string) => {
    const upload = await lookUp(destination, key)
    return upload && openFound(destination, key, upload)
  }

  const openFound = async (destination: Destination, key: string, upload: Upload) => {
    if (upload.replace && !destination.mayReplace) await refuseTaken(destination)
    try {
      const temp = await openTempAt(destination, { resume: upload.tempName })
      return { upload, temp }
    } catch (error) {
      // Expired and swept, or its folder is gone.
      if (!(error instanceof AppError && error.code === 'not_found')) throw error
      remembered.delete(key)
      return null
    }
  }

  const openOther = async (destination: Destination) => {
    const upload = await findLabelled(destination, `${LABEL}${placeKeyOf(destination)}-u`)
    return upload && openFound(destination, '', upload)
  }

  const missing = async (destination: Destination): Promise<AppError> => {
    const other = await findLabelled(destination, `${LABEL}${placeKeyOf(destination)}-u`)
    if (other)
      return new AppError('forbidden', `the upload to ${destination.place.vpath} is not yours`)
    return new AppError('not_found', `no upload to ${destination.place.vpath}`)
  }

  const commit = async (destination: Destination, key: string, upload: Upload) => {
    const temp = await openTempAt(destination, { resume: upload.tempName })
    try {
      // Another one to the same target may have begun under the same name since it was complete.
      const sizeBytes = await temp.sizeBytes()
      if (sizeBytes !== upload.lengthBytes)
        throw new AppError(
          'conflict',
          `the upload is at ${sizeBytes} of ${upload.lengthBytes} bytes`,
        )
      await temp.commit({
        replace: upload.replace && destination.mayReplace,
        mtimeMs: upload.mtimeMs ?? undefined,
      })
      remembered.delete(key)
    } finally {
      await temp.release()
    }
  }

  const discard = async (destination: Destination, key: string): Promise<boolean> => {
    let found = false
    for (const tempName of await destination.scope.findTemps(destination.place, labelOf(key))) {
      const temp = await openTempAt(destination, { resume: tempName })
      await temp.discard()
      found = true
    }
    remembered.delete(key)
    return found
  }

  return {
    create: async (destination, { lengthBytes, replace, mtimeMs }) => {
      const key = keyOf(destination)
      return exclusively(key, async () => {
        if (completions.has(key))
          throw new AppError('locked', `${destination.place.vpath} is being put in place`)
        await rememberLeft(destination)
        if (remembered.has(key)) await discard(destination, key)
        else await admit(destination.owner)
        const words = [lengthBytes, replace ? 'r' : 'n', mtimeMs ?? '']
        const label = labelOf(key) + words.join('-')
        const facts = { upload: { owner: destination.owner, vpath: destination.place.vpath } }
        const temp = await openTempAt(destination, { parents: true, label, facts })
        await temp.release()
        const upload = { lengthBytes, replace, mtimeMs, tempName: TEMP_PREFIX + label }
        remember(key, upload)
        return upload
      })
    },
    find: async (destination) => {
      const key = keyOf(destination)
      const own = await openUpload(destination, key)
      const opened = own ?? (await openOther(destination))
      if (!opened) return null
      const { upload, temp } = opened
      try {
        return { upload, offsetBytes: await temp.sizeBytes(), isOwn: own !== null }
      } finally {
        await temp.release()
      }
    },
    append: async (destination, offsetBytes, source, signal) => {
      const key = keyOf(destination)
      return exclusively(key, async (stop) => {
        const opened = await openUpload(destination, key)
        if (!opened) throw await missing(destination)
        const { upload, temp } = opened
        try {
          // A body that is here ends by itself.
          const ended = hasArrived(source)
            ? undefined
            : AbortSignal.any([stop(), ...(signal ? [signal] : [])])
          const sizeBytes = await appendTo(temp, upload, offsetBytes, source, ended)
          return { upload, offsetBytes: sizeBytes }
        } finally {
          await temp.release()
        }
      })
    },
    complete: async (destination, upload, around) => {
      const key = keyOf(destination)
      const running = completions.get(key)
      if (running) return running
      const again = tried.has(upload)
      tried.add(upload)
      const commitOnce = async () => {
        await exclusively(key, () => commit(destination, key, upload))
        // What comes now, while after-hooks run, is another upload.
        completions.delete(key)
      }
      const work = around(commitOnce, again)
      completions.set(key, work)
      try {
        await work
      } finally {
        if (completions.get(key) === work) completions.delete(key)
      }
    },
    discard: async (destination) => {
      const key = keyOf(destination)
      if (await exclusively(key, () => discard(destination, key))) return true
      const error = await missing(destination)
      if (error.code === 'forbidden') throw error
      return false
    },
  }
}

type Turn = <T>(key: string, work: (stop: () => AbortSignal) => Promise<T>) => Promise<T>

/** One at a time per upload: whoever comes later stops the earlier one, which settles its write. */
function createTurns(): Turn {
  const holders = new Map<string, Holder>()
  const stopOf = (holder: Holder) => {
    holder.stop ??= new AbortController()
    return holder.stop
  }
  return async (key, work) => {
    for (let before = holders.get(key); before; before = holders.get(key)) {
      stopOf(before).abort(new AppError('conflict', 'a newer request took over this upload'))
      await before.done
    }
    const { promise: done, resolve: end } = Promise.withResolvers<void>()
    const holder: Holder = { done }
    holders.set(key, holder)
    try {
      return await work(() => stopOf(holder).signal)
    } finally {
      holders.delete(key)
      end()
    }
  }
}

async function appendTo(
  temp: TempFile,
  upload: Upload,
  offsetBytes: number,
  source: Readable,
  signal: AbortSignal | undefined,
): Promise<number> {
  if (offsetBytes > upload.lengthBytes)
    throw badRequest(`upload offset ${offsetBytes} exceeds declared length ${upload.lengthBytes}`)
  const sizeBytes = await temp.sizeBytes()
  if (sizeBytes !== offsetBytes)
    throw new AppError('conflict', `the upload is at ${sizeBytes}, not at ${offsetBytes}`)
  try {
    const received = await receive(source, temp.fd, {
      position: offsetBytes,
      maxBytes: upload.lengthBytes - offsetBytes,
      signal,
      isDirect: temp.isDirect,
      device: temp.device,
    })
    return offsetBytes + received.sizeBytes
  } catch (error) {
    // Declared length enforced: nothing of a request that overruns it is kept.
    if (error instanceof AppError && error.code === 'too_large') await temp.truncate(offsetBytes)
    throw error
  }
}

async function refuseTaken({ scope, place: { vpath } }: Destination): Promise<void> {
  if (await scope.exists(vpath)) throw new AppError('forbidden', `${vpath} may not be replaced`)
}

async function openTempAt({ scope, place }: Destination, options: TempOptions): Promise<TempFile> {
  return scope.openTemp(place, options)
}

async function findLabelled({ scope, place }: Destination, label: string): Promise<Upload | null> {
  for (const tempName of await scope.findTemps(place, label)) {
    const found = parseName(tempName)
    if (found) return found.upload
  }
  return null
}

function placeKeyOf(destination: Destination): string {
  return hash('sha256', destination.place.realPath).slice(0, 32)
}

function keyOf(destination: Destination): string {
  return `${placeKeyOf(destination)}-u${destination.owner}`
}

const LABEL = 'up-'

function labelOf(key: string): string {
  return `${LABEL}${key}-`
}

function parseName(tempName: string): { key: string; upload: Upload } | null {
  const key = /^\.fb-tmp-up-([0-9a-f]{32}-u\d{1,10})-/.exec(tempName)?.[1]
  const declared = declaredIn(tempName)
  return key !== undefined && declared ? { key, upload: { ...declared, tempName } } : null
}
