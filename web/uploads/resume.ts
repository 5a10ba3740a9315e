// Uploads that a reload, a crash or a closed browser cut short, as far as this page knows them.

import { ref } from 'valtio'
import type { UnfinishedUpload } from '../../src/api-types.ts'
import { discardUpload, unfinishedUrl } from '../api/uploads.ts'
import { joinPath, nameOf, parentOf } from '../lib/paths.ts'
import { session } from '../state/session.ts'
import { uploads } from '../state/uploads.ts'
import type { FileHandle } from './drop/handle-store.ts'
import { forgetBatch, handleStore, journal } from './drop/upload-memory.ts'
import { toSummary } from './interrupted.ts'
import type { InterruptedBatch, JournalItem } from './journal.ts'
import { isOpenBatch, ownership } from './run.ts'

const interrupted = new Map<string, InterruptedBatch>()
/** Those that only the server remembers, by their path. */
const adopted = new Map<string, InterruptedBatch>()
/** Where the files of interrupted uploads are, as far as this browser has kept that. */
const kept = new Map<string, FileHandle[]>()

/** Finds out what a reload or crash cut short. Call when somebody signed in. */
export async function loadInterrupted(): Promise<void> {
  const user = session.user
  if (user === null) return
  ownership.onAnswer = leaveToOthers
  const [found, others] = await Promise.all([journal.load(user.id), ownership.ofOthers()])
  interrupted.clear()
  for (const batch of found) {
    if (isOpenBatch(batch.id) || others.has(batch.id)) continue
    if (batch.items.some((item) => !item.done)) interrupted.set(batch.id, batch)
    else forgetBatch(batch.id)
  }
  kept.clear()
  if (interrupted.size > 0) {
    const ids = new Set(found.map(({ id }) => id))
    for (const [id, handles] of await handleStore.load(user.id, ids)) kept.set(id, handles)
  }
  showInterrupted()
}

/** A busy tab may answer when its uploads are asked for here already. */
function leaveToOthers(ids: readonly string[]): void {
  for (const id of ids) {
    interrupted.delete(id)
    kept.delete(id)
  }
  showInterrupted()
}

export function handlesOf(batchID: string): readonly FileHandle[] {
  return kept.get(batchID) ?? []
}

/** They lead nowhere, or may not be read: the files are asked for. */
export function forgetKeptHandles(batchID: string): void {
  kept.delete(batchID)
  void handleStore.remove(batchID)
  showInterrupted()
}

export function interruptedBatches(): InterruptedBatch[] {
  return [...adopted.values(), ...interrupted.values()]
}

/**
 * Lets an upload of this file go on with what the server has of it. Without the time of the file it
 * cannot be known to be the same, and is sent from the start.
 */
export function adoptUnfinished({ path, length, override, fileModified }: UnfinishedUpload): void {
  const name = nameOf(path)
  adopted.set(path, {
    id: path,
    userID: session.user?.id ?? 0,
    targetPath: parentOf(path),
    // What this browser remembers itself comes first.
    startedAtMs: 0,
    items: [
      {
        batchID: path,
        sourcePath: name,
        targetPath: name,
        isDir: false,
        sizeBytes: length,
        lastModifiedMs: fileModified ?? Number.NaN,
        overwrite: override,
        done: false,
        uploadURL: unfinishedUrl(path),
      },
    ],
  })
}

/** An interrupted item was taken up again, or turned out to be finished. */
export function takeInterrupted(batchID: string, item: JournalItem): void {
  adopted.delete(batchID)
  const batch = interrupted.get(batchID)
  if (batch === undefined) return
  batch.items = batch.items.filter((other) => other !== item)
  journal.removeItem(batchID, item.sourcePath)
  if (batch.items.some((other) => !other.done)) return
  interrupted.delete(batchID)
  forgetBatch(batchID)
}

/** Forgets an interrupted upload and what the server holds of it. */
export async function discardInterrupted(batchID: string): Promise<void> {
  const batch = interrupted.get(batchID)
  if (batch === undefined) return
  interrupted.delete(batchID)
  forgetBatch(batchID)
  showInterrupted()
  for (const item of batch.items) {
    if (item.done || item.uploadURL === null) continue
    await discardUpload(joinPath(batch.targetPath, item.targetPath)).catch(() => {})
  }
}

export function showInterrupted(): void {
  const summaries = [...interrupted.values()].map((batch) => ({
    ...toSummary(batch),
    canContinue: kept.has(batch.id),
  }))
  uploads.interrupted = ref(summaries)
}
