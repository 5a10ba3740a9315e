// What may be done in a folder: what the server says of it, else what the account may everywhere.

import { proxy } from 'valtio'
import type { FolderRights, Permissions } from '../../src/api-types.ts'
import { putNewest } from '../lib/newest.ts'
import { parentOf } from '../lib/paths.ts'
import { permissions } from './session.ts'

const MOST = 500

const known = new Map<string, FolderRights>()

/** Changes whenever something else is known. */
export const rightsTurn = proxy({ count: 0 })

/** What the listing of a folder said; nothing where the account's permissions count. */
export function noteRights(vpath: string, rights: FolderRights | undefined): void {
  if (JSON.stringify(known.get(vpath)) === JSON.stringify(rights)) return
  if (rights === undefined) known.delete(vpath)
  else putNewest(known, vpath, rights, MOST)
  rightsTurn.count++
}

export interface Abilities extends Permissions {
  /** Entries can be brought here, and carried away from here. */
  takes: { copy: boolean; move: boolean }
  gives: { copy: boolean; move: boolean }
}

/** What the account may where nothing else is said. */
export function ownAbilities(): Abilities {
  const own = permissions()
  const { create: copy, rename: move } = own
  return { ...own, takes: { copy, move }, gives: { copy, move } }
}

/** In a folder that was not listed yet the account's permissions count. */
export function abilitiesIn(vpath: string | null): Abilities {
  const rights = vpath === null ? undefined : known.get(vpath)
  if (rights === undefined) return ownAbilities()
  const { create, rename, download, delete: remove } = rights
  // Between folders with other rights a move is a copy, and what was there is deleted.
  return {
    ...permissions(),
    ...rights,
    takes: { copy: create, move: create || rename },
    gives: { copy: download, move: rename || (download && remove) },
  }
}

/** The same for what lies in a folder. */
export const abilitiesOn = (vpath: string) => abilitiesIn(parentOf(vpath))
