// The way of every change of content, whoever asks and by whatever call.
import { isDeepStrictEqual } from 'node:util'
import { foldersOf, placeOf } from '../access/folder-rights.ts'
import { hasRules, treeScopeOf } from '../access/user-tree.ts'
import type { Verb } from '../api-types.ts'
import type { Place } from '../files/place/scope.ts'
import { checkTree } from '../files/transfer/copy.ts'
import type { Making } from '../history/history.ts'
import type { HistoryKind } from '../history-types.ts'
import type { FileChange } from '../hooks/hooks.ts'
import { unless } from '../lib/errors.ts'
import { parentOf, ROOT, type VPath } from '../lib/vpath.ts'
import type { Actor } from './actor.ts'
import { madeOf } from './made.ts'

type What = Omit<FileChange, 'user'> & { kind: HistoryKind }
type Paths = Pick<What, 'vpath' | 'destination'>

/** The before-commands of work that is broken off and gone on with. */
export interface EarlierCommands {
  /** They ran, and let it pass: they do not run a second time. */
  haveRun: boolean
  /** Told when they have, and waited for. */
  onRun(): Promise<void>
}

/**
 * Runs the before-commands, the work and the after-commands. A failing command is `command_failed`:
 * before the work it prevents it, after it the work stays done. Commands may take hours: the work
 * checks session and rights again. With `again`, for work that was begun once and failed, the
 * before-commands do not run a second time; `earlier` knows of those of earlier runs, `claim` is waited for before the first. `told`: what the history is told instead of the paths. `place`: where the path was located just now. `work` is told whether any ran, and tells what it has made.
 */
export async function change<T>(
  actor: Actor,
  { kind, ...what }: What,
  work: (hasRun: boolean, making: Making) => Promise<T>,
  {
    again = false,
    claim,
    earlier,
    told = what,
    place,
  }: {
    again?: boolean
    claim?: (() => Promise<void>) | undefined
    earlier?: EarlierCommands | undefined
    told?: Paths
    place?: Place
  } = {},
): Promise<T> {
  const { hooks, previews } = actor.services
  const { user } = actor
  const isDue = !again && !earlier?.haveRun
  const end = await hooks.begin({ ...what, user })
  try {
    const hasRun =
      isDue && (await hooks.run('before', { ...what, user }, { signal: actor.cancelled, claim }))
    if (hasRun) await earlier?.onRun()
    const replaced = previews.mayHoldAny()
      ? (written(hasRun ? undefined : place) ?? (await placesOf(actor, what)))
      : []
    // A change that failed may have got halfway.
    const result = await noted(actor, { kind, ...told }, (making) => work(hasRun, making)).finally(
      () => previews.forget(replaced),
    )
    await hooks.run('after', { ...what, user })
    return result
  } finally {
    end()
  }
}

/** Runs the work of a change, and notes in the history what it tells to have made. */
export function noted<T>(
  actor: Actor,
  { kind, vpath, destination }: Paths & Pick<What, 'kind'>,
  work: (making: Making) => Promise<T>,
): Promise<T> {
  const { services, user, origin } = actor
  const facts = () => ({
    kind,
    path: placeOf(services, user, vpath).place,
    to: destination && placeOf(services, user, destination).place,
  })
  return services.history.noted({ userID: user.id, ...origin }, facts, work)
}

/** Runs what may make the folders that are missing on the way to a path, and notes those that it has made. */
export async function notedParents<T>(
  actor: Actor,
  vpath: VPath,
  work: () => Promise<T>,
): Promise<T> {
  const missing: VPath[] = []
  // A rule may allow what lies in a folder that it denies.
  const isMissing = async (at: VPath) =>
    (await actor.scope.exists(at).catch(unless('forbidden'))) === false
  if (actor.services.history.isOn)
    for (let up = parentOf(vpath); up !== ROOT && (await isMissing(up)); up = parentOf(up))
      missing.unshift(up)
  const [top] = missing
  if (top === undefined) return work()
  return work().finally(() =>
    noted(actor, { kind: 'folder', vpath: top }, async (making) => {
      for (const folder of missing) {
        const found = await actor.scope.stat(folder).catch(unless('not_found', 'forbidden'))
        if (found) making.made(madeOf(found, folder.slice(top.length)))
      }
    }),
  )
}

/** Host paths of what is there before a file is written at a place; null where that needs a further look. */
function written(place: Place | undefined): string[] | null {
  if (!place || place.link) return null
  return place.stats ? [place.realPath] : []
}

/** Host paths of what is there before the change, and may not be afterwards. */
async function placesOf({ scope }: Actor, what: Omit<What, 'kind'>): Promise<string[]> {
  const { event, vpath, destination } = what
  const changed = [...(event === 'copy' ? [] : [vpath]), ...(destination ? [destination] : [])]
  const places = changed.flatMap((path) => [
    scope.entryPath(path),
    // Through a link the file behind it is written.
    ...(event === 'save' || event === 'upload' ? [scope.hostPath(path)] : []),
  ])
  const found = await Promise.allSettled(places)
  // What cannot be located is not there, or the change itself will say why.
  const paths = found.flatMap((place) => (place.status === 'fulfilled' ? [place.value] : []))
  return [...new Set(paths)]
}

/** What a change does to a tree: what is asked of each entry in it, and of the path that each gets. */
export interface TreeChange {
  what: Parameters<typeof treeScopeOf>[2]
  source: VPath
  verbs: readonly Verb[]
  target?: { vpath: VPath; verbs: readonly Verb[] }
}

/**
 * With rules in force, or records of folders in or below it, refuses a change to a tree that holds a denied entry
 * (docs/http-api.md 7.7). The result demands the caller again, right before the work, and repeats the check where
 * commands ran or the rights have changed since.
 */
export async function checkDescendants(
  actor: Actor,
  change: TreeChange,
  demand: () => void,
): Promise<(hasRun: boolean) => Promise<void>> {
  const { source, target } = change
  const check = async () => {
    const { services, user, scope, signal } = actor
    const facts = factsOf(actor)
    const differs = async () =>
      (await scope.differsBelow(source)) || (target && (await scope.differsBelow(target.vpath)))
    if (hasRules(services, user) || (await differs()))
      await checkTree(treeScopeOf(services, user, change.what), change, signal)
    return facts
  }
  let checked = await check()
  return async (hasRun) => {
    demand()
    if (hasRun) checked = await check()
    for (demand(); !isSame(checked, factsOf(actor)); demand()) checked = await check()
  }
}

type Facts = ReturnType<typeof factsOf>

function factsOf({ services, user }: Actor) {
  const { rules } = services.store.settings()
  const folders = foldersOf(services.store)
  return { folders, other: [rules, user.rules, user.scope, user.perm] }
}

function isSame(a: Facts, b: Facts): boolean {
  return a.folders === b.folders && isDeepStrictEqual(a.other, b.other)
}
