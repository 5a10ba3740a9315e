// Further folders of the host that are served beside the first one, by name. One whose disk is not plugged
// in is missing: what lies at its path then is never taken for it.
import type { BigIntStats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, badRequest, isLostEntry } from '../../lib/errors.ts'
import { contains } from '../../lib/host-path.ts'
import { KNOWN_ROOTS } from '../../store/collections.ts'
import type { KnownRoot } from '../../store/document.ts'
import type { Store } from '../../store/store.ts'
import { type CaselessDisks, createCaselessDisks } from '../caseless/caseless-disks.ts'
import type { Disks } from '../disks/disks.ts'

/** Absolute host paths by name. */
export type RootPaths = Readonly<Record<string, string>>

export interface Root {
  readonly name: string
  /** Absolute host path, as it was given. */
  readonly path: string
  /** Its disk ignores case. */
  readonly foldCase: boolean
  readonly caselessDisks: CaselessDisks
  /**
   * Throws `not_mounted` unless the folder is there, and the one that was there at first use or that an
   * administrator has accepted since.
   */
  requirePresent(): Promise<void>
  /** Whether it would be used now; remembers nothing. Rejects with the system's error where the disk is silent. */
  isPresent(): Promise<boolean>
}

export type Roots = ReadonlyMap<string, Root>

/** The roots by name; `folding` are the names of those on disks without case. Touches the disk on first use only. */
export function createRoots(
  store: Store,
  disks: Disks,
  paths: RootPaths,
  folding: ReadonlySet<string>,
): Roots {
  return new Map(
    Object.entries(paths).map(([name, path]) => {
      const foldCase = folding.has(name)
      const caseless = createCaselessDisks(disks, path, foldCase, { isMountedLater: true })
      const look = (at: string) => statFolder(disks, at)
      const requirePresent = async () => {
        const found = await look(path)
        if (!found || !(await isKnown(store, name, path, found, look)))
          throw new AppError('not_mounted', `the root ${name} is not there`)
        await remember(store, name, path, found)
      }
      const isPresent = async () => {
        const found = await look(path)
        return found !== null && (await isKnown(store, name, path, found, look))
      }
      return [name, { name, path, foldCase, caselessDisks: caseless, requirePresent, isPresent }]
    }),
  )
}

/** Takes what is at a root now, or next, for the right one. False for a root that was not used yet. */
export async function acceptRoot(store: Store, name: string): Promise<boolean> {
  return (await store.transaction((tx) => tx.remove(KNOWN_ROOTS, name))) !== undefined
}

/**
 * Refuses roots that lie in each other or in the served folder, by their real paths: one file would have two
 * places. What is missing counts by its text. Throws AppError `bad_request`.
 */
export async function checkRoots(served: string, paths: RootPaths): Promise<void> {
  const named = [
    ['the served folder', served] as const,
    ...Object.entries(paths).map(([name, path]) => [`the root ${name}`, path] as const),
  ]
  const found = await Promise.all(
    named.map(async ([name, path]) => ({ name, real: await realpath(path).catch(() => path) })),
  )
  for (const [i, { name, real }] of found.entries())
    for (const other of found.slice(0, i)) {
      if (other.real === real) throw badRequest(`${name} is the same folder as ${other.name}`)
      if (contains(other.real, real)) throw badRequest(`${name} lies in ${other.name}`)
      if (contains(real, other.real)) throw badRequest(`${other.name} lies in ${name}`)
    }
}

async function statFolder(disks: Disks, path: string): Promise<BigIntStats | null> {
  const found = await disks
    .of(path)
    .query(() => stat(path, { bigint: true }))
    .catch((error) => {
      if (isLostEntry(error)) return null
      throw error
    })
  return found?.isDirectory() ? found : null
}

async function isKnown(
  store: Store,
  name: string,
  path: string,
  found: BigIntStats,
  look: (path: string) => Promise<BigIntStats | null>,
): Promise<boolean> {
  const known = store.get(KNOWN_ROOTS, name)
  if (known?.path !== path) return true
  return known.dev === `${found.dev}` || (await isSameFolder(known, path, found, look))
}

/** The folder that is there at first use is the one that is asked for from then on. */
async function remember(
  store: Store,
  name: string,
  path: string,
  { dev, ino, birthtimeNs }: BigIntStats,
): Promise<void> {
  if (store.get(KNOWN_ROOTS, name)?.path === path) return
  const born = birthtimeNs > 0n ? birthtimeNs : 0n
  const record = { name, path, dev: `${dev}`, ino: `${ino}`, bornNs: `${born}` }
  await store.ahead((tx) => {
    tx.remove(KNOWN_ROOTS, name)
    tx.insert(KNOWN_ROOTS, record)
  })
}

// Network disks and those that are plugged in anew get other numbers. The folder has kept its own, and its
// time of birth; without one it is at least a mount still.
async function isSameFolder(
  known: KnownRoot,
  path: string,
  { dev, ino, birthtimeNs }: BigIntStats,
  look: (path: string) => Promise<BigIntStats | null>,
): Promise<boolean> {
  if (known.ino !== `${ino}`) return false
  if (known.bornNs !== '0') return known.bornNs === `${birthtimeNs}`
  const parent = await look(dirname(path))
  return parent !== null && parent.dev !== dev
}
