// Folder records as they are set and removed.
import { badRequest } from '../../lib/errors.ts'
import type { PlaceText } from '../../lib/places.ts'
import type { Lookups, Transaction } from '../collection.ts'
import { FOLDERS, GROUPS, USERS } from '../collections.ts'
import { foldedHome } from '../user-facts.ts'
import { type Folder, parseWho, saysNothing, type Who } from './folder-record.ts'

const MAX_FOLDERS = 10_000

/** Makes the record of a place, or puts it in the place of the one that is there. Throws `bad_request` with the reason. */
export function setFolder(tx: Transaction, folder: Folder): Folder {
  const named = folder.grants.flatMap(({ who }) => parseWho(who) ?? [])
  tx.expect(USERS, () => named.flatMap(({ kind, id }) => (kind === 'user' ? id : [])))
  for (const { who } of folder.grants)
    if (!isKnown(tx, parseWho(who))) throw badRequest(`there is no ${who}`)
  const [other] = folder.as === '' ? [] : tx.find(FOLDERS, 'as', foldedHome(folder.as))
  if (other && other.place !== folder.place)
    throw badRequest(`${other.place} stands as ${folder.as} already`, 'exists')
  if (tx.get(FOLDERS, folder.place)) return tx.replace(FOLDERS, folder)
  if (tx.count(FOLDERS) >= MAX_FOLDERS) throw badRequest(`there are ${MAX_FOLDERS} folders already`)
  return tx.insert(FOLDERS, folder)
}

function isKnown(records: Lookups, who: Who | null): boolean {
  if (who === null || who.kind === 'everyone') return who !== null
  const found = who.kind === 'user' ? records.get(USERS, who.id) : records.get(GROUPS, who.id)
  return found !== undefined
}

/** Takes away what records say of somebody who goes; a record that says nothing then goes as well. */
export function removeGrantsOf(tx: Transaction, who: string): void {
  for (const folder of tx.all(FOLDERS)) {
    const grants = folder.grants.filter((grant) => grant.who !== who)
    if (grants.length === folder.grants.length) continue
    const left = { ...folder, grants }
    if (saysNothing(left)) tx.remove(FOLDERS, folder.place)
    else tx.replace(FOLDERS, left)
  }
}

/** Removes the record of a place; false when there is none. */
export function removeFolder(tx: Transaction, place: PlaceText): boolean {
  return tx.remove(FOLDERS, place) !== undefined
}
