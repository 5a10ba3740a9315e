// Which previews in a cache folder were made of which file, so that they go with it: a tree of folders
// like that of the sources, by hashes of their names, with an empty file for each preview. Deleting a
// folder reads what was made of its files and nothing else.
import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unless } from '../../lib/errors.ts'

const SEGMENT_CHARS = 16
const PREVIEW_NAME = /^[0-9a-f]{40}$/

interface PreviewIndex {
  /** Notes a preview by its name, 40 hex digits. */
  add(realPath: string, name: string): Promise<void>
  /** Gives and forgets the previews of a file, or of all that is in a folder. */
  take(realPath: string): Promise<string[]>
  /** Forgets those that are not there any more. */
  prune(isThere: (name: string) => Promise<boolean>): Promise<void>
}

/** Nothing is touched before use. */
export function createPreviewIndex(folder: string): PreviewIndex {
  const folderOf = (realPath: string): string =>
    join(folder, ...realPath.split(/[\\/]/).filter(Boolean).map(hashSegment))

  const prune = async (at: string, isThere: (name: string) => Promise<boolean>): Promise<void> => {
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name)
      if (entry.isDirectory()) await prune(path, isThere)
      else if (PREVIEW_NAME.test(entry.name) && !(await isThere(entry.name)))
        await rm(path, { force: true })
    }
    // Refused while there is anything in it.
    await rmdir(at).catch(() => {})
  }

  return {
    add: async (realPath, name) => {
      const at = folderOf(realPath)
      const note = () => writeFile(join(at, name), '', { mode: 0o600 })
      if ((await note().catch(unless('ENOENT'))) !== null) return
      await mkdir(at, { recursive: true, mode: 0o700 })
      await note()
    },
    take: async (realPath) => {
      const at = folderOf(realPath)
      const entries = await readdir(at, { recursive: true, withFileTypes: true }).catch(() => [])
      const names = entries.filter((entry) => entry.isFile() && PREVIEW_NAME.test(entry.name))
      if (entries.length > 0) await rm(at, { recursive: true, force: true })
      return names.map(({ name }) => name)
    },
    prune: (isThere) => prune(folder, isThere),
  }
}

function hashSegment(segment: string): string {
  return createHash('sha1').update(segment).digest('hex').slice(0, SEGMENT_CHARS)
}
