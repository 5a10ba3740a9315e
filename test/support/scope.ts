import { createDisks } from '../../src/files/disks/disks.ts'
import { createScope, type Scope, type ScopeOptions } from '../../src/files/place/scope.ts'
import { createDiskVolume } from '../../src/files/volume/disk-volume.ts'
import type { Tree } from './tree.ts'

export const DISKS = createDisks()
export const VOLUME = createDiskVolume(DISKS)

/** The tree as somebody sees it whom no rule holds back, in what the options leave open. */
export function scopeOf(tree: Tree, options: Partial<ScopeOptions> = {}): Scope {
  return createScope({
    volume: VOLUME,
    root: tree.root,
    allow: () => true,
    followExternalSymlinks: false,
    fileMode: 0o640,
    dirMode: 0o750,
    ...options,
  })
}
