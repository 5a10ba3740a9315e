// Writing so that what was there stays until the new content is whole: a hidden sibling is
// written, synced and moved into place. An abandoned sibling is removed by its owner or, after a
// crash, by sweepTemps.
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, errnoOf } from '../errors.ts'
import { permissionBits } from './file-mode.ts'
import { moveFileToFreeName } from './free-name.ts'

/** Names with this prefix are ours: never listed, never served. Fixed length, see openTemp. */
export const TEMP_PREFIX = '.fb-tmp-'

export interface TempFile {
  readonly handle: FileHandle
  /** Bytes may also be written through this host path; it is valid until commit or discard. */
  readonly hostPath: string
  /**
   * Syncs and moves the file into place. With `replace: false` an existing target is `exists` and
   * the temp file stays; with `replace: true` the mode and, where allowed, the owner of the old
   * file carry over. `check` is called last; when it throws nothing is moved.
   */
  commit(options: CommitOptions): Promise<CommittedFile>
  /** Closes and removes it. Does nothing after a commit. */
  discard(): Promise<void>
  /** Closes it and leaves it on disk, to be gone on with later. */
  release(): Promise<void>
}

export interface CommitOptions {
  replace: boolean
  mtimeMs?: number | undefined
  check?: (() => Promise<void>) | undefined
}

export interface CommittedFile {
  sizeBytes: number
  mtimeNs: bigint
}

/** A folder held open; `close` is called by the temp file when it is done. */
export interface HeldFolder {
  ref: string
  close(): Promise<void>
}

/**
 * Creates the sibling of `name` in a held folder, or opens the one left there under `resume`, and
 * takes over closing that folder. `label` names a new one that is to be found again.
 */
export async function openTemp(
  folder: HeldFolder,
  name: string,
  options: { fileMode: number; label?: string | undefined; resume?: string | undefined },
): Promise<TempFile> {
  // The name does not depend on the target's, which may already have the longest allowed length.
  const own = options.resume ?? TEMP_PREFIX + (options.label ?? randomBytes(12).toString('hex'))
  const hostPath = join(folder.ref, own)
  const target = join(folder.ref, name)
  const flags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)
  const handle =
    options.resume === undefined
      ? await open(
          hostPath,
          flags | constants.O_CREAT | (options.label ? constants.O_TRUNC : constants.O_EXCL),
          permissionBits(options.fileMode),
        )
      : await open(hostPath, flags)
  let done = false

  const finish = async () => {
    done = true
    await handle.close()
    await folder.close()
  }
  return {
    handle,
    hostPath,
    commit: async ({ replace, mtimeMs, check }) => {
      await handle.sync()
      if (replace) await carryOver(target, handle)
      await check?.()
      await (replace ? replaceTarget(hostPath, target) : moveFileToFreeName(hostPath, target))
      // Not before: a file that could not be moved would look abandoned for long, and be swept.
      if (mtimeMs !== undefined) await handle.utimes(new Date(), mtimeMs / 1000)
      const { size, mtimeNs } = await handle.stat({ bigint: true })
      await finish()
      return { sizeBytes: Number(size), mtimeNs }
    },
    release: async () => {
      if (!done) await finish()
    },
    discard: async () => {
      if (done) return
      await unlink(hostPath).catch((error) => {
        if (errnoOf(error) !== 'ENOENT') throw error
      })
      await finish()
    },
  }
}

async function replaceTarget(temp: string, target: string): Promise<void> {
  const found = await lstatOrNull(target)
  if (found?.isDirectory()) throw new AppError('internal', 'a folder cannot be replaced by a file')
  await rename(temp, target)
}

async function carryOver(target: string, handle: FileHandle): Promise<void> {
  const found = await lstatOrNull(target)
  if (!found?.isFile()) return
  const own = await handle.stat()
  if (found.uid !== own.uid || found.gid !== own.gid) {
    // Only root may give files away; without that right the writer becomes the owner.
    await handle.chown(found.uid, found.gid).catch((error) => {
      if (!['EPERM', 'EACCES', 'ENOSYS', 'EINVAL'].includes(errnoOf(error))) throw error
    })
  }
  await handle.chmod(found.mode & 0o7777).catch((error) => {
    if (!['EPERM', 'ENOSYS', 'ENOTSUP'].includes(errnoOf(error))) throw error
  })
}

async function lstatOrNull(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  }
}
