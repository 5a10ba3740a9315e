// Resumable uploads on disk. The bytes rest in a hidden sibling of the target whose name carries
// what must be known to go on (the target as a hash, length, whether to replace), and whose
// size is the offset: nothing needs reconciling after a crash or a restart.
import { hash } from 'node:crypto'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError, badRequest } from '../../lib/errors.ts'
import type { Place, Scope } from '../place/scope.ts'
import type { CommittedFile, TempFile } from '../volume/temp-file.ts'
import { type Declared, declaredIn, TEMP_PREFIX } from '../volume/temp-name.ts'
import { hasArrived, receive } from './receive.ts'

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

/** What is known of uploads, by the key of their destination. */
export interface Resumables {
  /** Asked before an upload is begun that does not take the place of another one. */
  readonly admit: (owner: number) => Promise<void>
  readonly remembered: Map<string, Upload>
  /** Folders whose uploads of an earlier run of the server are remembered, too, or are about to be. */
  readonly searched: Map<string, Promise<void>>
  readonly exclusively: Exclusive
  readonly completions: Map<string, Promise<unknown>>
  readonly tried: WeakSet<Upload>
}

/** `admit` throws where an account may not begin another upload. */
export function createResumables(admit: Resumables['admit'] = async () => {}): Resumables {
  return {
    admit,
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
  return known.exclusively(key, async () => {
    if (known.completions.has(key))
      throw new AppError('locked', `${place.vpath} is being put in place`)
    await rememberLeft(known, destination)
    if (known.remembered.has(key)) await discard(known, destination)
    else await known.admit(owner)
    const label = labelOf(key) + [lengthBytes, replace ? 'r' : 'n', mtimeMs ?? ''].join('-')
    const facts = { upload: { owner, vpath: place.vpath } }
    const temp = await destination.scope.openTemp(place, { parents: true, label, facts })
    await temp.release()
    const upload = { lengthBytes, replace, mtimeMs, tempName: TEMP_PREFIX + label }
    remember(known, key, upload)
    return upload
  })
}

/**
 * The unfinished upload and how much of it is on disk; null when there is none. Without one of the
 * account's own it is another account's (`isOwn` false), which only that one may go on with.
 */
export async function findPartial(
  known: Resumables,
  destination: Destination,
): Promise<FoundUpload | null> {
  const own = await openOwn(known, keyOf(destination), destination)
  const opened = own ?? (await openOther(known, destination))
  if (!opened) return null
  const { upload, temp } = opened
  try {
    return { upload, offsetBytes: await temp.sizeBytes(), isOwn: own !== null }
  } finally {
    await temp.release()
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
  return known.exclusively(key, async (stop) => {
    const opened = await openOwn(known, key, destination)
    if (!opened) throw await missing(destination)
    // A body that has come as a whole needs no signal to end it.
    const ended = hasArrived(source)
      ? undefined
      : AbortSignal.any([stop(), ...(signal ? [signal] : [])])
    return appendTo(opened, offsetBytes, source, ended)
  })
}

/**
 * Moves a complete upload into place, at a time that `around` chooses; it learns whether this was
 * tried `again`. Callers at the same time share one run, until the file is in place. When it fails
 * the bytes stay, so that it can be tried again. Throws `conflict` when the upload is not complete.
 */
export async function completePartial(
  known: Resumables,
  destination: Destination,
  complete: CompleteUpload,
  around: (commit: () => Promise<CommittedFile>, again: boolean) => Promise<unknown>,
): Promise<void> {
  const { exclusively, completions, tried } = known
  const key = keyOf(destination)
  const running = completions.get(key)
  if (running) {
    await running
    return
  }
  const { upload } = complete
  const again = tried.has(upload)
  tried.add(upload)
  const commitOnce = async () => {
    const file = await exclusively(key, () => commit(known, key, destination, complete))
    // What comes now, while after-hooks run, is another upload.
    completions.delete(key)
    return file
  }
  const work = around(commitOnce, again)
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
  if (await known.exclusively(keyOf(destination), () => discard(known, destination))) return true
  const error = await missing(destination)
  if (error.code === 'forbidden') throw error
  return false
}

async function commit(
  { remembered }: Resumables,
  key: string,
  { scope, place, mayReplace }: Destination,
  { upload, temp: open }: CompleteUpload,
): Promise<CommittedFile> {
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
    })
    remembered.delete(key)
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
function rememberLeft(known: Resumables, destination: Destination): Promise<void> {
  const { searched } = known
  const folder = dirname(destination.place.realPath)
  const running = searched.get(folder)
  if (running) return running
  if (searched.size >= MAX_SEARCHED) searched.clear()
  const search = rememberFound(known, destination).catch((error) => {
    searched.delete(folder)
    throw error
  })
  searched.set(folder, search)
  return search
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
  if (!upload) {
    upload = await findLabelled(destination, labelOf(key))
    if (upload) remember(known, key, upload)
  }
  return upload && openFound(known, destination, upload)
}

async function openOther(known: Resumables, destination: Destination): Promise<OpenUpload | null> {
  const upload = await findLabelled(destination, anyLabelOf(destination))
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
  return (await findLabelled(destination, anyLabelOf(destination)))
    ? new AppError('forbidden', `the upload to ${vpath} is not yours`)
    : new AppError('not_found', `no upload to ${vpath}`)
}

interface Holder {
  /** Made when it is asked for: most have ended by then. */
  stop?: AbortController
  done: Promise<void>
}

type Exclusive = <T>(key: string, work: (stop: () => AbortSignal) => Promise<T>) => Promise<T>

/** One at a time per upload: whoever comes later stops the earlier one, which settles its write. */
function createExclusive(): Exclusive {
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
  { upload, temp }: OpenUpload,
  offsetBytes: number,
  source: Readable,
  signal: AbortSignal | undefined,
): Promise<OpenUpload & { offsetBytes: number }> {
  const { lengthBytes } = upload
  try {
    if (offsetBytes > lengthBytes)
      throw badRequest(`upload offset ${offsetBytes} exceeds declared length ${lengthBytes}`)
    const sizeBytes = await temp.sizeBytes()
    if (sizeBytes !== offsetBytes)
      throw new AppError('conflict', `the upload is at ${sizeBytes}, not at ${offsetBytes}`)
    const maxBytes = lengthBytes - offsetBytes
    const received = await receive(source, temp, { position: offsetBytes, maxBytes, signal })
    return { upload, temp, offsetBytes: offsetBytes + received.sizeBytes }
  } catch (error) {
    // Declared length enforced: nothing of a request that overruns it is kept.
    try {
      if (error instanceof AppError && error.code === 'too_large') await temp.truncate(offsetBytes)
    } finally {
      await temp.release()
    }
    throw error
  }
}

async function findLabelled({ scope, place }: Destination, label: string): Promise<Upload | null> {
  for (const tempName of await scope.findTemps(place, label)) {
    const found = parseName(tempName)
    if (found) return found.upload
  }
  return null
}

const LABEL = 'up-'

/** One to each target and account. */
function keyOf({ place, owner }: Destination): string {
  return `${placeKeyOf(place)}-u${owner}`
}

function labelOf(key: string): string {
  return `${LABEL}${key}-`
}

/** How the labels of all accounts begin. */
function anyLabelOf({ place }: Destination): string {
  return `${LABEL}${placeKeyOf(place)}-u`
}

function placeKeyOf({ realPath }: Place): string {
  return hash('sha256', realPath).slice(0, 32)
}

function parseName(tempName: string): { key: string; upload: Upload } | null {
  const { key = '', ...declared } = declaredIn(tempName) ?? {}
  return key.includes('-u') ? { key, upload: { ...(declared as Declared), tempName } } : null
}
