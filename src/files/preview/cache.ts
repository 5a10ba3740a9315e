// Finished previews: in a folder of bounded size when one is configured, else a few in memory.
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { contains } from '../../lib/host-path.ts'
import { createPreviewIndex } from './preview-index.ts'

interface CachedPreview {
  contentType: string
  bytes: Buffer
}

interface PreviewKey {
  /** Absolute host path of the source. */
  realPath: string
  /** Whole milliseconds. */
  mtimeMs: number
  /** What was made of it: `thumb`, `big` or a variant of these. */
  variant: string
}

export interface PreviewCache {
  get(key: PreviewKey): Promise<CachedPreview | null>
  /** Failures to store are silent: the next request makes the preview again. */
  put(key: PreviewKey, preview: CachedPreview): Promise<void>
  /** Removes what was made of a file, or of all files in a folder; `realPath` as in the keys. */
  forget(realPath: string): Promise<void>
  /** Whether there is anything to be forgotten, as far as that is known without looking. */
  mayHoldAny(): boolean
}

const MEMORY_BYTES = 12 * 1024 * 1024
/** After a clean-up there is room for a while, so that not every new preview causes one. */
const KEEP_SHARE = 0.9

/**
 * Name of a preview (docs/http-api.md 13): hex of the path, hex seconds of the modification time and hex of
 * the size word, hashed. Existing cache folders of the original stay useful.
 */
export function cacheName(key: PreviewKey): string {
  return placeOf(hashOf(key))
}

function hashOf({ realPath, mtimeMs, variant }: PreviewKey): string {
  const hex = (text: string): string => Buffer.from(text).toString('hex')
  const seconds = Math.floor(mtimeMs / 1000).toString(16)
  return createHash('sha1')
    .update(`${hex(realPath)}${seconds}${hex(variant)}`)
    .digest('hex')
}

/** `h[0]/h[1..2]/h` of a hash. */
function placeOf(hash: string): string {
  return join(hash.slice(0, 1), hash.slice(1, 3), hash)
}

/** Least recently used previews leave when the total exceeds `maxBytes`. */
export function createMemoryCache(maxBytes = MEMORY_BYTES): PreviewCache {
  const entries = new Map<string, CachedPreview & { realPath: string }>()
  let total = 0
  const nameOf = (key: PreviewKey): string => `${key.variant}:${key.mtimeMs}:${key.realPath}`
  return {
    async get(key) {
      const name = nameOf(key)
      const found = entries.get(name)
      if (!found) return null
      entries.delete(name)
      entries.set(name, found)
      return found
    },
    async put(key, preview) {
      // A photograph in full would push out everything else, and itself at the end.
      if (preview.bytes.length > maxBytes / 2) return
      const name = nameOf(key)
      total += preview.bytes.length - (entries.get(name)?.bytes.length ?? 0)
      entries.delete(name)
      entries.set(name, { ...preview, realPath: key.realPath })
      for (const [oldest, { bytes }] of entries) {
        if (total <= maxBytes) break
        entries.delete(oldest)
        total -= bytes.length
      }
    },
    async forget(realPath) {
      for (const [name, entry] of entries) {
        if (!contains(realPath, entry.realPath)) continue
        entries.delete(name)
        total -= entry.bytes.length
      }
    },
    mayHoldAny: () => entries.size > 0,
  }
}

/** Previews as files below `folder`; `maxBytes` 0 means unlimited. Nothing is touched before use. */
export function createDiskCache(folder: string, maxBytes: number): PreviewCache {
  /** Bytes in the folder; unknown until the first write has counted them. */
  let total: Promise<number> | undefined
  let cleaning: Promise<void> | undefined
  const index = createPreviewIndex(join(folder, 'index'))

  const account = async (added: number): Promise<void> => {
    if (maxBytes === 0) return
    total = (total ?? listFiles(folder).then(sumSizes)).then((bytes) => bytes + added)
    if ((await total) <= maxBytes) return
    cleaning ??= evict(folder, maxBytes * KEEP_SHARE)
      .then(async (bytes) => {
        total = Promise.resolve(bytes)
        await index.prune(async (name) => isThere(join(folder, placeOf(name))))
      })
      .finally(() => {
        cleaning = undefined
      })
    await cleaning
  }

  return {
    async get(key) {
      const file = join(folder, cacheName(key))
      const handle = await open(file, 'r').catch(() => null)
      if (!handle) return null
      try {
        const stats = await handle.stat()
        // The name knows whole seconds only: a second change within one is seen by the exact time.
        if (stats.mtimeMs !== key.mtimeMs) return null
        const bytes = await handle.readFile()
        const contentType = sniffPicture(bytes)
        if (!contentType) return null
        // Those of earlier versions are not in the index.
        await index.add(key.realPath, hashOf(key)).catch(() => {})
        // The time of use, for the clean-up; the modification time is the source's.
        await handle.utimes(new Date(), stats.mtime).catch(() => {})
        return { contentType, bytes }
      } finally {
        await handle.close()
      }
    },
    async put(key, { bytes }) {
      const file = join(folder, cacheName(key))
      const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
      try {
        // First: what is not in the index could not be found when its file is deleted.
        await index.add(key.realPath, hashOf(key))
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        const handle = await open(temporary, 'wx', 0o600)
        try {
          await handle.writeFile(bytes)
        } finally {
          await handle.close()
        }
        await utimes(temporary, new Date(), new Date(key.mtimeMs))
        await rename(temporary, file)
        // A clean-up may have taken the entry for one of a preview that has gone.
        if (cleaning) await index.add(key.realPath, hashOf(key))
        await account(bytes.length)
      } catch {
        // A full or read-only disk costs speed, not pictures.
        await rm(temporary, { force: true }).catch(() => {})
      }
    },
    async forget(realPath) {
      for (const name of await index.take(realPath))
        await rm(join(folder, placeOf(name)), { force: true })
    },
    mayHoldAny: () => true,
  }
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}

interface CacheFile {
  file: string
  sizeBytes: number
  usedMs: number
}

/** Removes the longest unused files until `keepBytes` are left; gives what is left. */
async function evict(folder: string, keepBytes: number): Promise<number> {
  const files = (await listFiles(folder)).sort((a, b) => a.usedMs - b.usedMs)
  let bytes = sumSizes(files)
  for (const { file, sizeBytes } of files) {
    if (bytes <= keepBytes) break
    await rm(file, { force: true })
    bytes -= sizeBytes
  }
  return bytes
}

/** Only files that bear our names: the folder may be shared with something else. */
async function listFiles(folder: string): Promise<CacheFile[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const files: CacheFile[] = []
  for (const name of names) {
    if (!/^[0-9a-f][\\/][0-9a-f]{2}[\\/][0-9a-f]{40}(\.[0-9a-f]{12}\.tmp)?$/.test(name)) continue
    const stats = await stat(join(folder, name)).catch(() => null)
    if (stats)
      files.push({ file: join(folder, name), sizeBytes: stats.size, usedMs: stats.atimeMs })
  }
  return files
}

function sumSizes(files: CacheFile[]): number {
  return files.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0)
}

/** Content type by the first bytes; null for what no preview begins with. */
function sniffPicture(bytes: Buffer): string | null {
  if (bytes.length < 12) return null
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return 'image/jpeg'
  if (bytes.toString('latin1', 1, 4) === 'PNG') return 'image/png'
  if (bytes.toString('latin1', 8, 12) === 'WEBP') return 'image/webp'
  if (bytes.toString('latin1', 0, 4) === 'GIF8') return 'image/gif'
  return null
}
