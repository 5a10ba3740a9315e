// lstat(2) of many entries: on quick local disks in turns of the event loop, elsewhere by the pool.
import { type BigIntStats, lstatSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { isLostEntry, isUnreachable } from '../../lib/errors.ts'
import { nextTurn } from '../../lib/turns.ts'
import type { Device } from './device.ts'
import type { Disks } from './disks.ts'
import { inWorkingFolder } from './working-folder.ts'

/** Null for what is gone or cannot be read; `unreachable` for what lies on a disk that is silent. */
export type EntryStats = BigIntStats | 'unreachable' | null

type Name = string | Buffer

/** The event loop gets a turn when one has lasted this long. */
const TURN_MS = 4
const IN_FLIGHT = 64
/** Fewer names are asked for by their paths: changing the folder costs as much as they do. */
const MIN_NAMES = 8

/**
 * The stats of names in the open folder at `ref`, in their order. Stops with the signal's reason between
 * turns. Nothing is under way when it is settled.
 */
export function statNames(
  { ref, disks }: { ref: string; disks: Disks },
  names: readonly Name[],
  deviceOf: (index: number) => Device,
  signal: AbortSignal,
): Promise<EntryStats[]> {
  const pathOf = (name: Name) =>
    typeof name === 'string' ? `${ref}/${name}` : Buffer.concat([Buffer.from(`${ref}/`), name])
  if (names.length < MIN_NAMES || !disks.mayChangeFolder())
    return statMany(names.map(pathOf), deviceOf, signal)
  const inTurn = (turn: () => number) => inWorkingFolder(ref, turn)
  return statAll(names, { deviceOf, signal, inTurn, pathOf })
}

/** Like statNames for paths over which no link lies. */
export function statMany(
  paths: readonly Name[],
  deviceOf: (index: number) => Device,
  signal: AbortSignal,
): Promise<EntryStats[]> {
  return statAll(paths, { deviceOf, signal, inTurn: (turn) => turn(), pathOf: (path) => path })
}

interface How {
  deviceOf: (index: number) => Device
  signal: AbortSignal
  inTurn(turn: () => number): number
  /** For calls that outlast the turn. */
  pathOf(name: Name): Name
}

async function statAll(names: readonly Name[], how: How): Promise<EntryStats[]> {
  const { deviceOf, signal, inTurn, pathOf } = how
  const found = new Array<EntryStats>(names.length)
  // Decided once: a bare name means nothing out of a turn, and a device may become direct between two.
  const direct: number[] = []
  const later: number[] = []
  for (let i = 0; i < names.length; i++) (deviceOf(i).isDirect ? direct : later).push(i)
  // Gives the index to go on with.
  const turnFrom = (first: number): number => {
    const startedAt = performance.now()
    let before = startedAt
    for (let next = first; next < direct.length; next++) {
      const i = direct[next] as number
      found[i] = statNow(names[i] as Name)
      const now = performance.now()
      deviceOf(i).measure(now - before)
      before = now
      if (now - startedAt > TURN_MS) return next + 1
    }
    return direct.length
  }
  for (let next = 0; next < direct.length; ) {
    next = inTurn(() => turnFrom(next))
    if (next === direct.length) break
    await nextTurn()
    signal.throwIfAborted()
  }
  const rest = later.values()
  const statLater = async () => {
    for (const i of rest) {
      signal.throwIfAborted()
      const path = pathOf(names[i] as Name)
      const stats = deviceOf(i).query(() => lstat(path, { bigint: true }))
      found[i] = await stats.catch(asLost)
    }
  }
  const ends = await Promise.allSettled(
    Array.from({ length: Math.min(IN_FLIGHT, later.length) }, statLater),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return found
}

const STAT_OPTIONS = { bigint: true, throwIfNoEntry: false } as const

function statNow(name: Name): EntryStats {
  try {
    return lstatSync(name, STAT_OPTIONS) ?? null
  } catch (error) {
    return asLost(error)
  }
}

/** Rethrows what is no fault of the entry that was asked for. */
export function asLost(error: unknown): 'unreachable' | null {
  if (isUnreachable(error)) return 'unreachable'
  if (isLostEntry(error)) return null
  throw error
}
