// Locks of WebDAV as records, where several nodes share them.
import { contains } from '../../lib/host-path.ts'
import type { Collection, Records, Store } from '../collection.ts'
import {
  type DavLock,
  type DavLocks,
  holdingAt,
  type LockReads,
  MAX_LOCKS,
  MAX_LOCKS_PER_USER,
  newToken,
  tooMany,
} from './locks.ts'

export const DAV_LOCKS: Collection<DavLock, 'place' | 'userID'> = {
  name: 'davLocks',
  life: 'short',
  keyOf: ({ token }) => token,
  indexes: { place: ({ place }) => place, userID: ({ userID }) => userID },
  unique: [],
  parse: (r) => ({
    token: r.str('token'),
    place: r.str('place'),
    isDeep: r.bool('isDeep'),
    isExclusive: r.bool('isExclusive'),
    userID: r.int('userID'),
    ownerXml: r.str('ownerXml'),
    expiresMs: r.int('expiresMs'),
  }),
}

export function createSharedDavLocks(store: Store): DavLocks {
  return {
    ...readsOf(store),
    get: (token) => store.get(DAV_LOCKS, token),
    load: async () => {},
    any: () => store.count(DAV_LOCKS) > 0,
    add: (wanted, demandFree) => {
      const lock = { ...wanted, token: newToken() }
      return store.transaction((tx) => {
        const nowMs = Date.now()
        for (const { token, expiresMs } of tx.all(DAV_LOCKS))
          if (expiresMs <= nowMs) tx.remove(DAV_LOCKS, token)
        demandFree(readsOf(tx))
        const own = tx.find(DAV_LOCKS, 'userID', wanted.userID)
        if (tx.count(DAV_LOCKS) >= MAX_LOCKS || own.length >= MAX_LOCKS_PER_USER) throw tooMany()
        return tx.insert(DAV_LOCKS, lock)
      })
    },
    refresh: (token, expiresMs) =>
      store.transaction((tx) => {
        const lock = tx.get(DAV_LOCKS, token)
        if (!lock) return null
        tx.remove(DAV_LOCKS, token)
        return tx.insert(DAV_LOCKS, { ...lock, expiresMs })
      }),
    remove: (token) => store.transaction((tx) => void tx.remove(DAV_LOCKS, token)),
    gone: async (place) => {
      const isGone = (lock: DavLock) => contains(place, lock.place)
      if (!store.all(DAV_LOCKS).some(isGone)) return
      await store.transaction((tx) => {
        for (const lock of tx.all(DAV_LOCKS)) if (isGone(lock)) tx.remove(DAV_LOCKS, lock.token)
      })
    },
    close: async () => {},
  }
}

function readsOf(records: Records): LockReads {
  const live = (locks: readonly DavLock[]) => {
    const nowMs = Date.now()
    return locks.filter(({ expiresMs }) => expiresMs > nowMs)
  }
  const at = (place: string) => live(records.find(DAV_LOCKS, 'place', place))
  return {
    at,
    holdingAt: (place) => holdingAt(at, place),
    below: (place) =>
      live(records.all(DAV_LOCKS)).filter(
        (lock) => lock.place !== place && contains(place, lock.place),
      ),
  }
}
