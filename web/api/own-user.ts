// Preferences of the signed-in user that change in passing, without the settings page.

import type { UserRecord } from '../../src/api-types.ts'
import { call } from './client.ts'

type Preferences = Partial<Pick<UserRecord, 'locale' | 'viewMode' | 'sorting'>>

/** Writes the given fields of the user's own record and no others. */
export async function saveOwnPreferences(id: number, fields: Preferences): Promise<void> {
  await call(`/users/${id}`, {
    method: 'PUT',
    json: { what: 'user', which: Object.keys(fields), data: { id, ...fields } },
  })
}
