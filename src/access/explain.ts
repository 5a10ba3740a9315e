// Who may do what at a place, and what decided that.
import type { AccessReason, AccountVerdicts, FolderAccess } from '../access-types.ts'
import type { Verb } from '../api-types.ts'
import { isPlaceWithin, type PlaceText, pathBelow } from '../lib/places.ts'
import { BITS, bitsOfPermissions, rightsBy, VERBS } from '../lib/verbs.ts'
import { ROOT, rebase, type VPath } from '../lib/vpath.ts'
import { GROUPS } from '../store/collections.ts'
import type { User } from '../store/document.ts'
import { userPieces } from '../store/users.ts'
import { withEffective } from './effective.ts'
import { foldersOf, pathOf, placeInTree, placeOf } from './folder-rights.ts'
import { isShown, type TreeServices } from './user-tree.ts'
import type { Reason } from './verdict.ts'

type Services = Pick<TreeServices, 'store' | 'foldCase' | 'config'>
type Answer = AccountVerdicts['verbs'][Verb]

/** Every verb of an account at a path of its tree. `realPlace` is where links have led, which is judged as well. */
export function explainAccess(
  services: Services,
  account: User,
  path: VPath,
  realPlace: PlaceText | null = null,
): AccountVerdicts {
  const user = withEffective(services.store, account)
  const { place, top } = placeOf(services, user, path)
  const places = [...new Set([place, realPlace ?? place])]
  const base = top ?? placeInTree(user, ROOT)
  // Links do not lead out of the home, or of the folder at the top.
  const isInside = realPlace === null || isPlaceWithin(base, realPlace)
  // By the way that was taken: the place may stand in another folder at the top as well.
  const begin = top === null ? ROOT : (/^\/[^/]*/.exec(path)?.[0] as VPath)
  const realPath = realPlace && isInside ? rebase(begin, pathBelow(base, realPlace)) : null
  const isOpen =
    (isInside || services.config.followExternalSymlinks) &&
    [path, realPath ?? path].every((at) => isShown(services, user, at))
  const isOutside = top === null && !foldersOf(services.store).hasHome(user)
  const verdict = (verb: Verb): Answer => {
    // The top of who has no home shows what stands there, and takes nothing.
    if (isOutside) return { allowed: verb === 'see' && path === ROOT, by: { kind: 'home' } }
    if (!isOpen) return { allowed: false, by: { kind: verb === 'see' ? 'rule' : 'see' } }
    const answers = places.map((at) => explainAt(services, user, at, verb))
    return answers.find(({ allowed }) => !allowed) ?? (answers[0] as Answer)
  }
  return {
    user: { id: user.id, username: user.username },
    path,
    place,
    verbs: Object.fromEntries(
      VERBS.map((verb) => [verb, verdict(verb)]),
    ) as AccountVerdicts['verbs'],
  }
}

function explainAt(
  { store, foldCase }: Services,
  user: User,
  place: PlaceText,
  verb: Verb,
): Answer {
  const rights = foldersOf(store).rightsOf(user, foldCase ? 'folded' : 'exact')
  if (!rights) {
    const allowed = (bitsOfPermissions(user.perm) & BITS[verb]) !== 0
    return { allowed, by: { kind: verb === 'see' ? 'default' : 'permission' } }
  }
  const { allowed, by } = rights.explain(place, verb)
  return { allowed, by: present(by) }

  function present({ kind, place, groupID }: Reason): AccessReason {
    const group = groupID === undefined ? undefined : store.get(GROUPS, groupID)
    return {
      kind,
      ...(place !== undefined && { place }),
      ...(group && { group: { id: group.id, name: group.name } }),
    }
  }
}

/** What each account may do at a place, of those in whose tree it is and who see it, by name. */
export async function accessAt(services: Services, place: PlaceText): Promise<FolderAccess> {
  const items: FolderAccess['items'] = []
  for await (const users of userPieces(services.store))
    for (const user of users) {
      const path = pathOf(services, user, place)
      if (path === null) continue
      const { verbs } = explainAccess(services, user, path)
      if (!verbs.see.allowed) continue
      const rights = rightsBy((verb) => verbs[verb].allowed)
      items.push({ user: { id: user.id, username: user.username }, rights })
    }
  return { place, items: items.sort((a, b) => (a.user.username < b.user.username ? -1 : 1)) }
}
