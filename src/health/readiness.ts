// Whether this server should be sent requests: asked by balancers, which need an answer at once.
import { setTimeout as delay } from 'node:timers/promises'
import type { Roots } from '../files/place/roots.ts'
import type { Volume } from '../files/volume/volume.ts'
import { isLostEntry } from '../lib/errors.ts'
import type { Store } from '../store/store.ts'

/** `draining`: it is about to stop; `records`: they may be out of date; `root`, `root:<name>`: a served folder is gone or silent. */
export type Reason = 'draining' | 'records' | 'root' | `root:${string}`

export interface Readiness {
  /** Why not, or nothing. Takes at most ROOTS_WITHIN_MS. */
  reasons(): Promise<Reason[]>
  /** Folders that are served, and how many of them are missing, as of the last time they were asked. */
  roots(): { present: number; missing: number }
  /** From now on it is not ready. */
  drain(): void
}

/** What `/ready` answers. */
export function readyAnswer(reasons: readonly Reason[]): { status: 200 | 503; body: string } {
  if (reasons.length === 0) return { status: 200, body: '{"ready":true}' }
  return { status: 503, body: JSON.stringify({ ready: false, reasons }) }
}

interface ReadinessServices {
  config: { root: string }
  store: Pick<Store, 'isFresh'>
  volume: Pick<Volume, 'realpath' | 'statAt'>
  roots: Roots
}

/** Balancers wait a second or two. */
const ROOTS_WITHIN_MS = 800
/** However many ask, the disks are asked no more often. */
const ROOTS_FOR_MS = 1_000

/** Touches no disk before it is asked. */
export function createReadiness({ config, store, volume, roots }: ReadinessServices): Readiness {
  const folders: { reason: Reason; isPresent: () => Promise<boolean> }[] = [
    {
      reason: 'root',
      isPresent: async () => isFolder(await volume.statAt(await volume.realpath(config.root))),
    },
    ...[...roots.values()].map(({ name, isPresent }) => ({
      reason: `root:${name}` as const,
      isPresent,
    })),
  ]
  let isDraining = false
  let asked: Promise<Reason[]> | undefined
  let askedAtMs = Number.NEGATIVE_INFINITY
  let missing: Reason[] = []

  const askRoots = (): Promise<Reason[]> => {
    if (asked && performance.now() - askedAtMs < ROOTS_FOR_MS) return asked
    askedAtMs = performance.now()
    asked = Promise.all(folders.map(missingReason)).then((found) => {
      missing = found.filter((reason) => reason !== null)
      return missing
    })
    return asked
  }
  return {
    reasons: async () => [
      ...(isDraining ? (['draining'] as const) : []),
      ...(store.isFresh() ? [] : (['records'] as const)),
      ...(await askRoots()),
    ],
    roots: () => ({ present: folders.length - missing.length, missing: missing.length }),
    drain: () => {
      isDraining = true
    },
  }
}

async function missingReason(folder: {
  reason: Reason
  isPresent: () => Promise<boolean>
}): Promise<Reason | null> {
  const isThere = folder.isPresent().catch((error: unknown) => {
    // Anything else would be our own mistake.
    if (isLostEntry(error)) return false
    throw error
  })
  const silent = delay(ROOTS_WITHIN_MS, false, { ref: false })
  return (await Promise.race([isThere, silent])) ? null : folder.reason
}

function isFolder(stats: { isDirectory(): boolean } | null): boolean {
  return stats?.isDirectory() ?? false
}
