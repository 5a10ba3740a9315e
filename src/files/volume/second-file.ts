// A second name or a copy of a file at a path below an open folder that only the server enters.
import { type BigIntStats, constants, mkdir, mkdirSync, read } from 'node:fs'
import { lutimes, readlink, symlink } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { promisify } from 'node:util'
import { errnoOf, unless } from '../../lib/errors.ts'
import { atOnce, poolCalls } from '../disks/disk-calls.ts'
import { writeFully } from '../disks/write-fully.ts'
import { isCloned } from './clone.ts'
import { permissionBits } from './file-mode.ts'
import { type Name, type OpenFolder, pathIn } from './open-folder.ts'
import type { AnyName, EntryName } from './volume.ts'

const makeOne = promisify(mkdir)
const readSome = promisify(read)

const CHUNK_BYTES = 1024 * 1024
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** link(2): gives a file a further name. `direct`: without the pool where that is quick. */
export async function linkFile(
  from: EntryName,
  to: EntryName,
  { direct }: { direct: boolean },
): Promise<void> {
  const { device } = to.folder
  const isDirect = direct && device.isDirect
  const calls = isDirect ? atOnce : poolCalls(device)
  const link = () => calls.link(pathIn(from.folder, from.name), pathIn(to.folder, to.name))
  await withFolders(to, isDirect, link)
}

/**
 * Copies a file with its permission bits and time, and syncs it; a symbolic link as one. Shares its blocks where the disk
 * can. What was begun is removed after a failure.
 */
export async function copyFileTo(from: AnyName, to: AnyName): Promise<void> {
  const [fromCalls, calls] = [poolCalls(from.folder.device), poolCalls(to.folder.device)]
  const { device } = to.folder
  const path = pathIn(to.folder, to.name)
  const sourcePath = pathIn(from.folder, from.name)
  const found = await fromCalls.lstat(sourcePath)
  if (found?.isSymbolicLink()) return copyLink(from.folder, sourcePath, device, path, found)
  const source = await fromCalls.open(sourcePath, READ)
  try {
    const { mode, atimeMs, mtimeNs } = await fromCalls.fstat(source)
    const target = await withFolders(to, false, () => calls.open(path, CREATE, 0o600))
    try {
      if (!(await isCloned(device, source, target)))
        await copyBytes(from.folder, source, device, target)
      await calls.fchmod(target, permissionBits(Number(mode)))
      await calls.futimes(target, new Date(Number(atimeMs)), Number(mtimeNs) / 1e9)
      await device.syncFile(target)
    } catch (error) {
      await calls.unlink(path)
      throw error
    } finally {
      await calls.close(target)
    }
  } finally {
    await fromCalls.close(source)
  }
}

async function copyLink(
  { device: fromDevice }: OpenFolder,
  from: Name,
  device: OpenFolder['device'],
  to: Name,
  { mtimeNs }: BigIntStats,
): Promise<void> {
  // Bytes, as any may be in it.
  const leadsTo = await fromDevice.query(() => readlink(from, { encoding: 'buffer' }))
  await device.run(async () => {
    await symlink(leadsTo, to)
    await lutimes(to, new Date(), Number(mtimeNs) / 1e9)
  })
}

// The folders on the way are made when they are missed.
async function withFolders<T>(to: AnyName, isDirect: boolean, work: () => Promise<T>): Promise<T> {
  for (let tries = 3; ; tries--)
    try {
      return await work()
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || tries === 0) throw error
      await makeFoldersOf(to, isDirect)
    }
}

// One by one: in an open folder that was deleted, Node's own recursion never ends.
async function makeFoldersOf({ folder, name }: AnyName, isDirect: boolean): Promise<void> {
  const names = dirname(name.toString()).split(sep)
  for (const at of names.keys()) {
    const path = pathIn(folder, names.slice(0, at + 1).join(sep))
    const make = async () => (isDirect ? mkdirSync(path, 0o700) : makeOne(path, 0o700))
    await (isDirect ? make() : folder.device.run(make)).catch(unless('EEXIST'))
  }
}

async function copyBytes(
  { device: fromDevice }: OpenFolder,
  source: number,
  device: OpenFolder['device'],
  target: number,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let position = 0; ; ) {
    const { bytesRead } = await fromDevice.run(() =>
      readSome(source, buffer, 0, buffer.length, position),
    )
    if (bytesRead === 0) return
    await writeFully(target, device, [buffer.subarray(0, bytesRead)], position, false)
    position += bytesRead
  }
}
