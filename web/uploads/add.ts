// From a drop, pick or paste to the queue: reads, compares with the target, asks about clashes,
// checks the room left. What cannot clash starts while the rest is still being read.

import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { ApiError, isAbort } from '../api/client.ts'
import { fetchInfo, fetchTree, previewUrl } from '../api/files.ts'
import { fetchReceivedBytes } from '../api/uploads.ts'
import { boot, instanceName } from '../lib/boot.ts'
import { formatSize } from '../lib/format.ts'
import { freeName, joinPath, nameOf, parentOf, trimPath } from '../lib/paths.ts'
import { openPrompt } from '../operations/prompts.ts'
import { toastError, toastInfo } from '../operations/toasts.ts'
import type { Clash, ConflictAnswer, ConflictProps } from '../operations/transfer-types.ts'
import { abilitiesIn } from '../state/rights.ts'
import { session } from '../state/session.ts'
import {
  applyChoices,
  compare,
  type ExistingEntry,
  type ExistingTree,
  type PlacedEntry,
  type PlannedEntry,
  toClash,
} from './clashes.ts'
import type { FileHandle } from './drop/handle-store.ts'
import { handleStore } from './drop/upload-memory.ts'
import type { Scan, TopEntry } from './dropped-files.ts'
import { createResumeIndex, type Found, isStillThere, type Resumable } from './interrupted.ts'
import type { JournalItem } from './journal.ts'
import { interruptedBatches, showInterrupted, takeInterrupted } from './resume.ts'
import { NoRoomError, openRoom } from './room.ts'
import {
  abandonBatch,
  type Batch,
  closeBatch,
  countSkipped,
  enqueue,
  enqueueUnreadable,
  isOpenBatch,
  openBatch,
  retryAs,
} from './run.ts'
import type { UploadItem } from './upload-item.ts'

/** Uploads what `scan` yields into the folder `targetPath`. Never rejects: problems are told. */
export async function addScan(scan: Scan, targetPath: string): Promise<void> {
  if (!abilitiesIn(trimPath(targetPath)).create) {
    toastError(i18n._(msg`You don’t have permission to upload files here.`))
    return
  }
  if (scan.count === 0) return
  const target = trimPath(targetPath)
  const batch = openBatch(target)
  try {
    await addTo(batch, scan, target)
    void keepHandles(batch, scan)
  } catch (error) {
    if (!isAbort(error)) explain(error)
    abandonBatch(batch)
  } finally {
    closeBatch(batch)
  }
}

/** Remembers where the files are, as long as they are under way. */
async function keepHandles(batch: Batch, { handles: giving }: Scan): Promise<void> {
  const given = (await giving) ?? []
  const handles = given.filter((handle) => handle !== null && handle.kind === 'file')
  if (handles.length === 0 || handles.length < given.length || !isOpenBatch(batch.id)) return
  await handleStore.put({
    batchID: batch.id,
    userID: session.user?.id ?? 0,
    handles: handles as FileHandle[],
  })
}

/**
 * Asks what to do with a file that was refused because its name was taken meanwhile. Never rejects:
 * problems are told.
 */
export async function resolveTaken(item: UploadItem): Promise<void> {
  try {
    await retryBesideOrOver(item)
  } catch (error) {
    toastError(error)
  }
}

async function retryBesideOrOver(item: UploadItem): Promise<void> {
  const folder = parentOf(item.vpath)
  const signal = new AbortController().signal
  const existing = await loadExisting(folder, [{ name: item.name, isDir: false }], signal)
  const entry: PlacedEntry = {
    sourcePath: item.name,
    place: item.name,
    file: item.file,
    unreadable: false,
  }
  if (!existing.has(item.name)) {
    retryAs(item.id, { overwrite: false, vpath: item.vpath })
    return
  }
  const clash = withPictures(toClash(item.name, [entry], existing), entry, item.vpath)
  const answer = await ask(folder, [clash], { targetName: folderName(folder), otherCount: 0 })
  const choice = answer?.get(item.name)
  if (choice === undefined || choice === 'skip') return
  const names = new Set([...existing.keys()].filter((path) => !path.includes('/')))
  const name = choice === 'rename' ? freeName(item.name, false, names) : item.name
  retryAs(item.id, { overwrite: choice === 'replace', vpath: joinPath(folder, name) })
}

async function addTo(batch: Batch, scan: Scan, target: string): Promise<void> {
  const signal = batch.controller.signal
  const top = await scan.readTop()
  const names = new Set(top.map(({ name }) => name))
  const resume = createResumeIndex(interruptedBatches(), target)
  for (const name of resume.topFolders(names)) {
    if (!names.has(name)) top.push({ name, isDir: true })
  }
  const existing = await loadExisting(target, top, signal)
  const folders = top.filter(({ name }) => existing.get(name)?.isDir === true)
  const room = await openRoom(target, folders, signal)
  const takeRoom = (entries: readonly PlannedEntry[]) => {
    for (const { targetPath, file } of entries) room.take(targetPath, file?.size ?? 0)
  }
  // As long as nothing at the top is there already, nothing can clash, and files go at once. Else
  // everything waits for the answer, so that Cancel really means that nothing was touched.
  const mayClash = top.some(({ name }) => existing.has(name))
  const clean: PlannedEntry[] = []
  const clashing = new Map<string, PlacedEntry[]>()
  const present: Resumable[] = []
  const unfinished: Resumable[] = []
  const superseded: Found[] = []
  const continued: PlannedEntry[] = []

  for await (const entries of scan.entries(signal)) {
    const fresh: PlacedEntry[] = []
    for (const entry of entries) {
      if (entry.unreadable) {
        enqueueUnreadable(batch, entry.sourcePath)
        continue
      }
      const known = resume.find(entry)
      if (known?.changed === false && isStillThere(known.item, existing)) {
        present.push(known)
      } else if (known?.changed === false && isFree(known.item, existing)) {
        const received = await receivedBytes(target, known.item, signal)
        room.take(known.item.targetPath, known.item.sizeBytes - received)
        unfinished.push(known)
        continued.push({ ...entry, targetPath: known.item.targetPath, overwrite: false })
      } else {
        if (known !== null) superseded.push(known)
        const place = known?.item.targetPath ?? resume.placeOf(entry.sourcePath)
        fresh.push({ ...entry, place })
      }
    }
    const found = compare(fresh, existing)
    takeRoom(found.clean)
    if (mayClash) clean.push(...found.clean)
    else enqueue(batch, found.clean)
    for (const [id, list] of found.clashing) {
      const known = clashing.get(id)
      if (known === undefined) clashing.set(id, list)
      else known.push(...list)
    }
  }
  signal.throwIfAborted()
  for (const known of resume.emptyFolders(names)) {
    const { sourcePath, targetPath } = known.item
    if ([...unfinished, ...present, ...superseded].some(({ item }) => item === known.item)) continue
    if (isStillThere(known.item, existing)) present.push(known)
    else {
      unfinished.push(known)
      continued.push({ sourcePath, targetPath, file: null, overwrite: false })
    }
  }

  const chosen = await choose(clashing, existing, [...clean, ...continued], target)
  if (chosen === null) return
  takeRoom(chosen)
  enqueue(batch, clean)
  enqueue(batch, chosen)
  // Only now, when nothing can stop this upload any more, is it no longer the interrupted one: what
  // the server holds of it and the memory of that outlive every refusal before.
  enqueue(batch, continued, new Map(unfinished.map(({ item }) => [item.sourcePath, item])))
  countSkipped(present.length)
  for (const { batchID, item } of [...present, ...unfinished, ...superseded]) {
    takeInterrupted(batchID, item)
  }
  showInterrupted()
  const skipped = new Set([...clashing.values()].flat().map(({ sourcePath }) => sourcePath))
  for (const { sourcePath } of chosen) skipped.delete(sourcePath)
  const resent = superseded.filter(({ changed, item }) => {
    return changed && !item.done && !skipped.has(item.sourcePath)
  })
  tellChanged(resent.length)
}

/** What was sent of another version is of no use, so a bar that begins anew needs a reason. */
function tellChanged(files: number) {
  if (files === 0) return
  toastInfo(
    plural(files, {
      one: '# file has changed since its upload was interrupted, so it will be uploaded again from the start.',
      other:
        '# files have changed since their upload was interrupted, so they will be uploaded again from the start.',
    }),
  )
}

/** An unfinished item goes on where it was unless its place was taken by something else meanwhile. */
function isFree({ done, overwrite, targetPath }: JournalItem, existing: ExistingTree): boolean {
  return !done && (overwrite || !existing.has(targetPath))
}

/** What is to be sent of the entries that clash, as the person decides; null when she cancels. */
async function choose(
  clashing: ReadonlyMap<string, PlacedEntry[]>,
  existing: ExistingTree,
  others: readonly PlannedEntry[],
  target: string,
): Promise<PlannedEntry[] | null> {
  if (clashing.size === 0) return []
  const clashes = [...clashing].map(([id, entries]) =>
    withPictures(toClash(id, entries, existing), entries[0], joinPath(target, id)),
  )
  const answer = await ask(target, clashes, {
    targetName: folderName(target),
    otherCount: others.length,
  })
  return answer === null ? null : applyChoices(clashing, answer, existing, others)
}

async function receivedBytes(
  target: string,
  item: JournalItem,
  signal: AbortSignal,
): Promise<number> {
  if (item.uploadURL === null) return 0
  try {
    return await fetchReceivedBytes(joinPath(target, item.targetPath), signal)
  } catch (error) {
    if (isAbort(error)) throw error
    // Nothing there, or no answer: then it counts in full.
    return 0
  }
}

function ask(
  target: string,
  clashes: Clash[],
  facts: Pick<ConflictProps, 'targetName' | 'otherCount'>,
): Promise<ConflictAnswer> {
  return openPrompt('conflict', {
    clashes,
    kind: 'upload',
    allowResume: true,
    allowReplace: abilitiesIn(target).modify,
    ...facts,
  })
}

/** What the target holds of the names that are coming; a target that does not exist holds nothing. */
async function loadExisting(
  target: string,
  top: readonly TopEntry[],
  signal: AbortSignal,
): Promise<ExistingTree> {
  const tree = new Map<string, ExistingEntry>()
  const info = await fetchInfo(target, signal).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'not_found') return null
    throw error
  })
  for (const item of info?.items ?? []) tree.set(item.name, toExisting(item))
  for (const { name, isDir } of top) {
    if (!isDir || tree.get(name)?.isDir !== true) continue
    const folder = joinPath(target, name)
    for (const entry of await fetchTree(folder, signal)) {
      tree.set(name + entry.path.slice(folder.length), toExisting(entry))
    }
  }
  return tree
}

function toExisting(entry: { isDir: boolean; size: number; modified: string }): ExistingEntry {
  return {
    isDir: entry.isDir,
    sizeBytes: entry.size,
    modifiedMs: Date.parse(entry.modified) || 0,
  }
}

/** Gives both sides of a card their pictures, when the file is one. */
function withPictures(clash: Clash, entry: PlacedEntry | undefined, vpath: string): Clash {
  const file = entry?.file ?? null
  if (file === null || !file.type.startsWith('image/') || clash.existing.isDir) return clash
  const modified = new Date(clash.existing.modifiedMs ?? 0).toISOString()
  clash.incoming.thumbnail = () => URL.createObjectURL(file)
  if (boot.EnableThumbs) {
    clash.existing.thumbnail = () => previewUrl({ path: vpath, modified }, 'thumb')
  }
  return clash
}

function folderName(vpath: string): string {
  return vpath === '/' ? instanceName : nameOf(vpath)
}

function explain(error: unknown) {
  if (!(error instanceof NoRoomError)) {
    toastError(error)
    return
  }
  const needed = formatSize(error.neededBytes)
  const free = formatSize(error.freeBytes)
  toastError(
    i18n._(
      msg`Not enough space on the server: these files need at least ${needed}, and ${free} is free.`,
    ),
  )
}
