// Disks without case below the served folder. There one entry answers to many names: other cases, and
// the short ones of FAT (`PRIVAT~1`). Rules mean the name that is listed, so that is what they are
// asked about. Whether a disk is of this kind is found out for each mount; where there is none, as
// almost everywhere, this costs nothing but the list of mounts.
import type { BigIntStats } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { AppError, unless } from '../../lib/errors.ts'
import { contains } from '../../lib/host-path.ts'
import type { Disks } from '../disks/disks.ts'
import { mountFolds } from './folds-case.ts'

export interface CaselessDisks {
  /** False while there can be no such disk: every name is the one that is listed. */
  any(): boolean
  /**
   * Real folders of the served one from which on names are without case; also of mounts of which that
   * is not known yet.
   */
  places(): readonly string[]
  /**
   * The spellings under which an entry is listed, given as real paths: one, or several where a disk
   * does not tell its entries apart. What does not exist, or lies on a disk with case, keeps its
   * own. Only the names below `realRoot` are checked. Throws `forbidden` for what is not listed.
   */
  spellings(realRoot: string, realPath: string): Promise<readonly string[]>
}

/** How long what an empty disk seems to be is taken to be true. */
const KNOWN_MS = 1_000
const MAX_SPELLINGS = 16
const STATS_IN_FLIGHT = 4

interface Mount {
  place: string
  /** Given to no other mount as long as this one stands. */
  id: string
}

/**
 * `root` is a served folder, `rootFolds` whether its own disk is without case. With `isMountedLater` that may
 * be another one by the time it is used.
 */
export function createCaselessDisks(
  disks: Disks,
  root: string,
  rootFolds: boolean,
  { isMountedLater = false } = {},
): CaselessDisks {
  let realRoot = root
  let mounts: Mount[] = []
  let listed: ReturnType<Disks['mounts']> = null
  let listedBelow = ''
  const known = new Map<string, { folds: boolean; untilMs: number }>()
  const asking = new Map<string, Promise<void>>()
  let isStarted = false
  const started = disks
    .realpath(resolve(root))
    .then((real) => {
      realRoot = real
    })
    .catch(() => {})
    .finally(() => {
      isStarted = true
    })

  const current = (): readonly Mount[] => {
    const all = disks.mounts()
    if (all === listed && realRoot === listedBelow) return mounts
    listed = all
    listedBelow = realRoot
    mounts = [...(all ?? [])]
      .map(([place, { id }]) => ({ place, id }))
      .filter(({ place }) => (place !== realRoot || isMountedLater) && contains(realRoot, place))
    const ids = new Set(mounts.map(({ id }) => id))
    for (const id of known.keys()) if (!ids.has(id)) known.delete(id)
    return mounts
  }
  const isKnown = ({ id }: Mount) => (known.get(id)?.untilMs ?? 0) > performance.now()
  const ask = (mount: Mount): Promise<void> => {
    const { place, id } = mount
    let answer = asking.get(id)
    if (!answer) {
      answer = disks
        .of(place)
        .query(() => mountFolds(place))
        .then((folds) => {
          const untilMs = folds === null ? performance.now() + KNOWN_MS : Number.POSITIVE_INFINITY
          known.set(id, { folds: folds ?? true, untilMs })
        })
        // One that cannot be read now, as its file system has died, is asked again.
        .catch(() => known.set(id, { folds: true, untilMs: performance.now() + KNOWN_MS }))
        .then(() => void asking.delete(id))
      asking.set(id, answer)
    }
    return answer
  }
  const mayFold = (mount: Mount) => known.get(mount.id)?.folds ?? true

  const places = () => {
    if (rootFolds) return [realRoot]
    const found = current()
    if (found.length === 0) return NONE
    for (const mount of found) if (!isKnown(mount)) void ask(mount)
    return found.filter(mayFold).map(({ place }) => place)
  }

  return {
    any: () => !isStarted || places().length > 0,
    places,
    spellings: async (base, realPath) => {
      await started
      // The system's own realpath gives the listed names elsewhere.
      if (process.platform !== 'linux') return [realPath]
      const holding = rootFolds ? [] : current().filter((mount) => isBelow(mount, realPath))
      if (!rootFolds && holding.length === 0) return [realPath]
      for (const mount of holding) if (!isKnown(mount)) await ask(mount)
      const place = rootFolds ? realRoot : holding.find(mayFold)?.place
      if (place === undefined || !contains(base, realPath)) return [realPath]
      const start = contains(place, base) ? base : place
      return contains(start, realPath) ? spell(disks, start, realPath) : [realPath]
    },
  }
}

const NONE: readonly string[] = []

// The name of the place itself is one of the folder around it.
function isBelow({ place }: Mount, realPath: string): boolean {
  return place !== realPath && contains(place, realPath)
}

async function spell(disks: Disks, start: string, realPath: string): Promise<string[]> {
  let folder = start
  let spelled = [start]
  for (const name of relative(start, realPath).split(sep)) {
    if (name === '') break
    const names = await listedNames(disks, folder, name)
    spelled = spelled.flatMap((path) => names.map((listed) => join(path, listed)))
    if (spelled.length > MAX_SPELLINGS) throw notListed(name)
    folder = join(folder, name)
  }
  return spelled
}

/** The names under which `name` is listed in a folder; its own where nothing has that name. */
async function listedNames(disks: Disks, folder: string, name: string): Promise<string[]> {
  const names = await disks
    .of(folder)
    .query(() => readdir(folder))
    .catch(unlessMissing)
  if (names === null || names.includes(name)) return [name]
  const own = await factsOf(disks, join(folder, name))
  if (own === null) return [name]
  const folded = foldedName(name)
  const sameLetters = names.filter((other) => foldedName(other) === folded)
  if (sameLetters.length > 0) return sameLetters
  const others: { name: string; facts: BigIntStats }[] = []
  for (let at = 0; at < names.length; at += STATS_IN_FLIGHT) {
    const part = names.slice(at, at + STATS_IN_FLIGHT)
    const found = await Promise.all(part.map((other) => factsOf(disks, join(folder, other))))
    for (const [i, facts] of found.entries())
      if (facts) others.push({ name: part[i] as string, facts })
  }
  const same = others.filter(({ facts }) => facts.ino === own.ino && facts.dev === own.dev)
  // File systems in user space give a file another number for each name.
  const listed = same.length > 0 ? same : others.filter(({ facts }) => hasSameFacts(facts, own))
  if (listed.length === 0) throw notListed(name)
  return listed.map((other) => other.name)
}

const FACTS = ['mode', 'size', 'nlink', 'uid', 'gid', 'mtimeNs', 'ctimeNs'] as const

function hasSameFacts(a: BigIntStats, b: BigIntStats): boolean {
  return FACTS.every((fact) => a[fact] === b[fact])
}

function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase().toUpperCase()
}

function notListed(name: string): AppError {
  return new AppError('forbidden', `${name} is not listed in its folder by any name`)
}

async function factsOf(disks: Disks, path: string): Promise<BigIntStats | null> {
  return disks.lstat(path).catch(unlessMissing)
}

const unlessMissing = unless('ENOENT', 'ENOTDIR', 'ENAMETOOLONG')
