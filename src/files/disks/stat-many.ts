// Facts of many entries: on quick local disks in turns of the event loop, elsewhere by the pool.
import { type BigIntStats, lstatSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { isLostEntry, isUnreachable } from '../../lib/errors.ts'
import { nextTurn } from '../listing/sort.ts'
import type { Device } from './device.ts'

/** Null for what is gone or cannot be read; `unreachable` for what lies on a disk that is silent. */
export type Looked = BigIntStats | 'unreachable' | null

/** The event loop gets a turn when one has lasted this long. */
const TURN_MS = 4
const IN_FLIGHT = 64

/**
 * lstat(2) of paths on their devices, in their order; no link may lie on the way. Stops with the
 * signal's reason between turns. Nothing is under way when it is settled.
 */
export async function statMany(
  paths: readonly (string | Buffer)[],
  deviceOf: (index: number) => Device,
  signal: AbortSignal,
): Promise<Looked[]> {
  const looked = new Array<Looked>(paths.length)
  const later: number[] = []
  let turnEndsAt = performance.now() + TURN_MS
  for (const [i, path] of paths.entries()) {
    const device = deviceOf(i)
    if (device.isDirect) looked[i] = device.direct(() => lookNow(path))
    else later.push(i)
    if (performance.now() < turnEndsAt) continue
    await nextTurn()
    signal.throwIfAborted()
    turnEndsAt = performance.now() + TURN_MS
  }
  const rest = later.values()
  const look = async () => {
    for (const i of rest) {
      signal.throwIfAborted()
      const path = paths[i] as string | Buffer
      const looking = deviceOf(i).query(() => lstat(path, { bigint: true }))
      looked[i] = await looking.catch(asLost)
    }
  }
  const ends = await Promise.allSettled(
    Array.from({ length: Math.min(IN_FLIGHT, later.length) }, look),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return looked
}

function lookNow(path: string | Buffer): Looked {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (error) {
    return asLost(error)
  }
}

/** Rethrows what is no fault of the entry that was looked at. */
export function asLost(error: unknown): 'unreachable' | null {
  if (isUnreachable(error)) return 'unreachable'
  if (isLostEntry(error)) return null
  throw error
}
