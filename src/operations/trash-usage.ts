// How much everybody has in the trash, for administrators: it takes from all, whatever tree they see.

import { diskOf } from '../keep/retention.ts'
import { baseOf } from '../keep/store-index.ts'
import type { TrashUsage } from '../keep-types.ts'
import { inTurns } from '../lib/turns.ts'
import { findUser } from '../store/users.ts'
import type { Services } from './services.ts'

interface Sum {
  items: number
  bytes: number
}

/** By account and by disk, the largest first. Begins to count what nobody has counted. */
export async function usageOfTrash(
  services: Pick<Services, 'trash' | 'keeping' | 'volume' | 'store'>,
): Promise<TrashUsage> {
  const { trash, keeping, volume, store } = services
  const entries = (await trash.entries()).filter(({ id }) => !keeping.leaving.has(id))
  keeping.sizes.want(entries)
  const nameOf = (userID: number | null) =>
    userID === null ? null : (findUser(store, userID)?.username ?? null)
  const byAccount = new Map<string | null, Sum>()
  const byBase = new Map<string, Sum>()
  await inTurns(entries, ({ userID, store, bytes }) => {
    const one = { items: 1, bytes: bytes ?? 0 }
    add(byAccount, nameOf(userID), one)
    add(byBase, baseOf(store), one)
  })
  const disks = new Map<string, TrashUsage['disks'][number]>()
  // The highest folder of a disk stands for it.
  for (const [path, sum] of [...byBase].sort(([a], [b]) => a.length - b.length)) {
    const disk = (await diskOf(volume, path)) ?? path
    const { totalBytes, freeBytes } = await volume.space(path).catch(() => UNKNOWN)
    const known = disks.get(disk) ?? { path, items: 0, bytes: 0, totalBytes, freeBytes }
    disks.set(disk, { ...known, ...sumOf(known, sum) })
  }
  return {
    accounts: [...byAccount].map(([by, sum]) => ({ by, ...sum })).sort(largestFirst),
    disks: [...disks.values()].sort(largestFirst),
  }
}

const UNKNOWN = { totalBytes: 0, freeBytes: 0 }

function add<K>(sums: Map<K, Sum>, key: K, one: Sum): void {
  const known = sums.get(key)
  sums.set(key, known ? sumOf(known, one) : one)
}

function sumOf(a: Sum, b: Sum): Sum {
  return { items: a.items + b.items, bytes: a.bytes + b.bytes }
}

function largestFirst(a: Sum, b: Sum): number {
  return b.bytes - a.bytes
}
