// What the page does for an account: recorded where it is not the usual, and nowhere else.
import type { Preferences } from '../../keep-types.ts'
import type { Lookups, Transaction } from '../collection.ts'
import { PREFERENCES } from '../collections.ts'

/** What an account has chosen, else the usual. */
export function preferencesOf(records: Lookups, userID: number): Preferences {
  return { onDelete: records.get(PREFERENCES, userID)?.onDelete ?? 'trash' }
}

/** Replaces what an account has chosen. */
export function setPreferences(tx: Transaction, userID: number, { onDelete }: Preferences): void {
  tx.remove(PREFERENCES, userID)
  if (onDelete !== 'trash') tx.insert(PREFERENCES, { userID, onDelete })
}
