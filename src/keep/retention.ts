// What is kept leaves again: what is older than the settings say, the oldest where all of it takes too much of a
// disk, and the oldest where something else needs the room.
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { KeepPolicy } from '../config/keep-policy.ts'
import type { Volume } from '../files/volume/volume.ts'
import { createLocks } from '../lib/locks.ts'
import type { Logger } from '../lib/log.ts'
import { sortInSlices } from '../lib/sort-in-slices.ts'
import { createTurns, inTurns } from '../lib/turns.ts'
import type { Sizes } from './sizes.ts'
import type { Trash } from './trash.ts'

const HOUR_MS = 60 * 60_000
/** Long after the start, which has enough to do. */
const FIRST_AFTER_MS = 5 * 60_000
/** Nothing younger leaves for being too much. */
const SIZE_FLOOR_MS = 24 * HOUR_MS
/** Nothing younger leaves for the room that something else needs. */
const NEED_FLOOR_MS = 10 * 60_000
/** Below this part of the disk the oldest leave. */
const FREE_PART = 0.05
/** A request waits so long for room; what is under way goes on. */
const PATIENCE_MS = 5_000
const PAUSE_MS = 20

/** Something kept. */
export interface Kept {
  /** Real path of the store that it lies in. */
  store: string
  keptAt: number
  /** Null until it was counted. */
  bytes: number | null
  /** Counts it. */
  measure(signal: AbortSignal): Promise<number>
  /** Removes it for good. */
  erase(signal: AbortSignal): Promise<void>
}

export interface Retention {
  /** Sweeps late after the start and then hourly. */
  start(): void
  /** Lets go what is due, one after the other. */
  sweep(): Promise<void>
  /**
   * Lets the oldest go until so much is free where `realDir` lies, when they are enough for it. False where there
   * is too little, or not yet enough room after some seconds.
   */
  makeRoom(realDir: string, neededBytes: number): Promise<boolean>
  close(): Promise<void>
}

interface RetentionOptions {
  /** Without what calls back for room. */
  volume: Pick<Volume, 'space' | 'statAt'>
  /** Called before each sweep. */
  tidy: () => Promise<void>
  /** All that is kept, anew at each call. */
  kept: () => Promise<readonly Kept[]>
  policy: () => KeepPolicy
  log: Pick<Logger, 'warn'>
  now?: () => number
}

/** Makes it; nothing happens before it is asked or started. */
export function createRetention(options: RetentionOptions): Retention {
  const closing = new AbortController()
  const keeping: Keeping = { now: Date.now, ...options, signal: closing.signal }
  const { volume, log, signal } = keeping
  const disks = createLocks()
  const running = new Set<Promise<unknown>>()
  let timer: NodeJS.Timeout | undefined

  const track = <T>(work: Promise<T>): Promise<T> => {
    running.add(work)
    return work.finally(() => running.delete(work))
  }
  const sweep = async () => {
    await keeping.tidy()
    for (const [disk, list] of await keptByDisk(keeping)) {
      if (signal.aborted) return
      await disks.withLock(disk, () => sweepDisk(keeping, list))
    }
  }
  const sweepAfter = (ms: number) => {
    timer = setTimeout(() => {
      track(sweep())
        .catch((error: Error) => log.warn(`what is kept was not looked through: ${error.message}`))
        .finally(() => {
          if (!signal.aborted) sweepAfter(HOUR_MS)
        })
    }, ms).unref()
  }
  return {
    start: () => {
      if (!timer && !signal.aborted) sweepAfter(FIRST_AFTER_MS)
    },
    sweep: () => track(sweep()),
    makeRoom: async (realDir, neededBytes) => {
      const disk = await diskOf(volume, realDir)
      if (disk === null) return false
      const make = () => makeRoom(keeping, disk, realDir, neededBytes)
      const work = track(disks.withLock(disk, make)).catch((error: Error) => {
        log.warn(`no room was made in ${realDir}: ${error.message}`)
        return false
      })
      return Promise.race([work, wait(PATIENCE_MS, false, { ref: false })])
    },
    close: async () => {
      clearTimeout(timer)
      closing.abort()
      await Promise.allSettled(running)
    },
  }
}

type Keeping = Required<RetentionOptions> & { signal: AbortSignal }

/** True when it is gone. */
async function erase({ log, signal }: Keeping, one: Kept): Promise<boolean> {
  if (signal.aborted) return false
  try {
    await one.erase(signal)
    return true
  } catch (error) {
    if (!signal.aborted)
      log.warn(`what was kept in ${one.store} stays: ${(error as Error).message}`)
    return false
  } finally {
    await wait(PAUSE_MS, undefined, { ref: false, signal }).catch(() => {})
  }
}

/** The oldest first. */
async function keptByDisk({ kept, volume }: Keeping): Promise<Map<string, Kept[]>> {
  const found = new Map<string, Kept[]>()
  const disksOf = new Map<string, string | null>()
  const turn = createTurns()
  for (const one of await sortInSlices([...(await kept())], (a, b) => a.keptAt - b.keptAt)) {
    const { store } = one
    const disk = disksOf.has(store) ? disksOf.get(store) : await diskOf(volume, store)
    disksOf.set(store, disk ?? null)
    const others = turn()
    if (others) await others
    if (!disk) continue
    const list = found.get(disk)
    if (list) list.push(one)
    else found.set(disk, [one])
  }
  return found
}

async function sweepDisk(keeping: Keeping, list: readonly Kept[]): Promise<void> {
  const { volume, policy, now, signal } = keeping
  const { ageMs, size } = policy()
  const rest: Kept[] = []
  const turn = createTurns()
  for (const one of list) {
    const others = turn()
    if (others) await others
    if (now() - one.keptAt < ageMs || !(await erase(keeping, one))) rest.push(one)
  }
  const [first] = rest
  if (!first) return
  const { totalBytes, freeBytes } = await volume.space(first.store)
  const mostBytes = 'bytes' in size ? size.bytes : (totalBytes * size.percent) / 100
  // Less than that is used in all, so nothing needs to be counted.
  const isFar = totalBytes > 0 && totalBytes - freeBytes <= mostBytes
  const isUnknown = totalBytes === 0 && 'percent' in size
  let sumBytes = isFar || isUnknown ? 0 : await measureAll(rest, signal)
  for (const one of rest) {
    if (signal.aborted || now() - one.keptAt < SIZE_FLOOR_MS) return
    if (sumBytes <= mostBytes && !(await isNearlyFull(volume, one.store))) return
    const bytes = one.bytes ?? 0
    if (await erase(keeping, one)) sumBytes -= bytes
  }
}

async function makeRoom(
  keeping: Keeping,
  disk: string,
  realDir: string,
  neededBytes: number,
): Promise<boolean> {
  const { volume, now, signal } = keeping
  const freeBytes = async () => (await volume.space(realDir)).freeBytes
  let sumBytes = await freeBytes()
  if (sumBytes >= neededBytes) return true
  const all = (await keptByDisk(keeping)).get(disk) ?? []
  const old = all.filter(({ keptAt }) => now() - keptAt >= NEED_FLOOR_MS)
  for (const one of old) {
    if (sumBytes >= neededBytes) break
    sumBytes += one.bytes ?? (await one.measure(signal))
  }
  // Nothing leaves for what does not fit even then.
  if (sumBytes < neededBytes) return false
  for (const one of old) {
    await erase(keeping, one)
    if ((await freeBytes()) >= neededBytes) return true
  }
  return false
}

/** Entries of the trash as what may leave. */
export async function keptInTrash(
  trash: Pick<Trash, 'entries' | 'erase'>,
  sizes: Pick<Sizes, 'measure'>,
): Promise<Kept[]> {
  const kept: Kept[] = []
  await inTurns(await trash.entries(), (entry) => {
    // Nobody knows how long it has been there, so it stays.
    if (entry.deletedAt === 0) return
    kept.push({
      store: entry.store,
      keptAt: entry.deletedAt,
      bytes: entry.bytes,
      measure: (signal) => sizes.measure(entry, signal),
      erase: (signal) => trash.erase(entry.id, signal),
    })
  })
  return kept
}

export async function diskOf(
  volume: Pick<Volume, 'statAt'>,
  realPath: string,
): Promise<string | null> {
  for (let path = realPath; ; path = dirname(path)) {
    const found = await volume.statAt(path).catch(() => null)
    if (found) return String(found.dev)
    if (dirname(path) === path) return null
  }
}

async function measureAll(list: readonly Kept[], signal: AbortSignal): Promise<number> {
  let sumBytes = 0
  for (const one of list) {
    one.bytes ??= await one.measure(signal).catch(() => 0)
    sumBytes += one.bytes
  }
  return sumBytes
}

async function isNearlyFull(volume: Pick<Volume, 'space'>, realPath: string): Promise<boolean> {
  const { totalBytes, freeBytes } = await volume.space(realPath)
  return totalBytes > 0 && freeBytes < totalBytes * FREE_PART
}
