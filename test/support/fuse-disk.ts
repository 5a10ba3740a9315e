// Disks in user space that hang, are slow and fail as they are told, and come back.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { MOUNTS_MS } from '../../src/files/disks/mount-table.ts'
import { waitFor } from './deadline.ts'
import { MAY_MOUNT } from './mounts.ts'

// Debian's own, which has Debian's modules.
const PYTHON = '/usr/bin/python3'
const PROGRAM = join(import.meta.dirname, 'fuse-disk.py')

/** True where this process may mount such disks; says what is missing otherwise. */
export const HAS_FUSE = MAY_MOUNT && existsSync('/dev/fuse') && hasPythonFuse()

function hasPythonFuse(): boolean {
  const words = [
    '-c',
    'import importlib.util as u; exit(not (u.find_spec("fusepy") or u.find_spec("fuse")))',
  ]
  const found = spawnSync(PYTHON, words).status === 0 && existsSync('/usr/bin/fusermount3')
  if (!found) process.stderr.write('skipped: tests of disks need python3-fusepy and fuse3\n')
  return found
}

export interface FuseOrders {
  /** Calls wait until this is false again. */
  hangs?: boolean
  /** What each call takes. */
  delayMs?: number
  /** Changes fail, `calls` of them from the one with this number on (the first is 1). */
  fail?: { errno: 'EIO' | 'ENOSPC' | 'EROFS'; from: number; calls: number } | null
}

export interface FuseDisk extends AsyncDisposable {
  /** Resolves to the changes that were asked for since the last `fail`. */
  obey(orders: FuseOrders): Promise<number>
}

/** Shows the folder `source` at `place` by a disk in user space. */
export async function mountFuse(source: string, place: string): Promise<FuseDisk> {
  await mkdir(source, { recursive: true })
  await mkdir(place, { recursive: true })
  const { dev } = await stat(place)
  const child = spawn(PYTHON, [PROGRAM, source, place], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await waitFor('the disk', async () => (await stat(place)).dev !== dev)
  // A server that read the list of mounts just before would still ask the disk on its event loop.
  await delay(MOUNTS_MS)
  return {
    obey: async (orders) => {
      child.stdin.write(`${JSON.stringify(orders)}\n`)
      const { value } = await lines.next()
      return Number(value)
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.write('{"hangs": false, "delayMs": 0}\n')
      spawnSync('umount', ['-l', place])
      child.stdin.end()
      await ended
    },
  }
}
