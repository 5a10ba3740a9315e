// The unfinished uploads of an account: how many there may be, and which they are.
import { basename } from 'node:path'
import type { SharedUploads } from '../../files/transfer/shared-uploads.ts'
import { type Declared, declaredIn } from '../../files/volume/temp-name.ts'
import { MAX_NOTED, type TempRegistry } from '../../files/volume/temp-registry.ts'
import type { Volume } from '../../files/volume/volume.ts'
import { AppError, isLostEntry } from '../../lib/errors.ts'

/** Our page begins few at once; each holds a name on the disk, and as much as was sent of it. */
const MAX_UNFINISHED = 1_000

export interface Unfinished {
  /** Where to, as the account saw it when it began. */
  vpath: string
  declared: Declared
  offsetBytes: number
  /** When the last byte came. */
  receivedMs: number
}

/** Those that are still there: of all nodes with `shared`, else as noted in `registry`. */
export async function unfinishedOf(
  volume: Volume,
  { registry, shared }: { registry: TempRegistry; shared: SharedUploads | null },
  owner: number,
): Promise<Unfinished[]> {
  const found: Unfinished[] = []
  const noted = shared ? await shared.list(owner) : notedOf(registry, owner)
  for (const { path, vpath } of noted) {
    const declared = declaredIn(basename(path))
    if (declared === null) continue
    const stats = await volume.statAt(path).catch((error) => {
      if (isLostEntry(error)) return null
      throw error
    })
    if (!stats?.isFile()) continue
    found.push({
      vpath,
      declared,
      offsetBytes: Number(stats.size),
      receivedMs: Number(stats.mtimeMs),
    })
  }
  return found
}

/** Throws `too_many_requests` when the account has, or all have, as many as there may be. */
export async function admitUpload(
  volume: Volume,
  registry: TempRegistry,
  owner: number,
): Promise<void> {
  if (registry.noted().size >= MAX_NOTED)
    throw new AppError('too_many_requests', `there are ${MAX_NOTED} temporary files`)
  let noted = 0
  for (const { upload } of registry.noted().values()) if (upload?.owner === owner) noted++
  // Some may have gone with their folder.
  if (
    noted < MAX_UNFINISHED ||
    (await unfinishedOf(volume, { registry, shared: null }, owner)).length < MAX_UNFINISHED
  )
    return
  throw tooMany(owner)
}

/** An account with far fewer is counted so often. */
const COUNT_EVERY_MS = 10_000

/**
 * The same, of all nodes, with the one that is about to be begun, which is noted already; those that have gone with their
 * folder count until they expire.
 */
export function admitShared(shared: SharedUploads): (owner: number) => Promise<void> {
  const counts = new Map<number, { count: number; untilMs: number }>()
  return async (owner) => {
    const known = counts.get(owner)
    if (known && performance.now() < known.untilMs && ++known.count < MAX_UNFINISHED / 2) return
    const count = await shared.count(owner)
    if (count > MAX_UNFINISHED) throw tooMany(owner)
    if (counts.size > MAX_UNFINISHED) counts.clear()
    counts.set(owner, { count, untilMs: performance.now() + COUNT_EVERY_MS })
  }
}

function tooMany(owner: number): AppError {
  const message = `account ${owner} has ${MAX_UNFINISHED} unfinished uploads`
  return new AppError('too_many_requests', message)
}

function notedOf(registry: TempRegistry, owner: number): { path: string; vpath: string }[] {
  return [...registry.noted()].flatMap(([path, { upload }]) =>
    upload?.owner === owner ? { path, vpath: upload.vpath } : [],
  )
}
