// Remembers which folders hold temporary files, so that what a crash or an abandoned upload left
// behind is found and removed without walking the whole tree. The list survives restarts.
import { lstat, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, errnoOf } from '../errors.ts'
import { inFolder } from './jail.ts'
import { TEMP_PREFIX } from './temp-file.ts'

const SAVE_DELAY_MS = 1_000
const SWEEP_EVERY_MS = 10 * 60_000
/** Folders remembered; beyond it new ones are swept only while they stay in memory. */
const MAX_FOLDERS = 10_000

export interface TempRegistry {
  /** Notes that a temporary file is being made in a folder (real host path). */
  note(realFolder: string): void
  /** Removes temporary files untouched for longer than the limit. */
  sweep(): Promise<void>
  /** Saves and stops the timers. */
  close(): Promise<void>
}

/** `file` keeps the list; `maxAgeMs` is how long an unfinished upload may rest. */
export function createTempRegistry(file: string, maxAgeMs: number): TempRegistry {
  const folders = new Set<string>()
  const loaded = load(file).then((known) => {
    for (const folder of known) folders.add(folder)
  })
  let saving: NodeJS.Timeout | undefined
  let saved = Promise.resolve()

  const save = async () => {
    saving = undefined
    const temp = `${file}.tmp`
    try {
      if (folders.size === 0) return await unlink(file)
      await writeFile(temp, JSON.stringify([...folders].slice(0, MAX_FOLDERS)), { mode: 0o600 })
      await rename(temp, file)
    } catch {
      // The list only saves a search: without it a leftover is removed when its folder is used.
    }
  }
  const saveSoon = () => {
    saving ??= setTimeout(() => {
      saved = save()
    }, SAVE_DELAY_MS)
    saving.unref()
  }
  // When a folder was first found missing: its disk may be mounted again before its uploads expire.
  const missingSince = new Map<string, number>()
  const isDone = (folder: string, left: number | null, nowMs: number) => {
    if (left !== null) {
      missingSince.delete(folder)
      return left === 0
    }
    const sinceMs = missingSince.get(folder) ?? nowMs
    missingSince.set(folder, sinceMs)
    return nowMs - sinceMs > maxAgeMs
  }
  // Since the last sweep: the file may be made only when the folder has been looked through.
  const noted = new Set<string>()
  const sweep = async ({ forgets = true } = {}) => {
    await loaded
    const before = folders.size
    for (const folder of [...folders]) {
      const nowMs = Date.now()
      const wasNoted = forgets && noted.delete(folder)
      const left = await sweepFolder(folder, nowMs - maxAgeMs)
      if (!isDone(folder, left, nowMs) || !forgets || wasNoted || noted.has(folder)) continue
      folders.delete(folder)
      missingSince.delete(folder)
    }
    if (folders.size !== before) saveSoon()
  }
  // What the last run left behind is old enough to go as soon as the list is read. An empty folder
  // may be where a disk will be mounted in a moment, so nothing is forgotten yet.
  sweep({ forgets: false }).catch(() => {})
  const timer = setInterval(() => sweep().catch(() => {}), SWEEP_EVERY_MS)
  timer.unref()

  return {
    note: (folder) => {
      noted.add(folder)
      if (folders.has(folder)) return
      folders.add(folder)
      saveSoon()
    },
    sweep: () => sweep(),
    close: async () => {
      clearInterval(timer)
      clearTimeout(saving)
      await saved
      // Nothing is made any more.
      noted.clear()
      await sweep().catch(() => {})
      clearTimeout(saving)
      await save()
    },
  }
}

/** How many temporary files stay; null when the folder is gone or could not be looked through. */
async function sweepFolder(realFolder: string, olderThanMs: number): Promise<number | null> {
  try {
    return await inFolder(realFolder, async (ref) => {
      let left = 0
      for (const name of await readdir(ref)) {
        if (!name.startsWith(TEMP_PREFIX)) continue
        if (!(await removeExpired(join(ref, name), olderThanMs))) left++
      }
      return left
    })
  } catch (error) {
    if (error instanceof AppError || errnoOf(error) !== '') return null
    throw error
  }
}

/** False when the file stays. One that went meanwhile, for its upload was complete, is gone. */
async function removeExpired(path: string, olderThanMs: number): Promise<boolean> {
  try {
    const found = await lstat(path)
    if (!found.isFile() || found.mtimeMs >= olderThanMs) return false
    await unlink(path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return true
    throw error
  }
}

async function load(file: string): Promise<string[]> {
  try {
    const list: unknown = JSON.parse(await readFile(file, 'utf8'))
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
  } catch {
    // Missing or unreadable: nothing is remembered, see save.
    return []
  }
}
