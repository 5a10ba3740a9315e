import type { SettingsRecord } from '../../src/api-types.ts'
import { call, callJson } from './client.ts'

export async function getSettings(signal?: AbortSignal): Promise<SettingsRecord> {
  return callJson('/settings', { signal })
}

/** Replaces everything: what is left out is reset. */
export async function putSettings(settings: SettingsRecord): Promise<void> {
  await call('/settings', { method: 'PUT', json: settings })
}
