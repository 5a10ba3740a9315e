// What limited folders hold, from one run of the server to the next: a small file beside the database.
import { access, readFile, rm } from 'node:fs/promises'
import { type Reader, readObject } from '../lib/parse.ts'
import { replaceFile } from '../store/durable-file.ts'

/** What was known of a folder. */
export interface KnownUsage {
  usedBytes: number
  reservedBytes: number
  /** Which folder was counted. */
  identity: string
  /** When it is to be counted again. */
  dueMs: number
}

export interface UsageFile {
  /** The server that wrote it had counted all when it ended; otherwise some may be missing. */
  isClean: boolean
  /** By real path. */
  folders: ReadonlyMap<string, KnownUsage>
}

/** The file that belongs to a database. */
export function usageFileOf(database: string): string {
  return `${database}.usage`
}

/** What the file has; null where it is missing or damaged. */
export async function readUsage(database: string): Promise<UsageFile | null> {
  try {
    const reader = readObject(JSON.parse(await readFile(usageFileOf(database), 'utf8')), '')
    const folders = reader.obj('folders', (inner) =>
      inner.keys().map((folder) => [folder, inner.obj(folder, readFolder)] as const),
    )
    return { isClean: reader.bool('clean'), folders: new Map(folders) }
  } catch {
    return null
  }
}

function readFolder(reader: Reader): KnownUsage {
  const bytes = (key: string) => reader.int(key, 0, { min: 0 })
  return {
    usedBytes: bytes('usedBytes'),
    reservedBytes: bytes('reservedBytes'),
    identity: reader.str('identity'),
    dueMs: bytes('dueMs'),
  }
}

/** Rejects like replaceFile. */
export async function writeUsage(database: string, { isClean, folders }: UsageFile): Promise<void> {
  const text = JSON.stringify({ clean: isClean, folders: Object.fromEntries(folders) }, null, 1)
  await replaceFile(usageFileOf(database), `${text}\n`, { like: database, keepsPrevious: false })
}

/** Gives null: nothing is known then. */
export async function removeUsage(database: string): Promise<null> {
  await rm(usageFileOf(database), { force: true }).catch(() => {})
  return null
}

export async function hasUsage(database: string): Promise<boolean> {
  return access(usageFileOf(database)).then(
    () => true,
    () => false,
  )
}
