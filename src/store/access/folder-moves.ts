// Records of folders follow what is moved, and end with what is deleted.
import { isPlaceWithin, type PlaceText, pathBelow, placeBelow } from '../../lib/places.ts'
import type { Transaction } from '../collection.ts'
import { FOLDERS } from '../collections.ts'

/** Lets the records at a place and below follow it. Where the target has one that stays, and theirs ends. */
export function moveFolders(tx: Transaction, source: PlaceText, target: PlaceText): void {
  for (const folder of foldersBelow(tx, source)) {
    tx.remove(FOLDERS, folder.place)
    const place = placeBelow(target, pathBelow(source, folder.place))
    if (!tx.get(FOLDERS, place)) tx.insert(FOLDERS, { ...folder, place })
  }
}

/** Ends the records at a place and below. */
export function endFolders(tx: Transaction, place: PlaceText): void {
  for (const folder of foldersBelow(tx, place)) tx.remove(FOLDERS, folder.place)
}

function foldersBelow(tx: Transaction, place: PlaceText) {
  return tx.all(FOLDERS).filter((folder) => isPlaceWithin(place, folder.place))
}
