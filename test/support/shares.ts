// Share links made over HTTP.
import type { OpenedApp } from './app.ts'

/** Makes a share as a user and gives its hash; throws unless the answer is 200. */
export async function makeShare(
  app: OpenedApp,
  path: string,
  body: { password?: string; expires?: string; unit?: string } = {},
  username = 'admin',
): Promise<string> {
  const user = await app.as(username)
  const response = await user.fetch(`/api/share${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  if (response.status !== 200) throw new Error(`share of ${path}: ${response.status}`)
  return ((await response.json()) as { hash: string }).hash
}

/** Every address a visitor may try below a share; `HASH` stands for the share. */
export const PUBLIC_DOORS = [
  'share/HASH',
  'share/HASH/',
  'dl/HASH',
  'dl/HASH?algo=tar',
  'dl/HASH?inline=true',
  'preview/thumb/HASH',
  'preview/big/HASH',
  'subtitle/HASH',
]

/** All bytes that visitors get at these doors, with `below` behind the hash, as one text. */
export async function readPublic(
  app: OpenedApp,
  hash: string,
  below = '',
  init: RequestInit = {},
): Promise<{ statuses: number[]; text: string }> {
  const statuses: number[] = []
  let text = ''
  for (const door of PUBLIC_DOORS) {
    const response = await app.fetch(`/api/public/${door.replace('HASH', hash + below)}`, init)
    statuses.push(response.status)
    text += Buffer.from(await response.arrayBuffer()).toString('latin1')
  }
  return { statuses, text }
}
