// What travels of locks of WebDAV (docs/http-api.md 38): types only.

/** Who holds a lock that is in the way, and until when. */
export interface HeldLock {
  /** Name of the account; null for one that is gone. */
  user: string | null
  /** RFC 3339. */
  until: string
}

/** A lock that a client of WebDAV has set; `isDeep`: for all in the folder, too. */
export interface LockRecord {
  id: string
  /** Name of the account; null for one that is gone. */
  user: string | null
  isOwn: boolean
  isExclusive: boolean
  isDeep: boolean
  expires: string
}
