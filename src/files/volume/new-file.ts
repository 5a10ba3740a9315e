// Small new files that are there as a whole: our own, which no other program may read, and those of others.
import { randomUUID } from 'node:crypto'
import { constants, fchmodSync, fstatSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { unless } from '../../lib/errors.ts'
import { atOnce, poolCalls } from '../disks/disk-calls.ts'
import { permissionBits } from './file-mode.ts'
import { moveFileToFreeName } from './free-name.ts'
import { deviceIn, type OpenFolder, pathIn } from './open-folder.ts'
import { type CommittedFile, setFileTime } from './temp-file.ts'
import { TEMP_PREFIX } from './temp-name.ts'
import type { TempNotes } from './temp-registry.ts'
import { writeFully } from './write-fully.ts'

const FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/**
 * Writes and syncs a file that is not there yet, for its owner alone. Rejects with the system's error, EEXIST
 * when anything has the name; what was begun is removed then.
 */
export async function writeNew(folder: OpenFolder, name: string, content: Buffer): Promise<void> {
  const { device } = folder
  const calls = poolCalls(device)
  const path = pathIn(folder, name)
  const fd = await calls.open(path, FLAGS, 0o600)
  try {
    await writeFully(fd, device, [content], 0, false)
    await device.syncFile(fd)
  } catch (error) {
    await calls.unlink(path).catch(() => {})
    throw error
  } finally {
    await calls.close(fd)
  }
}

/** A file of few bytes, all of which are there. */
export interface SmallFile {
  content: readonly Buffer[]
  /** Permission bits to make it with. */
  fileMode: number
  /** Permission bits that it is to have; null for those that it was made with. */
  mode: number | null
  mtimeMs: number
}

/**
 * Does in few calls what `openTemp`, writing and a commit do for a new name: a hidden sibling is written, synced and moved
 * into place. The caller syncs the folder. Null, with nothing done, where the disk is not to be asked on the event loop or takes no
 * new name. Throws `exists`, else the system's error.
 */
export async function createSmall(
  folder: OpenFolder,
  name: string,
  file: SmallFile,
  notes?: TempNotes,
): Promise<CommittedFile | null> {
  const { device, realDir } = folder
  if (!device.isDirect || !deviceIn(folder, name).isDirect) return null
  const own = notes?.takeSpare(realDir) ?? TEMP_PREFIX + randomUUID()
  const path = pathIn(folder, own)
  const notedPath = join(realDir, own)
  notes?.note(notedPath)
  let fd: number
  try {
    fd = device.direct(() => openSync(path, FLAGS, permissionBits(file.mode ?? file.fileMode)))
  } catch {
    notes?.forget(notedPath)
    return null
  }
  try {
    const made = await fill(folder, fd, file)
    await moveFileToFreeName(path, pathIn(folder, name), atOnce)
    notes?.spare(notedPath)
    return made
  } catch (error) {
    await atOnce.unlink(path).catch(unless('ENOENT'))
    notes?.forget(notedPath)
    throw error
  } finally {
    await atOnce.close(fd)
  }
}

async function fill(
  { device }: OpenFolder,
  fd: number,
  { content, mode, mtimeMs }: SmallFile,
): Promise<CommittedFile> {
  const [first, ...others] = content
  // For one piece the quicker call.
  const written = first && others.length === 0 ? writeSync(fd, first, 0, first.length, 0) : 0
  if (written !== first?.length) await writeFully(fd, device, content, 0, true)
  await setFileTime(fd, mtimeMs, atOnce)
  const { size, mtimeNs, ino, mode: bits } = fstatSync(fd, { bigint: true })
  // The system may have taken some away.
  if (mode !== null && permissionBits(Number(bits)) !== permissionBits(mode))
    fchmodSync(fd, permissionBits(mode))
  await device.syncFile(fd)
  return { sizeBytes: Number(size), mtimeNs, ino, hasReplaced: false, version: null }
}
