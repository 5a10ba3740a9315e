// Entries of the trash as an account sees them: judged by where they were, as a file there would be.
import { basename, dirname, join } from 'node:path'
import { foldersOf } from '../access/folder-rights.ts'
import { hasRules, treeScopeOf } from '../access/user-tree.ts'
import type { Verb } from '../api-types.ts'
import { vpathIn } from '../files/place/jail.ts'
import type { May } from '../files/place/path-rules.ts'
import { createScope, type Scope } from '../files/place/scope.ts'
import { baseOf, contentPath, originalName } from '../keep/store-index.ts'
import type { TrashEntry } from '../keep/trash.ts'
import { AppError, errnoOf, unless } from '../lib/errors.ts'
import { createTurns } from '../lib/turns.ts'
import type { Ask } from '../lib/verbs.ts'
import { joinVPath, parentOf, ROOT, rebase, type VPath } from '../lib/vpath.ts'
import { type Actor, requireMay } from './actor.ts'

/** An entry with the path that it had in the tree of the caller, or that it would get: see placeOf. */
export interface SeenEntry {
  entry: TrashEntry
  path: VPath
}

/** All that the caller may see, the newest first. */
export async function entriesSeenBy(actor: Actor): Promise<SeenEntry[]> {
  const { services, user } = actor
  const { trash, keeping } = services
  const entries = trash.entries()
  const pathOf = await pathsFor(actor)
  const seen: SeenEntry[] = []
  const turn = createTurns()
  for (const entry of await entries) {
    if (keeping.leaving.has(entry.id)) continue
    // A promise for each of many would take longer than the answers.
    const found = pathOf(placeOf(user, entry))
    const path = found instanceof Promise ? await found : found
    if (path !== null) seen.push({ entry, path })
    const others = turn()
    if (others) await others
  }
  return seen
}

/** One of them; `not_found` also where it may not be seen, so that ids tell nothing. */
export async function entrySeenBy(actor: Actor, id: string): Promise<SeenEntry> {
  const { services, user } = actor
  const { trash, keeping } = services
  const entry = keeping.leaving.has(id) ? null : await trash.find(id).catch(unless('not_found'))
  const path = entry && (await (await pathsFor(actor))(placeOf(user, entry)))
  if (!entry || path === null) throw new AppError('not_found', 'no such entry of the trash')
  return { entry, path }
}

/**
 * Where an entry was, as a real path. One of which nobody knows that is for administrators, beside the trash that it
 * lies in.
 */
function placeOf({ perm }: Actor['user'], entry: TrashEntry): string | null {
  if (entry.realPath !== null || !perm.admin) return entry.realPath
  return join(baseOf(entry.store), originalName(entry))
}

/**
 * Gives the path of each real path for the caller, null where it may not do this to a file there. A real path is null
 * for no path.
 */
export async function pathsFor({ services, user, scope }: Actor, verbs: readonly Verb[] = ['see']) {
  const tops: { top: VPath; realPath: string }[] = []
  const names = [...foldersOf(services.store).topsOf(user).keys()]
  for (const top of [...names.map((name) => joinVPath(ROOT, name)), ROOT]) {
    const realPath = await scope.rootPath(top).catch(() => null)
    if (realPath !== null) tops.push({ top, realPath })
  }
  const found = new Map<string, Folder[] | Promise<Folder[]>>()
  const foldersAt = (realDir: string) => {
    const known = found.get(realDir)
    if (known) return known
    const folders = foldersFor(scope, tops, realDir).then((folders) => {
      found.set(realDir, folders)
      return folders
    })
    found.set(realDir, folders)
    return folders
  }
  const pathIn = (folders: readonly Folder[], name: string): VPath | null => {
    for (const { top, vpath, may } of folders) {
      const path = joinVPath(vpath, name)
      // A folder at the top hides what the home has of its name.
      if (top === ROOT && tops.some((other) => other.top !== ROOT && isIn(other.top, path)))
        continue
      if (verbs.every((verb) => scope.may(path, verb) && may(path, verb))) return path
    }
    return null
  }
  return (realPath: string | null): VPath | null | Promise<VPath | null> => {
    if (realPath === null) return null
    const folders = foldersAt(dirname(realPath))
    const name = basename(realPath)
    return folders instanceof Promise
      ? folders.then((those) => pathIn(those, name))
      : pathIn(folders, name)
  }
}

/** A folder in which entries were, by a path that it has for the caller. */
interface Folder {
  top: VPath
  vpath: VPath
  /** By all names that it has now. */
  may: May
}

async function foldersFor(
  scope: Scope,
  tops: readonly { top: VPath; realPath: string }[],
  realDir: string,
): Promise<Folder[]> {
  const folders: Folder[] = []
  for (const { top, realPath } of tops) {
    const below = vpathIn(realPath, realDir)
    const vpath = below && rebase(top, below)
    const may = vpath && (await testBelow(scope, vpath))
    if (vpath && may) folders.push({ top, vpath, may })
  }
  return folders
}

function isIn(top: VPath, path: VPath): boolean {
  return path === top || path.startsWith(`${top}/`)
}

/** The test by all names that the folder has now; null where it may not be known. */
async function testBelow(scope: Scope, folder: VPath): Promise<May | null> {
  for (let at = folder; ; at = parentOf(at)) {
    try {
      return await scope.mayBelow(at)
    } catch (error) {
      // A file has come where a folder was: the one around it tells.
      if (errnoOf(error) !== 'not_a_folder' || at === ROOT) return null
    }
  }
}

/** True where the caller may remove it for good: by the right to delete and for having deleted it, or as an administrator. */
export function mayErase({ scope, user }: Actor, { entry, path }: SeenEntry): boolean {
  return scope.may(path, 'delete') && (entry.userID === user.id || user.perm.admin)
}

/** Throws `forbidden` where mayErase is false. */
export function requireMayErase(actor: Actor, seen: SeenEntry): void {
  requireMay(actor, 'delete', seen.path)
  if (!mayErase(actor, seen))
    throw new AppError('forbidden', `${seen.path} was deleted by another account`)
}

/**
 * What is kept of an entry as a tree of its own, in which it and all below it have the paths that they had, and
 * may be read by who could read them there. Links lead nowhere out of it.
 */
export async function scopeOfEntry(
  actor: Actor,
  { entry, path }: SeenEntry,
  { isTaken = false } = {},
): Promise<Scope> {
  const { scope } = actor
  // Whoever brings it back takes it out of there, and needs no right to delete it where it was.
  const asked = (verb: Ask) => (isTaken && verb === 'delete' ? 'see' : verb)
  const may = (await testBelow(scope, parentOf(path))) ?? (() => false)
  return contentScope(
    actor,
    entry,
    path,
    (vpath, verb) => scope.may(vpath, asked(verb)) && may(vpath, asked(verb)),
  )
}

/** What is kept of an entry as a tree that stands at `base`. */
export function contentScope(
  { services }: Pick<Actor, 'services'>,
  entry: TrashEntry,
  base: VPath,
  may: May,
): Scope {
  return createScope({
    volume: services.volume,
    root: contentPath(entry),
    isRootReal: true,
    isKept: true,
    base,
    may,
    followExternalSymlinks: false,
    fileMode: 0,
    dirMode: 0,
  })
}

/**
 * Throws `forbidden` where rules or records of folders deny the caller something in a deleted folder, which was at
 * `path`, or the place that it would get below `target` (docs/http-api.md 7.7).
 */
export async function requireAllBelow(
  actor: Actor,
  seen: SeenEntry,
  path: VPath,
  target: VPath,
): Promise<void> {
  const { services, user, scope, signal } = actor
  const differs = async () => (await scope.differsBelow(path)) || (await scope.differsBelow(target))
  if (!hasRules(services, user) && !(await differs())) return
  const trees = treeScopeOf(services, user, 'delete')
  const tests = [
    { top: path, verb: 'see', may: await testBelow(trees, parentOf(path)) },
    { top: target, verb: 'create', may: await testBelow(trees, parentOf(target)) },
  ] as const
  const content = await scopeOfEntry(actor, seen)
  for await (const entries of content.entriesBelow(path, { signal }))
    for (const { vpath } of entries)
      for (const { top, verb, may } of tests)
        if (!may?.(rebase(top, vpath.slice(path.length) as VPath), verb))
          throw new AppError('forbidden', `${vpath} is denied, or its place`)
}
