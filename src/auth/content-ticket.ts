// Tickets for one file on the content origin: where an administrator gave user files an origin of
// their own, a file opened in a tab is shown from there. No cookie reaches that origin, so the
// address carries a signed permission for this user, this path and a few minutes.
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Long enough to play a film through; the session is asked again for each new one. */
const LIFE_MS = 4 * 60 * 60_000

interface ContentTicket {
  userId: number
  sessionId: string
}

/** `key` is the signing key, base64; `path` the virtual path in the user's tree. */
export function issueContentTicket(
  { userId, sessionId }: ContentTicket,
  path: string,
  key: string,
  nowMs = Date.now(),
): string {
  const head = `${userId}.${sessionId}.${nowMs + LIFE_MS}`
  return `${head}.${sign(head, path, key)}`
}

/** Whose ticket it is, or null when it is forged, expired or for another path. */
export function readContentTicket(
  text: string,
  path: string,
  key: string,
  nowMs = Date.now(),
): ContentTicket | null {
  const match = /^(\d+)\.([\w-]+)\.(\d+)\.([\w-]+)$/.exec(text)
  if (!match) return null
  const [, userId = '', sessionId = '', expiresMs = '', signature = ''] = match
  const expected = Buffer.from(sign(`${userId}.${sessionId}.${expiresMs}`, path, key))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  return Number(expiresMs) > nowMs ? { userId: Number(userId), sessionId } : null
}

function sign(head: string, path: string, key: string): string {
  return createHmac('sha256', Buffer.from(key, 'base64'))
    .update(`content ticket\0${head}\0${path}`)
    .digest('base64url')
}
