// The unfinished uploads of an account: how many there may be, and which they are.
import { lstat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Disks } from '../files/disks/disks.ts'
import { type Declared, declaredIn } from '../files/temp/temp-name.ts'
import { MAX_NOTED, type TempRegistry } from '../files/temp/temp-registry.ts'
import { AppError, isLostEntry } from '../lib/errors.ts'

/** Our page begins few at once; each holds a name on the disk, and as much as was sent of it. */
export const MAX_UNFINISHED = 1_000

export interface Unfinished {
  /** Where to, as the account saw it when it began. */
  vpath: string
  declared: Declared
  offsetBytes: number
  /** When the last byte came. */
  receivedMs: number
}

/** Those that are still there. */
export async function unfinishedOf(
  disks: Disks,
  registry: TempRegistry,
  owner: number,
): Promise<Unfinished[]> {
  const found: Unfinished[] = []
  for (const [path, { upload }] of [...registry.noted()]) {
    const declared = declaredIn(basename(path))
    if (upload?.owner !== owner || declared === null) continue
    const looking = disks.of(path).query(() => lstat(path))
    const stats = await looking.catch((error) => {
      if (isLostEntry(error)) return null
      throw error
    })
    if (!stats?.isFile()) continue
    found.push({
      vpath: upload.vpath,
      declared,
      offsetBytes: stats.size,
      receivedMs: stats.mtimeMs,
    })
  }
  return found
}

/** Throws `too_many_requests` when the account has, or all have, as many as there may be. */
export async function admitUpload(
  disks: Disks,
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
    (await unfinishedOf(disks, registry, owner)).length < MAX_UNFINISHED
  )
    return
  const message = `account ${owner} has ${MAX_UNFINISHED} unfinished uploads`
  throw new AppError('too_many_requests', message)
}
