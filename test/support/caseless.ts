// A disk without case and with the short names of FAT, made by a program of ours in user space.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from './deadline.ts'
import { MAY_MOUNT } from './mounts.ts'
import { hasFiles } from './programs.ts'

const PROGRAM = join(import.meta.dirname, 'caseless.py')

const NEEDED = ['/usr/bin/python3', '/usr/lib/python3/dist-packages/fusepy.py']

/** Needs root, FUSE and its module for Python. */
export const HAS_CASELESS =
  MAY_MOUNT && existsSync('/dev/fuse') && hasFiles('disks without case', NEEDED, 'python3-fusepy')

/** Shows what is in `source` at `place`, without case. */
export async function mountCaseless(source: string, place: string): Promise<AsyncDisposable> {
  await mkdir(place, { recursive: true })
  const { dev } = await stat(place)
  const child = spawn('/usr/bin/python3', [PROGRAM, source, place], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  let mounted = false
  const look = (async () => {
    while (!mounted && child.exitCode === null) {
      mounted = (await stat(place)).dev !== dev
      if (!mounted) await delay(10)
    }
  })()
  await waitFor('the disk without case', () => mounted || child.exitCode !== null)
  await look
  if (!mounted) throw new Error('the disk without case could not be mounted')
  return {
    [Symbol.asyncDispose]: async () => {
      // Its program unmounts at this signal.
      child.kill('SIGTERM')
      await ended
    },
  }
}
