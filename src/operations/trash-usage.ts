// How much everybody has in the trash, for administrators: it takes from all, whatever tree they see.
import { dirname } from 'node:path'
import { diskOf } from '../keep/retention.ts'
import type { TrashEntry } from '../keep/trash.ts'
import type { TrashUsage } from '../keep-types.ts'
import { findUser } from '../store/users.ts'
import type { Services } from './services.ts'

/** By account and by disk, the largest first. Begins to count what nobody has counted. */
export async function usageOfTrash(
  services: Pick<Services, 'trash' | 'keeping' | 'volume' | 'store'>,
): Promise<TrashUsage> {
  const { trash, keeping, volume, store } = services
  const entries = (await trash.entries()).filter(({ id }) => !keeping.leaving.has(id))
  keeping.sizes.want(entries)
  const nameOf = ({ userID }: TrashEntry) =>
    userID === null ? null : (findUser(store, userID)?.username ?? null)
  const accounts = [...Map.groupBy(entries, nameOf)].map(([by, list]) => ({ by, ...sumOf(list) }))
  const byDisk = new Map<string, TrashEntry[]>()
  for (const [path, list] of Map.groupBy(entries, (entry) => entry.store)) {
    const disk = (await diskOf(volume, path)) ?? path
    byDisk.set(disk, [...(byDisk.get(disk) ?? []), ...list])
  }
  const disks: TrashUsage['disks'] = []
  for (const list of byDisk.values()) {
    const tops = list.map((entry) => dirname(entry.store))
    const path = tops.reduce((a, b) => (b.length < a.length ? b : a))
    const { totalBytes, freeBytes } = await volume.space(path).catch(() => UNKNOWN)
    disks.push({ path, ...sumOf(list), totalBytes, freeBytes })
  }
  return { accounts: accounts.sort(largestFirst), disks: disks.sort(largestFirst) }
}

const UNKNOWN = { totalBytes: 0, freeBytes: 0 }

function sumOf(list: readonly TrashEntry[]) {
  return { items: list.length, bytes: list.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0) }
}

function largestFirst(a: { bytes: number }, b: { bytes: number }): number {
  return b.bytes - a.bytes
}
