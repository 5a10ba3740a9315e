// Copying the bytes of one file to a temporary sibling of its target, and that into place.
import type { VPath } from '../../lib/vpath.ts'
import type { FolderReader, Named, OpenFile } from '../place/folder-reader.ts'
import type { Scope } from '../place/scope.ts'
import type { WriteFolder } from '../place/write-folder.ts'
import type { EntryStat } from '../volume/entry-stat.ts'
import type { CommittedFile, TempFile } from '../volume/temp-file.ts'

/** Larger files are copied one by one, and only where they fit. */
const CHUNK_BYTES = 1024 * 1024
/** Up to this size a file on a local disk is written without the thread pool, as in receive.ts. */
const SMALL_BYTES = 64 * 1024

/** Told of each entry that has come, by its path. */
export type OnMade = (vpath: VPath, made: EntryStat | CommittedFile) => void

export interface CopyOptions {
  onMade?: OnMade | undefined
  replace: boolean
  signal: AbortSignal
  /** Asked for the room of a large file before its first byte. */
  reserve: (temp: TempFile, sizeBytes: number) => Promise<void>
}

/** Copies one file; links at both ends are followed inside the scope. */
export async function copyOneFile(
  scope: Scope,
  source: VPath,
  target: VPath,
  options: CopyOptions,
): Promise<void> {
  const file = await scope.openRead(source)
  try {
    const temp = await scope.openTemp(target, { parents: true })
    const made = await copyInto(file, temp, options)
    options.onMade?.(target, made)
  } finally {
    await file.handle.close()
  }
}

/**
 * Copies a regular file from one open folder into another, under its name. Returns the time it had,
 * in nanoseconds; null when a link has its name there, with nothing done: see copyOneFile.
 */
export async function copyFileIn(
  from: FolderReader,
  into: WriteFolder,
  entry: Named,
  options: CopyOptions & { largeFiles: OneByOne; target: VPath },
): Promise<bigint | null> {
  const file = await from.openRead(entry, { direct: true })
  try {
    const copy = async () => {
      const temp = await into.openTemp(entry.name)
      if (!temp) return null
      const made = await copyInto(file, temp, options)
      options.onMade?.(options.target, made)
      return file.mtimeNs
    }
    return await (file.sizeBytes > CHUNK_BYTES ? options.largeFiles(copy) : copy())
  } finally {
    await file.handle.close()
  }
}

type OneByOne = <T>(work: () => Promise<T>) => Promise<T>

/** Runs what it is given one after the other. */
export function oneByOne(): OneByOne {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work, work)
    last = done
    return done
  }
}

async function copyInto(
  file: OpenFile,
  temp: TempFile,
  options: CopyOptions,
): Promise<CommittedFile> {
  try {
    if (file.sizeBytes > CHUNK_BYTES) await options.reserve(temp, file.sizeBytes)
    await copyBytes(file, temp, options)
    await temp.setMode(file.mode)
    return await temp.commit({ replace: options.replace })
  } finally {
    await temp.discard()
  }
}

async function copyBytes(
  { handle, sizeBytes }: OpenFile,
  temp: TempFile,
  { signal }: CopyOptions,
): Promise<void> {
  // Not by the copyFile of Node: it removes its target when a clone is refused, and writes a new one
  // under the name, which the descriptor that is synced and moved into place knows nothing of.
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, sizeBytes + 4096))
  const direct = sizeBytes <= SMALL_BYTES
  for (let position = 0; ; ) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) return
    await temp.write([buffer.subarray(0, bytesRead)], position, { direct })
    position += bytesRead
    // Spares a read that finds nothing, unless the file has grown.
    if (bytesRead < buffer.length && Number((await handle.stat()).size) === position) return
  }
}
