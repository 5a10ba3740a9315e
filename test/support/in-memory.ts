// Where trees of thousands of files are made: a disk takes its time for each.
import { existsSync } from 'node:fs'
import { onTestFinished, vi } from 'vitest'

/** Has `makeTree` make its trees in memory until the test ends, where the system has such a place. */
export function treesInMemory(): void {
  if (!existsSync('/dev/shm')) return
  vi.stubEnv('TMPDIR', '/dev/shm')
  onTestFinished(() => void vi.unstubAllEnvs())
}
