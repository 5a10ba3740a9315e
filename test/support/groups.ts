// Groups as an administrator makes them.
import type { Permissions } from '../../src/api-types.ts'
import { addGroup, setMembers } from '../../src/store/access/groups.ts'
import type { Group } from '../../src/store/access/records.ts'
import type { Store } from '../../src/store/collection.ts'
import { defaultPermissions } from '../../src/store/document.ts'

export const NO_PERMISSIONS = Object.fromEntries(
  Object.keys(defaultPermissions()).map((verb) => [verb, false]),
) as unknown as Permissions

interface Wanted extends Partial<Omit<Group, 'id' | 'perm'>> {
  perm?: Partial<Permissions>
  members?: number[]
}

export function makeGroup(
  store: Store,
  { members = [], perm, ...wanted }: Wanted = {},
): Promise<Group> {
  return store.transaction((tx) => {
    const group = addGroup(tx, {
      name: 'editors',
      homeQuota: null,
      claims: [],
      ...wanted,
      perm: { ...NO_PERMISSIONS, ...perm },
    })
    setMembers(tx, group.id, members)
    return group
  })
}
