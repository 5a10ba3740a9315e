// What the account that is signed in has chosen for the page. Asked for when it is first needed.

import type { Preferences } from '../../src/keep-types.ts'
import { ApiError } from '../api/client.ts'
import { fetchPreferences, savePreferences } from '../api/preferences.ts'
import { session } from './session.ts'

/** By account. */
const known = new Map<number, Promise<Preferences>>()

const ownID = () => session.user?.id ?? 0

/** @throws ApiError when the server does not say. */
export function ownPreferences(): Promise<Preferences> {
  return known.get(ownID()) ?? loadPreferences()
}

/**
 * As the server has them now; without the network as they were known.
 *
 * @throws ApiError when the server does not say.
 */
export function loadPreferences(): Promise<Preferences> {
  const id = ownID()
  const before = known.get(id)
  const asked = fetchPreferences().catch((error: unknown) => {
    if (before && error instanceof ApiError && error.isNetwork) return before
    throw error
  })
  known.set(id, asked)
  // Asked for again at the next need.
  asked.catch(() => known.delete(id))
  return asked
}

/** @throws ApiError when the server refuses. */
export async function setPreferences(preferences: Preferences): Promise<void> {
  const id = ownID()
  await savePreferences(preferences)
  known.set(id, Promise.resolve(preferences))
}
