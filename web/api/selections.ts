// Which entries an archive is to hold, as part of an address: their names while those are short,
// else an id under which they were registered.

import { type CallOptions, callJson } from './client.ts'

/** Node, proxies and browsers cut addresses at 8 to 16 KiB; cookies and paths need their share. */
const MAX_NAMES_CHARACTERS = 4000

/** More than this is not sent by name where it is everything in a folder. */
const MANY_NAMES = 10_000

/**
 * Names of the chosen entries; none, which means the folder itself, when they are everything in it and
 * very many. Of fewer exactly what is on the screen is sent, whatever came into the folder meanwhile.
 */
export function namesToSend(
  chosen: readonly { name: string }[],
  countInFolder: number | undefined,
): string[] {
  if (chosen.length > MANY_NAMES && chosen.length === countInFolder) return []
  return chosen.map((entry) => entry.name)
}

/**
 * The query of a download. `registerAt` is the call that keeps the names for a few minutes, made with
 * `access` only when it is needed.
 *
 * @throws ApiError when that call fails.
 */
export async function selectionQuery(
  names: readonly string[],
  registerAt: string,
  access: CallOptions = {},
): Promise<{ files?: string; selection?: string }> {
  if (names.length === 0) return {}
  // Each name is decoded once more after the query, and commas part them.
  const files = names.map(encodeURIComponent).join(',')
  if (encodeURIComponent(files).length <= MAX_NAMES_CHARACTERS) return { files }
  const { id } = await callJson<{ id: string }>(registerAt, {
    ...access,
    method: 'POST',
    json: { files: names },
  })
  return { selection: id }
}
