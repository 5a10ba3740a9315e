// Removing for good what is in the trash, as long as it takes.
import type { Course } from '../files/transfer/course.ts'
import type { TrashEntry } from '../keep/trash.ts'
import { fromErrno } from '../lib/errors.ts'
import { inTurns } from '../lib/turns.ts'
import type { VPath } from '../lib/vpath.ts'
import type { Actor } from './actor.ts'
import { entriesSeenBy, mayErase, requireMayErase, type SeenEntry } from './trash-entries.ts'

/** What the caller may is asked again before so many more. */
const AT_ONCE = 1_000

/**
 * Removes the entries of the trash that are asked for and that the caller may remove for good, the newest first;
 * `onFound` is told how many there are. They are shown to nobody meanwhile. What cannot be removed stays, and `course`
 * is told.
 */
export async function emptyTrash(
  actor: Actor,
  isAsked: (entry: TrashEntry) => boolean,
  course: Pick<Course, 'at' | 'passed' | 'failed'>,
  onFound: (entries: number, bytes: number) => void,
): Promise<void> {
  const { services, signal } = actor
  const { trash, keeping } = services
  const seen: SeenEntry[] = []
  let bytes = 0
  await inTurns(await entriesSeenBy(actor), (each) => {
    if (!isAsked(each.entry) || !mayErase(actor, each)) return
    seen.push(each)
    bytes += each.entry.bytes ?? 0
  })
  onFound(seen.length, bytes)
  const show = keeping.leaving.hide(seen.map(({ entry }) => entry))
  try {
    for (let at = 0; at < seen.length; at += AT_ONCE) {
      signal.throwIfAborted()
      actor.demand()
      const part = new Map(seen.slice(at, at + AT_ONCE).map((each) => [each.entry, each.path]))
      const onEnd = (entry: TrashEntry, error: unknown) => {
        const path = part.get(entry) as VPath
        course.at(path)
        const failure = error === null ? null : fromErrno(error, path)
        // Somebody else was faster.
        if (failure && failure.code !== 'not_found') course.failed(path, failure)
        course.passed(entry.bytes ?? 0)
      }
      const allowed = [...part].flatMap(([entry, path]) => {
        try {
          requireMayErase(actor, { entry, path })
          return entry
        } catch (error) {
          onEnd(entry, error)
          return []
        }
      })
      await trash.eraseAll(allowed, signal, onEnd)
    }
  } finally {
    show()
  }
}
