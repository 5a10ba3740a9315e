// Asking by WebDAV with an API token.
import type { Permissions } from '../../src/api-types.ts'
import { addApiToken } from '../../src/auth/api-tokens.ts'
import { ROOT, type VPath } from '../../src/lib/vpath.ts'
import { defaultPermissions } from '../../src/store/document.ts'
import type { OpenedApp } from './app.ts'

export type DavAsk = (
  method: string,
  path: string,
  headers?: Record<string, string>,
  body?: string | Uint8Array<ArrayBuffer>,
) => Promise<Response>

/** Asks for an exclusive lock. */
export const LOCK_INFO =
  '<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype><owner>me</owner></lockinfo>'

let tokens = 0

/** A token of an account, in clear. */
export async function tokenFor(
  app: OpenedApp,
  userID: number,
  {
    perm = defaultPermissions(),
    folder = ROOT as string,
  }: { perm?: Permissions; folder?: string } = {},
): Promise<string> {
  const wanted = { name: `dav ${++tokens}`, perm, folder: folder as VPath, expiresMs: 0 }
  return (await app.store.transaction((tx) => addApiToken(tx, userID, wanted))).text
}

export function basic(username: string, secret: string): { Authorization: string } {
  return { Authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}` }
}

/** Asks as whoever has the token. */
export function davOf(app: OpenedApp, token: string): DavAsk {
  return (method, path, headers = {}, body = undefined) =>
    app.fetch(path, {
      method,
      headers: { ...basic('', token), ...headers },
      ...(body !== undefined && { body }),
    })
}

/** A client of the account. */
export async function davAs(app: OpenedApp, userID = 1): Promise<DavAsk> {
  return davOf(app, await tokenFor(app, userID))
}
