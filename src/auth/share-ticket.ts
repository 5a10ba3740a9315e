// Tickets of protected shares: what a visitor who gave the password uses in addresses. Signed,
// bound to the share and its password, valid for a day and across restarts; 128 characters, as
// clients of the original expect.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Share } from '../store/document.ts'

const LIFE_MS = 24 * 60 * 60_000
const EXPIRY_BYTES = 8
const NONCE_BYTES = 24
const TICKET_BYTES = 96

/** `key` is the signing key, base64. */
export function issueTicket(share: Share, key: string, nowMs = Date.now()): string {
  const head = Buffer.concat([Buffer.alloc(EXPIRY_BYTES), randomBytes(NONCE_BYTES)])
  head.writeBigUInt64BE(BigInt(nowMs + LIFE_MS))
  return Buffer.concat([head, sign(head, share, key)]).toString('base64url')
}

/**
 * True for a live ticket of this share, or for the token an imported share came with. An empty
 * token is no token.
 */
export function acceptsTicket(
  share: Share,
  ticket: string,
  key: string,
  nowMs = Date.now(),
): boolean {
  if (share.token !== '' && equal(Buffer.from(ticket), Buffer.from(share.token))) return true
  const bytes = Buffer.from(ticket, 'base64url')
  if (bytes.length !== TICKET_BYTES) return false
  const head = bytes.subarray(0, EXPIRY_BYTES + NONCE_BYTES)
  if (!equal(bytes.subarray(head.length), sign(head, share, key))) return false
  return head.readBigUInt64BE() > BigInt(nowMs)
}

function sign(head: Buffer, share: Share, key: string): Buffer {
  return createHmac('sha512', Buffer.from(key, 'base64'))
    .update('share ticket\0')
    .update(`${share.hash}\0${share.passwordHash}\0`)
    .update(head)
    .digest()
}

function equal(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
