// What the page does for an account, as the server has it.

import type { Preferences } from '../../src/keep-types.ts'
import { call, callJson } from './client.ts'

export async function fetchPreferences(): Promise<Preferences> {
  return callJson('/preferences')
}

export async function savePreferences(preferences: Preferences): Promise<void> {
  await call('/preferences', { method: 'PUT', json: preferences })
}
