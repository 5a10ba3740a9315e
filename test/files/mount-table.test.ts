import { expect, it, vi } from 'vitest'
import { createDisks } from '../../src/files/disks/disks.ts'
import { MOUNTS_MS } from '../../src/files/disks/mount-table.ts'
import { MAY_MOUNT, mountDisk } from '../support/mounts.ts'
import { makeTree } from '../support/tree.ts'

it.runIf(MAY_MOUNT)(
  'a mount is seen once the list of mounts is 50 ms old, and not before',
  async () => {
    await using tree = await makeTree({ 'disk/a.txt': 'hidden by the mount' })
    const place = tree.at('disk')
    const startedAtMs = performance.now()
    let ageMs = 0
    using _clock = vi.spyOn(performance, 'now').mockImplementation(() => startedAtMs + ageMs)
    const disks = createDisks()
    const parent = disks.of(place)
    await using _mount = await mountDisk(place, 64 * 1024)
    ageMs = MOUNTS_MS - 1
    expect([disks.isMountPoint(place), disks.of(place)]).toEqual([false, parent])
    ageMs = MOUNTS_MS
    expect(disks.isMountPoint(place)).toBe(true)
    expect(disks.of(place)).not.toBe(parent)
    expect(MOUNTS_MS).toBe(50)
  },
)
