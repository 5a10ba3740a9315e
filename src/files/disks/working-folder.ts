// The quickest way to ask about many names in one folder: with the folder as working directory the
// kernel looks up bare names, which takes less than half the time of a path through /proc/self/fd.
import { closeSync, constants, openSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { errnoOf } from '../../lib/errors.ts'

/** Linux O_PATH: a reference to a folder that needs no permission to read it. */
const O_PATH = 0o10000000

/** Only the main thread may change the working directory, which is that of the whole process. */
export function canChangeFolder(): boolean {
  return process.platform === 'linux' && isMainThread
}

/**
 * Runs `work` with the open folder at `ref` (`/proc/self/fd/N`) as working directory. The names it asks
 * for are those of that very folder, wherever its path leads by now.
 *
 * `work` must be synchronous: the directory is changed back before it returns, so no other code of this
 * thread runs meanwhile. Threads of the pool and workers do not notice because every path they are
 * given is absolute (config.ts resolves what the user names); child processes are started by this
 * thread alone. Where the way back is closed it is left for `/`. Throws the system's error, and TypeError when `work` gives a promise.
 */
export function inWorkingFolder<T>(ref: string, work: () => T): T {
  const before = openCurrent()
  try {
    process.chdir(ref)
    const result = work()
    if (result instanceof Promise) throw new TypeError('work in a working folder is synchronous')
    return result
  } finally {
    comeBack(before)
  }
}

// Null where the account may not search the directory it was started in: no relative path works there.
function openCurrent(): number | null {
  try {
    return openSync('.', O_PATH | constants.O_DIRECTORY)
  } catch (error) {
    if (errnoOf(error) !== 'EACCES') throw error
    return null
  }
}

// Never stays in a folder of users.
function comeBack(before: number | null): void {
  try {
    process.chdir(before === null ? '/' : `/proc/self/fd/${before}`)
  } catch {
    process.chdir('/')
  } finally {
    if (before !== null) closeSync(before)
  }
}
