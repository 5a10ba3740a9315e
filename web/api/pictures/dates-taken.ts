// When the photographs of a folder were taken, by what their cameras have noted.

import { encodePath } from '../../lib/paths.ts'
import { call } from '../client.ts'
import { readJsonList } from '../json-list.ts'

/** By name, as `2024-05-05T14:22:00`; those alone that have such a date, and of `names` where some are given. */
export async function fetchDatesTaken(
  folder: string,
  names: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const json = names === undefined ? {} : { names }
  const { body } = await call(`/taken${encodePath(folder)}`, { method: 'POST', json, signal })
  const found = new Map<string, string>()
  if (body === null) return found
  for await (const batch of readJsonList<{ name: string; taken: string }>(body))
    for (const { name, taken } of batch) found.set(name, taken)
  return found
}
