// For tests that are about disks, but need one tree of thousands of files.
import { onTestFinished, vi } from 'vitest'
import { memoryFolder } from './tree.ts'

/** Has `makeTree` make its trees in memory until the test ends, where there is room. */
export function treesInMemory(): void {
  const folder = memoryFolder()
  if (folder === null) return
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
}
