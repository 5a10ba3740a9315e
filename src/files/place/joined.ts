// Several trees as one: that of a home, and others that stand at its top, each under a name of its own.
// Every call goes to the tree that its path belongs to, which knows it by the same path (Jail.base).
import { AppError, fromErrno, unless } from '../../lib/errors.ts'
import { contains } from '../../lib/host-path.ts'
import { compareBytes } from '../../lib/name-order.ts'
import { rightsBy } from '../../lib/verbs.ts'
import { joinVPath, ROOT, type VPath } from '../../lib/vpath.ts'
import { unreachableStat } from '../volume/entry-stat.ts'
import type { Volume } from '../volume/volume.ts'
import type { DetailedEntry, DirEntry } from './list-folder.ts'
import type { May } from './path-rules.ts'
import { type At, createScope, type Scope } from './scope.ts'
import type { Walked } from './walk.ts'

/** By the name at the top. */
export type Mounts = ReadonlyMap<string, Scope>

type Call = (at: At, ...others: unknown[]) => unknown

const { see: _, ...NO_RIGHTS } = rightsBy(() => false)

/** Not there, or not for this account: left out, as any entry is. */
const LEFT_OUT = ['forbidden', 'not_found', 'not_mounted']

/**
 * The trees as one. An entry of `top` that has the name of a mount is hidden. A move from one tree to
 * another fails as between disks (EXDEV), but `same_place` where both lead to the same entry.
 */
export function joinScopes(top: Scope, mounts: Mounts): Scope {
  const ownerOf = (at: At): Scope => {
    const vpath = pathOf(at)
    const end = vpath.indexOf('/', 1)
    return mounts.get(end < 0 ? vpath.slice(1) : vpath.slice(1, end)) ?? top
  }
  const byPath = Object.fromEntries(
    Object.keys(top).map((call) => [
      call,
      (at: At, ...others: unknown[]) => (ownerOf(at)[call as keyof Scope] as Call)(at, ...others),
    ]),
  ) as unknown as Scope
  const isShown = ({ vpath }: { vpath: VPath }) => ownerOf(vpath) === top
  const withMounts = <T extends DirEntry>(entries: T[], own: T[]) =>
    [...entries.filter(isShown), ...own].sort((a, b) => compareBytes(a.name, b.name))
  return {
    ...byPath,
    statMany: top.statMany,
    list: async (at) => {
      const entries = await ownerOf(at).list(at)
      if (pathOf(at) !== ROOT) return entries
      const own = await described(mounts)
      return withMounts(
        entries,
        own.map(({ stat: _, isUnreachable: __, ...entry }) => entry),
      )
    },
    listInSlices: async function* (at, signal) {
      if (pathOf(at) !== ROOT) return yield* ownerOf(at).listInSlices(at, signal)
      const entries: DetailedEntry[] = []
      for await (const slice of top.listInSlices(at, signal)) entries.push(...slice)
      yield withMounts(entries, await described(mounts))
    },
    walk: async function* (vpath, options) {
      if (vpath !== ROOT) return yield* ownerOf(vpath).walk(vpath, options)
      for await (const batch of top.walk(ROOT, options)) yield batch.filter(isShown)
      const { match = () => true } = options
      for (const entry of entriesOf(mounts)) {
        const { name, vpath } = entry
        const mount = ownerOf(vpath)
        // As in the listing: what is no folder now does not stand there.
        if ((await describe(mounts, entry)).length === 0) continue
        const realPath = await mount.rootPath(vpath).catch(unless(...LEFT_OUT))
        if (realPath === null) continue
        const found: Walked = { name, vpath, kind: 'dir', realPath }
        if (match(name) && mount.may(vpath, 'see')) yield [found]
        yield* unlessLeftOut(mount.walk(vpath, options))
      }
    },
    isOneRecord: async (a, b) => ownerOf(a) === ownerOf(b) && ownerOf(a).isOneRecord(a, b),
    rename: async (source, target, options) => {
      const [from, to] = [ownerOf(source), ownerOf(target)]
      if (from === to) return from.rename(source, target, options)
      for (const [scope, vpath] of [
        [from, source],
        [to, target],
      ] as const)
        if (scope.isTop(vpath)) throw new AppError('forbidden', `${vpath} is the top of a tree`)
      await requireApart(from, source, to, target)
      throw fromErrno(Object.assign(new Error('between two trees'), { code: 'EXDEV' }), source)
    },
  }
}

/** A tree that shows and takes nothing, for who has only what is mounted there. `root` is any folder that is there. */
export function bareTop(volume: Volume, root: string): Scope {
  const may: May = (vpath, verb) => vpath === ROOT && (verb === 'see' || verb === 'pass')
  const modes = { fileMode: 0, dirMode: 0 }
  return {
    ...createScope({ volume, root, may, followExternalSymlinks: false, ...modes }),
    list: async () => [],
    listInSlices: async function* () {},
    walk: async function* () {},
    rightsAt: async () => NO_RIGHTS,
  }
}

function pathOf(at: At): VPath {
  return typeof at === 'string' ? at : at.vpath
}

function entriesOf(mounts: Mounts): DirEntry[] {
  return [...mounts]
    .map(([name, scope]) => ({ name, vpath: joinVPath(ROOT, name), kind: 'dir' as const, scope }))
    .filter(({ scope, vpath }) => scope.may(vpath, 'pass'))
    .map(({ scope: _, ...entry }) => entry)
}

/** Those that stand there now. */
async function described(mounts: Mounts): Promise<DetailedEntry[]> {
  const found = await Promise.all(entriesOf(mounts).map((entry) => describe(mounts, entry)))
  return found.flat()
}

async function describe(mounts: Mounts, entry: DirEntry): Promise<DetailedEntry[]> {
  try {
    const stat = await mounts.get(entry.name)?.stat(entry.vpath)
    return stat?.kind === 'dir' ? [{ ...entry, stat }] : []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (LEFT_OUT.includes(error.code)) return []
    if (error.code !== 'unreachable') throw error
    return [{ ...entry, stat: unreachableStat(true, false), isUnreachable: true }]
  }
}

async function* unlessLeftOut(walk: AsyncGenerator<Walked[], void>) {
  try {
    yield* walk
  } catch (error) {
    if (!(error instanceof AppError) || ![...LEFT_OUT, 'unreachable'].includes(error.code))
      throw error
  }
}

// Copied onto itself and then removed, it would be gone.
async function requireApart(from: Scope, source: VPath, to: Scope, target: VPath): Promise<void> {
  const moved = await from.identify(source).catch(unless('not_found'))
  const there = await to.identify(target).catch(unless('not_found'))
  const isSame = moved && there && moved.ino === there.ino && moved.dev === there.dev
  if (isSame || contains(await from.entryPath(source), await to.entryPath(target)))
    throw new AppError('same_place', `${source} and ${target} are the same place`)
}
