// What is asked of a thread that makes small files, and how it answers.

/** Larger files are none. */
export const SMALL_BYTES = 1024 * 1024
/** Files of a batch at most: others, and whoever breaks it off, wait as long as one takes. */
export const BATCH_FILES = 64
/** Numbers for each file in `facts`. */
export const FACTS = 4
/** In place of the size of one that is left. */
export const LEFT = -1n

interface Into {
  /** `/proc/self/fd/N` of the open folder. */
  into: string
  /** Hidden names: one for each file where they are synced, else one for all. */
  temps: readonly string[]
  /** Each is synced before it gets its name. */
  isSynced: boolean
}

/** A file that is to be made. */
export interface SmallFile {
  name: string
  /** Where its bytes begin in the content of the batch. */
  offset: number
  bytes: number
  /** Permission bits; null for those that a new file gets. */
  mode: number | null
  mtimeMs: number
}

export interface MakeWork extends Into {
  content: SharedArrayBuffer
  files: readonly SmallFile[]
  /** Permission bits to make them with. */
  fileMode: number
}

/** Under the same names. */
export interface CopyWork extends Into {
  /** `/proc/self/fd/N` of the open folder that they are in. */
  from: string
  names: readonly string[]
  keepsTimes: boolean
}

export type SmallFilesWork = MakeWork | CopyWork

export interface SmallFilesDone {
  /** Size, time and inode of each, and the time that its source had; times in nanoseconds. */
  facts: BigInt64Array
  /** Hidden names that could not be removed. */
  stuck: readonly string[]
}

/** Small files that are to be made together, of memory that all threads share. */
export interface SmallBatch {
  content: SharedArrayBuffer
  files: SmallFile[]
}

export function createBatch(): SmallBatch {
  return { content: new SharedArrayBuffer(SMALL_BYTES), files: [] }
}

/** False where there is no room for it. */
export function addToBatch(
  { content, files }: SmallBatch,
  file: Pick<SmallFile, 'name' | 'mode' | 'mtimeMs'>,
  pieces: readonly Uint8Array[],
): boolean {
  const last = files.at(-1)
  const offset = last ? last.offset + last.bytes : 0
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
  if (files.length >= BATCH_FILES || offset + bytes > content.byteLength) return false
  const room = new Uint8Array(content, offset, bytes)
  let filled = 0
  for (const piece of pieces) {
    room.set(piece, filled)
    filled += piece.length
  }
  files.push({ ...file, offset, bytes })
  return true
}

/** The bytes of a file, which stay as they are when the batch is filled anew. */
export function contentIn({ content }: SmallBatch, { offset, bytes }: SmallFile): Buffer {
  return Buffer.from(new Uint8Array(content, offset, bytes))
}
