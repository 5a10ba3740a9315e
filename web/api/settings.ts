import type { NodeRecord, SettingsRecord } from '../../src/api-types.ts'
import { call, callJson } from './client.ts'

export async function getSettings(signal?: AbortSignal): Promise<SettingsRecord> {
  return callJson('/settings', { signal })
}

/** Replaces everything: what is left out is reset. */
export async function putSettings(settings: SettingsRecord): Promise<void> {
  await call('/settings', { method: 'PUT', json: settings })
}

/** The servers that share the records of this one. */
export async function listNodes(signal?: AbortSignal): Promise<NodeRecord[]> {
  return callJson('/nodes', { signal })
}
