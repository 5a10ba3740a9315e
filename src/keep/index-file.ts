// What was read of a trash, in a file beside its folders: reading 100,000 small files after each start would take
// seconds. Only what never changes stands in it, and what is there is told by the folder alone.
import type { OpenFolder } from '../files/volume/open-folder.ts'
import type { Volume } from '../files/volume/volume.ts'
import { unless } from '../lib/errors.ts'
import { inTurns } from '../lib/turns.ts'
import { INDEX_NAME } from './stores.ts'
import { isInside } from './trash-info.ts'

/** Some 300,000 entries. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024
const PART_BYTES = 1024 * 1024
const HEAD = 'trash 1'
const NEVER = new AbortController().signal

/** A line: see TrashEntry. */
export interface IndexLine {
  name: string
  path: string | null
  isDir: boolean
  /** Of a folder 0. */
  bytes: number
  deletedAt: number
  userID: number | null
  operation: string | null
}

/** The lines in their order; none where there is no such file, or it cannot be read. */
export async function readIndex(volume: Volume, store: OpenFolder): Promise<IndexLine[]> {
  const lines: IndexLine[] = []
  const handle = await volume.openFile(store, INDEX_NAME, { direct: false }).catch(() => null)
  if (!handle) return lines
  try {
    const { size } = await handle.stat()
    if (size > MAX_INDEX_BYTES) return lines
    const buffer = Buffer.allocUnsafe(PART_BYTES)
    let rest = ''
    let isOurs = false
    const decoder = new TextDecoder()
    for (let position = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
      if (bytesRead === 0) return isOurs ? lines : []
      const texts = (rest + decoder.decode(buffer.subarray(0, bytesRead), { stream: true })).split(
        '\n',
      )
      if (position === 0) isOurs = texts.shift() === HEAD
      if (!isOurs) return []
      position += bytesRead
      // A line that was not ended is none.
      rest = texts.pop() ?? ''
      await inTurns(texts, (text) => {
        const line = parseLine(text)
        if (line) lines.push(line)
      })
    }
  } catch {
    // What it does not tell is read.
    return []
  } finally {
    await handle.close()
  }
}

function parseLine(text: string): IndexLine | null {
  try {
    const [name, path, isDir, bytes, deletedAt, userID, operation] = JSON.parse(text) as unknown[]
    const isLine =
      typeof name === 'string' &&
      (path === null || (typeof path === 'string' && isInside(path))) &&
      typeof isDir === 'boolean' &&
      isCount(bytes) &&
      isCount(deletedAt) &&
      (userID === null || isCount(userID)) &&
      (operation === null || typeof operation === 'string')
    return isLine ? { name, path, isDir, bytes, deletedAt, userID, operation } : null
  } catch {
    return null
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Rejects where there is no room for it, and with the system's errors. */
export async function writeIndex(
  volume: Volume,
  store: OpenFolder,
  lines: Iterable<IndexLine>,
): Promise<void> {
  // A file that is replaced would become a version.
  await volume.remove(store, INDEX_NAME, { signal: NEVER }).catch(unless('ENOENT'))
  const temp = await volume.openTemp(store.share(), INDEX_NAME, { fileMode: 0o600 })
  try {
    let position = 0
    let part = [HEAD]
    const flush = async () => {
      const bytes = Buffer.from(`${part.join('\n')}\n`)
      part = []
      await temp.write([bytes], position, { direct: false })
      position += bytes.length
    }
    for (const { name, path, isDir, bytes, deletedAt, userID, operation } of lines) {
      part.push(JSON.stringify([name, path, isDir, bytes, deletedAt, userID, operation]))
      if (part.length >= 2_000) await flush()
    }
    if (part.length > 0) await flush()
    await temp.commit({ replace: false })
  } finally {
    await temp.discard()
  }
}
