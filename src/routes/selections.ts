// Registering selections for downloads (docs/http-api.md 23): who may use one, and what it may hold.
import { readJson } from '../http/body.ts'
import { type Ctx, idOf, type SignedIn } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { badRequest } from '../lib/errors.ts'
import { nextTurn } from '../lib/turns.ts'
import { toVPath, type VPath } from '../lib/vpath.ts'

/**
 * What one body may hold: of people with an account, and of visitors, who can be anybody. It is read in
 * one go, which for the larger takes some 10 ms.
 */
export const SELECTION_LIMITS = {
  session: { bytes: 2 * 1024 * 1024, names: 50_000 },
  share: { bytes: 1024 * 1024, names: 20_000 },
}
/** Names checked before others get their turn: about a millisecond. */
const SLICE = 1_000

/**
 * The owner to name: a session, a token, or a share, whose visitors are one. An id can be used by nobody else,
 * and says nothing about what the one who uses it may read: that is asked at the download.
 */
export const ownerOf = {
  account: (by: SignedIn): string =>
    by.kind === 'session' ? `session ${by.session.id}` : `${by.kind} ${idOf(by) ?? by.user.id}`,
  share: (hash: string): string => `share ${hash}`,
}

/**
 * Reads `{"files": [...]}`: paths relative to the folder of the download, each once. Throws 400 when
 * there is none, one is no name, or there are more than `limits` allow (`too_large`).
 */
export async function readSelection(
  c: Ctx,
  deps: Deps,
  limits: { bytes: number; names: number },
): Promise<VPath[]> {
  const names = await readJson(c, deps, (body) => body.raw('files') ?? [], limits.bytes)
  return checkNames(names, limits.names)
}

/** The names of a body, checked in slices; throws as `readSelection` does. */
export async function checkNames(names: unknown, maxNames: number): Promise<VPath[]> {
  if (!Array.isArray(names)) throw badRequest('files must be a list')
  // Nothing selected would mean the whole folder.
  if (names.length === 0) throw badRequest('files is empty')
  if (names.length > maxNames)
    throw badRequest(`files has more than ${maxNames} names`, 'too_large')
  const files = new Set<VPath>()
  for (const [i, name] of names.entries()) {
    const vpath = typeof name === 'string' && name !== '' ? toVPath(name) : null
    if (vpath === null) throw badRequest(`files[${i}] is not a name`)
    files.add(vpath)
    if (i % SLICE === SLICE - 1) await nextTurn()
  }
  return [...files]
}
