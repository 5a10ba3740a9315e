// Resumable uploads on disk. The bytes rest in a hidden sibling of the target whose name carries
// what must be known to go on (the target as a hash, length, whether to replace), and whose
// size is the offset: nothing needs reconciling after a crash or a restart.
import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError } from '../../lib/errors.ts'
import type { Place, Scope } from '../place/scope.ts'
import type { CommittedFile, TempFile } from '../volume/temp-file.ts'
import { type Declared, TEMP_PREFIX } from '../volume/temp-name.ts'
import { createExclusive, type Exclusive } from './exclusive.ts'
import { hasArrived, receiveRest } from './receive.ts'
import {
  type HeldUpload,
  heldTemp,
  type NotedUpload,
  type SharedUploads,
} from './shared-uploads.ts'
import { anyLabelOf, findLabelled, keyOf, LABEL, labelOf, parseName } from './upload-names.ts'

export interface Upload extends Declared {
  /** Name of the temporary sibling. */
  tempName: string
}

export interface CompleteUpload {
  upload: Upload
  /** Where it is still open. */
  temp?: TempFile | undefined
}

export interface FoundUpload {
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

/** Uploads whose name is remembered, so that a chunk needs no look into the folder. */
const MAX_REMEMBERED = 10_000
const MAX_SEARCHED = 1_000
/** A request waits so long for another node: one that is gone loses what it held sooner. */
const WAIT_MS = 15_000

/** What is known of uploads, by the key of their destination. */
export interface Resumables {
  /** Asked before an upload is begun that does not take the place of another one. */
  readonly admit: (owner: number) => Promise<void>
  readonly remembered: Map<string, Upload>
  /** Folders whose uploads of an earlier run of the server are remembered, too, or are about to be. */
  readonly searched: Map<string, Promise<void>>
  readonly exclusively: Exclusive
  /** What nodes hold that share the records; null where one process has the uploads to itself. */
  readonly shared: SharedUploads | null
  readonly completions: Map<string, Promise<unknown>>
  readonly tried: WeakSet<Upload>
}

/** `admit` throws where an account may not begin another upload. */
export function createResumables(
  admit: Resumables['admit'] = async () => {},
  shared: SharedUploads | null = null,
): Resumables {
  return {
    admit,
    shared,
    remembered: new Map(),
    searched: new Map(),
    exclusively: createExclusive(),
    completions: new Map(),
    tried: new WeakSet(),
  }
}

/**
 * Starts an upload, dropping an unfinished one of the same account to the same target. Throws `locked`
 * while a complete one waits to be moved into place: its bytes have been acknowledged. Throws
 * `too_many_requests` when the account has too many.
 */
export function createPartial(
  known: Resumables,
  destination: Destination,
  { lengthBytes, replace, mtimeMs }: Declared,
): Promise<Upload> {
  const { place, owner } = destination
  const key = keyOf(destination)
  const own = known.shared ? [randomBytes(4).toString('hex')] : []
  const label = labelOf(key) + [lengthBytes, replace ? 'r' : 'n', mtimeMs ?? '', ...own].join('-')
  const upload = { lengthBytes, replace, mtimeMs, tempName: TEMP_PREFIX + label }
  const planned = known.shared && {
    ...{ ...upload, key, owner, vpath: place.vpath, isTried: false },
    path: join(dirname(place.realPath), upload.tempName),
  }
  const begin: Work<Upload> = async (_stop, held) => {
    if (known.completions.has(key))
      throw new AppError('locked', `${place.vpath} is being put in place`)
    if (!held) await rememberLeft(known, destination)
    if (known.remembered.has(key)) await discard(known, destination)
    else await known.admit(owner)
    const facts = { upload: { owner, vpath: place.vpath } }
    const temp = await destination.scope.openTemp(place, { parents: true, label, facts })
    await temp.release()
    remember(known, key, upload)
    if (held && planned) held.noted = { ...planned, path: temp.path }
    return upload
  }
  return exclusively(known, key, begin, planned ?? undefined)
}

/**
 * The unfinished upload and how much of it is on disk; null when there is none. Without one of the
 * account's own it is another account's (`isOwn` false), which only that one may go on with.
 */
export async function findPartial(
  known: Resumables,
  destination: Destination,
): Promise<FoundUpload | null> {
  const key = keyOf(destination)
  const own = known.shared
    ? await known.shared.look(key).then((one) => one && openFound(known, destination, one))
    : await openOwn(known, key, destination)
  const opened = own ?? (await openOther(known, destination))
  if (!opened) return null
  const { upload, temp } = opened
  try {
    return { upload, offsetBytes: await temp.sizeBytes(), isOwn: own !== null }
  } finally {
    await temp.release()
    known.shared?.seen(temp.path)
  }
}

/**
 * Appends at `offsetBytes`. A newer append asks the one under way to stop and waits for it. Bytes
 * received before a broken connection stay. Throws `not_found` without an upload, `forbidden` for one of
 * another account and where it would replace a file that the user may not replace, `bad_request` past
 * the length, `conflict` when the offset is not the size on disk, and `too_large` (back at the offset)
 * when more arrives than was declared. An abort of `signal` ends it with the signal's reason; what had
 * been written stays. The file is still open, for completePartial, and to be released by the caller.
 */
export function appendToPartial(
  known: Resumables,
  destination: Destination,
  offsetBytes: number,
  source: Readable,
  signal?: AbortSignal,
): Promise<OpenUpload & { offsetBytes: number }> {
  const key = keyOf(destination)
  return exclusively(known, key, async (stop, held) => {
    const opened = await openOwn(known, key, destination)
    if (!opened) throw await missing(destination)
    // A body that has come as a whole needs no signal to end it.
    const ended = hasArrived(source)
      ? undefined
      : AbortSignal.any([stop(), ...(signal ? [signal] : []), ...(held ? [held.signal] : [])])
    const { upload } = opened
    const temp = held ? heldTemp(opened.temp, held.again()) : opened.temp
    const { lengthBytes } = upload
    const endBytes = await receiveRest(source, temp, { offsetBytes, lengthBytes, signal: ended })
    return { upload, temp, offsetBytes: endBytes }
  })
}

/**
 * Moves a complete upload into place, at a time that `around` chooses; it learns whether this was tried `again`, and
 * `claim`s that it is before it does what must not be done twice; with several nodes `check` is called last. Callers at the same time share one run, until the
 * file is in place. When it fails the bytes stay, so that it can be tried again. Throws `conflict` when the upload is
 * not complete. Where another node has put it in place meanwhile, nothing is done.
 */
export async function completePartial(
  known: Resumables,
  destination: Destination,
  complete: CompleteUpload,
  around: (
    commit: (check?: () => void) => Promise<CommittedFile>,
    attempt: { again: boolean; claim?: () => Promise<void> },
  ) => Promise<unknown>,
): Promise<void> {
  const { shared, completions, tried } = known
  const key = keyOf(destination)
  const running = completions.get(key)
  if (running) {
    await running
    return
  }
  const { upload } = complete
  const again = tried.has(upload)
  tried.add(upload)
  const commitOnce = async (check?: () => void, held?: HeldUpload) => {
    const file = await exclusively(known, key, (_, inner) =>
      commit(known, destination, complete, inner && { held: inner, check }),
    )
    // What comes now, while after-hooks run, is another upload.
    completions.delete(key)
    await held?.release()
    return file
  }
  const completeShared = async ({ hold }: SharedUploads) => {
    const held = await hold(key)
    try {
      const { noted, claim } = held
      if (noted?.tempName !== upload.tempName) return
      await around((check) => commitOnce(check, held), { again: noted.isTried, claim })
    } finally {
      await held.release()
    }
  }
  const work = shared ? completeShared(shared) : around(commitOnce, { again })
  completions.set(key, work)
  try {
    await work
  } finally {
    if (completions.get(key) === work) completions.delete(key)
  }
}

/** Removes an unfinished upload; false when there is none, `forbidden` for one of another account. */
export async function discardPartial(
  known: Resumables,
  destination: Destination,
): Promise<boolean> {
  const dropped = await exclusively(known, keyOf(destination), async (_stop, held) => {
    const isDropped = await discard(known, destination)
    if (held) held.noted = null
    return isDropped
  })
  if (dropped) return true
  const error = await missing(destination)
  if (error.code === 'forbidden') throw error
  return false
}

async function commit(
  { remembered }: Resumables,
  destination: Destination,
  { upload, temp: open }: CompleteUpload,
  shared: { held: HeldUpload; check: (() => void) | undefined } | null,
): Promise<CommittedFile> {
  const { scope, place, mayReplace } = destination
  const key = keyOf(destination)
  // Another one to the same target may have begun under the same name since it was complete.
  const isSame = open && remembered.get(key) === upload
  const temp = isSame ? open : await scope.openTemp(place, { resume: upload.tempName })
  try {
    const sizeBytes = await temp.sizeBytes()
    if (sizeBytes !== upload.lengthBytes)
      throw new AppError('conflict', `the upload is at ${sizeBytes} of ${upload.lengthBytes} bytes`)
    const file = await temp.commit({
      replace: upload.replace && mayReplace,
      mtimeMs: upload.mtimeMs ?? undefined,
      ...(shared && {
        check: async () => {
          shared.held.demand()
          shared.check?.()
        },
      }),
    })
    remembered.delete(key)
    if (shared) shared.held.noted = null
    return file
  } finally {
    await temp.release()
  }
}

async function discard({ remembered }: Resumables, destination: Destination): Promise<boolean> {
  const { scope, place } = destination
  const key = keyOf(destination)
  const names = await scope.findTemps(place, labelOf(key))
  for (const resume of names) await (await scope.openTemp(place, { resume })).discard()
  remembered.delete(key)
  return names.length > 0
}

function remember({ remembered, searched }: Resumables, key: string, upload: Upload): void {
  if (remembered.size >= MAX_REMEMBERED) {
    remembered.clear()
    searched.clear()
  }
  remembered.set(key, upload)
}

// Once a folder, so that beginning many uploads does not list it each time.
async function rememberLeft(known: Resumables, destination: Destination): Promise<void> {
  const { searched } = known
  const folder = dirname(destination.place.realPath)
  const running = searched.get(folder)
  if (running) return await running
  if (searched.size >= MAX_SEARCHED) searched.clear()
  const search = rememberFound(known, destination).catch((error) => {
    searched.delete(folder)
    throw error
  })
  searched.set(folder, search)
  await search
}

async function rememberFound(known: Resumables, { scope, place }: Destination): Promise<void> {
  for (const tempName of await scope.findTemps(place, LABEL)) {
    const found = parseName(tempName)
    if (found && !known.remembered.has(found.key)) remember(known, found.key, found.upload)
  }
}

interface OpenUpload {
  upload: Upload
  temp: TempFile
}

async function openOwn(
  known: Resumables,
  key: string,
  destination: Destination,
): Promise<OpenUpload | null> {
  let upload = known.remembered.get(key) ?? null
  if (!upload && !known.shared) {
    upload = await findLabelled(destination, labelOf(key))
    if (upload) remember(known, key, upload)
  }
  return upload && openFound(known, destination, upload)
}

async function openOther(known: Resumables, destination: Destination): Promise<OpenUpload | null> {
  const upload = await findLabelled(destination, anyLabelOf(destination), keyOf(destination))
  return upload && openFound(known, destination, upload)
}

async function openFound(
  { remembered }: Resumables,
  destination: Destination,
  upload: Upload,
): Promise<OpenUpload | null> {
  const { scope, place, mayReplace } = destination
  if (upload.replace && !mayReplace && (await scope.exists(place.vpath)))
    throw new AppError('forbidden', `${place.vpath} may not be replaced`)
  try {
    return { upload, temp: await scope.openTemp(place, { resume: upload.tempName }) }
  } catch (error) {
    // Expired and swept, or its folder is gone.
    if (!(error instanceof AppError && error.code === 'not_found')) throw error
    const key = keyOf(destination)
    if (remembered.get(key) === upload) remembered.delete(key)
    return null
  }
}

async function missing(destination: Destination): Promise<AppError> {
  const { vpath } = destination.place
  return (await findLabelled(destination, anyLabelOf(destination), keyOf(destination)))
    ? new AppError('forbidden', `the upload to ${vpath} is not yours`)
    : new AppError('not_found', `no upload to ${vpath}`)
}

type Work<T> = (stop: () => AbortSignal, held: HeldUpload | null) => Promise<T>

/** One at a time, here and on other nodes; what the last one has noted is what is known then. */
function exclusively<T>(
  known: Resumables,
  key: string,
  work: Work<T>,
  planned?: NotedUpload,
): Promise<T> {
  const { shared, remembered } = known
  if (!shared) return known.exclusively(key, (stop) => work(stop, null))
  return known.exclusively(key, async (stop) => {
    const held = await shared.hold(key, { waitMs: WAIT_MS, planned })
    try {
      const { noted } = held
      if (!noted) remembered.delete(key)
      else if (remembered.get(key)?.tempName !== noted.tempName) remember(known, key, noted)
      return await work(stop, held)
    } finally {
      await held.release()
    }
  })
}
