// The unfinished uploads of an account: how many there may be, and which they are.
import { lstat } from 'node:fs/promises'
import { basename } from 'node:path'
import { AppError, isLostEntry } from '../../lib/errors.ts'
import type { Disks } from '../disks/disks.ts'
import { declaredBytes } from './temp-name.ts'
import type { TempRegistry } from './temp-registry.ts'

/** Our page begins few at once; each holds a name on the disk, and as much as was sent of it. */
export const MAX_UNFINISHED = 1_000

export interface Unfinished {
  /** Where to, as the account saw it when it began. */
  vpath: string
  lengthBytes: number
  offsetBytes: number
  mtimeMs: number
}

/** Those that are still there. */
export async function unfinishedOf(
  disks: Disks,
  registry: TempRegistry,
  owner: number,
): Promise<Unfinished[]> {
  const found: Unfinished[] = []
  for (const [path, { upload }] of [...registry.noted()]) {
    const lengthBytes = declaredBytes(basename(path))
    if (upload?.owner !== owner || lengthBytes === null) continue
    const looking = disks.of(path).query(() => lstat(path))
    const stats = await looking.catch((error) => {
      if (isLostEntry(error)) return null
      throw error
    })
    if (!stats?.isFile()) continue
    const { size: offsetBytes, mtimeMs } = stats
    found.push({ vpath: upload.vpath, lengthBytes, offsetBytes, mtimeMs })
  }
  return found
}

/** Throws `too_many_requests` when the account has as many as it may have. */
export async function admitUpload(
  disks: Disks,
  registry: TempRegistry,
  owner: number,
): Promise<void> {
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
