// All records of a store as plain lists, to look at and to put in place.
import type { Collection, Store } from '../../src/store/collection.ts'
import { SESSIONS, SETTINGS, SHARES, USERS } from '../../src/store/collections.ts'
import type { Session, Settings, Share, User } from '../../src/store/document.ts'

export interface AllRecords {
  settings: Settings
  users: readonly User[]
  shares: readonly Share[]
  sessions: readonly Session[]
}

export function recordsOf(store: Store): AllRecords {
  return {
    settings: store.settings(),
    users: store.all(USERS),
    shares: store.all(SHARES),
    sessions: store.all(SESSIONS),
  }
}

/** Puts what `change` gives in the place of all records. */
export function changeRecords(
  store: Store,
  change: (records: AllRecords) => Partial<AllRecords>,
): Promise<void> {
  return store.transaction((tx) => {
    const put = (collection: Collection, records: readonly object[] = []) => {
      const keys = new Set(records.map((record) => collection.keyOf(record)))
      for (const record of tx.all(collection))
        if (!keys.has(collection.keyOf(record))) tx.remove(collection, collection.keyOf(record))
      for (const record of records) {
        const before = tx.get(collection, collection.keyOf(record))
        if (!before) tx.insert(collection, record)
        else if (before !== record) tx.replace(collection, record)
      }
    }
    const records = {
      settings: tx.settings(),
      users: tx.all(USERS),
      shares: tx.all(SHARES),
      sessions: tx.all(SESSIONS),
    }
    const next = { ...records, ...change(records) }
    put(SETTINGS as Collection, [next.settings])
    put(USERS as Collection, next.users)
    put(SHARES as Collection, next.shares)
    put(SESSIONS as Collection, next.sessions)
  })
}
