// What the page does for an account: recorded where it is not the usual, and nowhere else.
import type { Preferences } from '../../keep-types.ts'
import type { Lookups, Transaction } from '../collection.ts'
import { PREFERENCES } from '../collections.ts'
import { USUAL_PREFERENCES } from './records.ts'

/** What an account has chosen, else the usual. */
export function preferencesOf(records: Lookups, userID: number): Preferences {
  const { onDelete, openTarget } = records.get(PREFERENCES, userID) ?? USUAL_PREFERENCES
  return { onDelete, openTarget }
}

/** Changes what an account has chosen; what is not named stays. */
export function setPreferences(
  tx: Transaction,
  userID: number,
  change: Partial<Preferences>,
): void {
  const { onDelete, openTarget } = { ...preferencesOf(tx, userID), ...change }
  tx.remove(PREFERENCES, userID)
  const isUsual =
    onDelete === USUAL_PREFERENCES.onDelete && openTarget === USUAL_PREFERENCES.openTarget
  if (!isUsual) tx.insert(PREFERENCES, { userID, onDelete, openTarget })
}
