// One sync of a folder for all who wait for it: of many files that arrive in a folder at the same time
// each needs a sync that began after its own rename, and one sync can do that for all of them.
import { statSync } from 'node:fs'

interface Syncing {
  running: Promise<void>
  /** Begins when `running` has ended: for those who came meanwhile. */
  next: Promise<void> | null
}

/**
 * The result waits for a sync of the open folder at `ref` that begins after the call, and rejects like
 * that sync. The reference must stay open until then. For local disks: the folder is told from others
 * by stat(2), which the kernel answers from memory for what is open.
 */
export function createFolderSyncs(
  sync: (ref: string) => Promise<void>,
): (ref: string) => Promise<void> {
  const folders = new Map<string, Syncing>()
  const begin = (identity: string, ref: string): Promise<void> => {
    const syncing: Syncing = { running: sync(ref), next: null }
    folders.set(identity, syncing)
    const end = () => {
      if (!syncing.next) folders.delete(identity)
    }
    syncing.running.then(end, end)
    return syncing.running
  }
  return async (ref) => {
    const { dev, ino } = statSync(ref, { bigint: true })
    const identity = `${dev}:${ino}`
    const syncing = folders.get(identity)
    if (!syncing) return begin(identity, ref)
    const again = () => begin(identity, ref)
    syncing.next ??= syncing.running.then(again, again)
    return syncing.next
  }
}
