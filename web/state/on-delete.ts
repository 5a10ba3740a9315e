// What Delete does for the account that is signed in. Asked for when it is first needed.

import type { OnDelete } from '../../src/keep-types.ts'
import { fetchPreferences, savePreferences } from '../api/preferences.ts'
import { session } from './session.ts'

/** By account. */
const known = new Map<number, Promise<OnDelete>>()

const ownID = () => session.user?.id ?? 0

/** @throws ApiError when the server does not say. */
export function whatOnDelete(): Promise<OnDelete> {
  const id = ownID()
  const before = known.get(id)
  if (before !== undefined) return before
  const asked = fetchPreferences().then(({ onDelete }) => onDelete)
  known.set(id, asked)
  // Asked for again at the next need.
  asked.catch(() => known.delete(id))
  return asked
}

/** @throws ApiError when the server refuses. */
export async function setOnDelete(onDelete: OnDelete): Promise<void> {
  const id = ownID()
  await savePreferences({ onDelete })
  known.set(id, Promise.resolve(onDelete))
}
