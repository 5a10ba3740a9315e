// How much is kept of everybody, for administrators: it takes from all, whatever tree they see.
import { dirname, join } from 'node:path'
import { VERSIONS_NAME } from '../files/volume/temp-name.ts'
import { diskOf } from '../keep/retention.ts'
import type { KeptSum, TrashUsage } from '../keep-types.ts'
import { inTurns } from '../lib/turns.ts'
import { loadNames } from '../store/users.ts'
import type { Services } from './services.ts'

/** By account and by disk, the largest first. Begins to count what nobody has counted. */
export async function usageOfTrash(
  services: Pick<Services, 'trash' | 'versions' | 'keeping' | 'volume' | 'store'>,
): Promise<TrashUsage> {
  const { trash, versions, keeping, volume, store } = services
  const byUser = createSums<number | null>()
  const byStore = createSums<string>()
  const entries = (await trash.entries()).filter(({ id }) => !keeping.leaving.has(id))
  keeping.sizes.want(entries)
  await inTurns(entries, ({ userID, store, bytes }) => {
    for (const sum of [byUser.of(userID), byStore.of(store)]) {
      sum.items++
      sum.bytes += bytes ?? 0
    }
  })
  for await (const { versions: found } of versions.all())
    for (const { userID, base, sizeBytes } of found)
      for (const sum of [byUser.of(userID), byStore.of(join(base, VERSIONS_NAME))]) {
        sum.versions++
        sum.versionBytes += sizeBytes
      }
  const byName = createSums<string | null>()
  const nameOf = await loadNames(store, byUser.all.keys())
  for (const [userID, sum] of byUser.all) add(byName.of(nameOf(userID)), sum)
  const byDisk = createSums<string>()
  const pathOf = new Map<string, string>()
  for (const [path, sum] of byStore.all) {
    const disk = (await diskOf(volume, path)) ?? path
    const [top, known] = [dirname(path), pathOf.get(disk)]
    pathOf.set(disk, known === undefined || top.length < known.length ? top : known)
    add(byDisk.of(disk), sum)
  }
  const disks: TrashUsage['disks'] = []
  for (const [disk, sum] of byDisk.all) {
    const path = pathOf.get(disk) as string
    const { totalBytes, freeBytes } = await volume.space(path).catch(() => UNKNOWN)
    disks.push({ path, ...sum, totalBytes, freeBytes })
  }
  const accounts = [...byName.all].map(([by, sum]) => ({ by, ...sum }))
  return {
    accounts: accounts.sort(largestFirst).slice(0, MAX_ACCOUNTS),
    disks: disks.sort(largestFirst),
  }
}

/** Of one answer; nobody reads further. */
const MAX_ACCOUNTS = 1_000
const UNKNOWN = { totalBytes: 0, freeBytes: 0 }

function createSums<K>() {
  const all = new Map<K, KeptSum>()
  return {
    all: all as ReadonlyMap<K, KeptSum>,
    of: (key: K): KeptSum => {
      const sum = all.get(key) ?? { items: 0, bytes: 0, versions: 0, versionBytes: 0 }
      all.set(key, sum)
      return sum
    },
  }
}

function add(to: KeptSum, { items, bytes, versions, versionBytes }: KeptSum): void {
  to.items += items
  to.bytes += bytes
  to.versions += versions
  to.versionBytes += versionBytes
}

function largestFirst(a: KeptSum, b: KeptSum): number {
  return b.bytes + b.versionBytes - a.bytes - a.versionBytes
}
