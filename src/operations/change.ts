// The way of every change of content, whoever asks and by whatever call.
import { isDeepStrictEqual } from 'node:util'
import { hasRules, treeScopeOf } from '../access/user-tree.ts'
import { checkTree } from '../files/transfer/copy.ts'
import type { FileChange } from '../hooks/hooks.ts'
import type { VPath } from '../lib/vpath.ts'
import type { Actor } from './actor.ts'

type What = Omit<FileChange, 'user'>

/**
 * Runs the before-commands, the work and the after-commands. A failing command is `command_failed`:
 * before the work it prevents it, after it the work stays done. Commands may take hours: the work
 * checks session and rights again. With `again`, for work that was begun once and failed, the
 * before-commands do not run a second time. `work` is told whether any ran.
 */
export async function change<T>(
  actor: Actor,
  what: What,
  work: (hasRun: boolean) => Promise<T>,
  { again = false } = {},
): Promise<T> {
  const { hooks, previews } = actor.services
  const { user } = actor
  const hasRun = !again && (await hooks.run('before', { ...what, user }))
  const replaced = previews.mayHoldAny() ? await placesOf(actor, what) : []
  // A change that failed may have got halfway.
  const result = await work(hasRun).finally(() => previews.forget(replaced))
  await hooks.run('after', { ...what, user })
  return result
}

/** Host paths of what is there before the change, and may not be afterwards. */
async function placesOf({ scope }: Actor, what: What): Promise<string[]> {
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

/**
 * With rules in force, refuses a change to a tree that holds a denied entry (docs/http-api.md 7.7). The
 * result demands the caller again, right before the work, and repeats the check where commands ran or
 * the rules have changed since.
 */
export async function checkDescendants(
  actor: Actor,
  source: VPath,
  target: VPath | null,
  demand: () => void,
): Promise<(hasRun: boolean) => Promise<void>> {
  const check = async () => {
    const { services, user, signal } = actor
    const rules = rulesOf(actor)
    if (hasRules(services, user))
      await checkTree(treeScopeOf(services, user), source, target, signal)
    return rules
  }
  let checked = await check()
  return async (hasRun) => {
    demand()
    if (hasRun) checked = await check()
    for (demand(); !isDeepStrictEqual(checked, rulesOf(actor)); demand()) checked = await check()
  }
}

function rulesOf({ services, user }: Actor) {
  return [services.store.settings().rules, user.rules, user.scope]
}
