import { createDisks } from '../../src/files/disks/disks.ts'
import type { DetailedEntry } from '../../src/files/place/list-folder.ts'
import { type At, createScope, type Scope, type ScopeOptions } from '../../src/files/place/scope.ts'
import { createDiskVolume } from '../../src/files/volume/disk-volume.ts'
import { type OpenFolder, openFolder } from '../../src/files/volume/open-folder.ts'
import type { TempRegistry } from '../../src/files/volume/temp-registry.ts'
import type { Tree } from './tree.ts'

export const DISKS = createDisks()
export const VOLUME = createDiskVolume(DISKS)

/** The tree as somebody sees it whom no rule holds back, in what the options leave open. */
export function scopeOf(
  tree: Tree,
  { temps, ...options }: Partial<ScopeOptions> & { temps?: TempRegistry | undefined } = {},
): Scope {
  return createScope({
    volume: temps ? createDiskVolume(DISKS, temps) : VOLUME,
    root: tree.root,
    may: () => true,
    followExternalSymlinks: false,
    fileMode: 0o640,
    dirMode: 0o750,
    ...options,
  })
}

/** Everything that a scope lists of a folder, with facts. */
export async function listDetailed(
  scope: Scope,
  at: At,
  signal: AbortSignal,
): Promise<DetailedEntry[]> {
  const entries: DetailedEntry[] = []
  for await (const slice of scope.listInSlices(at, signal)) entries.push(...slice)
  return entries
}

/** The folder of a tree, open on a device of the test's own; `timesClosed` counts who let go of it. */
export async function openTop(
  tree: Tree,
  device: OpenFolder['device'],
): Promise<{ folder: OpenFolder; timesClosed: () => number }> {
  const folder = await openFolder(DISKS, tree.root)
  let closed = 0
  const close = async () => {
    closed++
    await folder.close()
  }
  return { folder: { ...folder, device, close }, timesClosed: () => closed }
}
