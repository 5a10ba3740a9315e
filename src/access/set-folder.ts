// Setting the record of a folder: what names a folder at the top follows when that gets another name.
import { isWithin, type VPath, vpathOf } from '../lib/vpath.ts'
import type { Folder } from '../store/access/folder-record.ts'
import { setFolder as setRecord } from '../store/access/folders.ts'
import type { Transaction } from '../store/collection.ts'
import { API_TOKENS, FOLDERS, SHARES, USERS } from '../store/collections.ts'
import type { Store } from '../store/store.ts'
import { findUser } from '../store/users.ts'
import { placeOf } from './folder-rights.ts'

/** Like setFolder of the store. Shares below the folder at the top, and tokens for what is in it, get its new name. */
export function setFolder(store: Store, tx: Transaction, folder: Folder): Folder {
  const before = tx.get(FOLDERS, folder.place)
  if (before && before.as !== '' && folder.as !== '' && before.as !== folder.as)
    renameTop(store, tx, before, folder.as)
  return setRecord(tx, folder)
}

function renameTop(store: Store, tx: Transaction, before: Folder, as: string): void {
  const from = `/${before.as}`
  const shares = tx.among(SHARES, { path: { below: [from] } })
  const tokens = tx.find(API_TOKENS, 'top', before.as)
  tx.expect(USERS, () => [...shares, ...tokens].map(({ userID }) => userID))
  const renamed = ({ userID }: { userID: number }, path: string): string | null => {
    const owner = findUser(tx, userID)
    const vpath: VPath = vpathOf(path)
    const isBelow =
      owner && isWithin(from, vpath) && placeOf({ store }, owner, vpath).top === before.place
    return isBelow ? `/${as}${path.slice(from.length)}` : null
  }
  for (const share of shares) {
    const path = renamed(share, share.path)
    if (path !== null) tx.replace(SHARES, { ...share, path })
  }
  for (const token of tokens) {
    const folder = renamed(token, token.folder)
    if (folder !== null) tx.replace(API_TOKENS, { ...token, folder })
  }
}
