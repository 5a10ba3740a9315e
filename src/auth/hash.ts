// Password hashes: argon2id for new ones, bcrypt for imported ones. All work runs in native code
// on the thread pool, a few at a time, so that logins never starve file operations.
import { availableParallelism } from 'node:os'
import { createGate } from '../lib/gate.ts'
import { roomFor } from '../lib/memory/memory-limit.ts'
import { passwordKind } from '../store/user-facts.ts'

// Compiled parts, loaded when the first password is hashed: a start and most commands need none.
const argon2 = () => import('@node-rs/argon2')
const bcrypt = () => import('bcrypt')

/** OWASP's second recommendation for argon2id: 19 MiB, 2 passes, 1 lane. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
/** bcrypt refuses longer input; kept as the limit so that old clients meet the same answer. */
export const MAX_PASSWORD_BYTES = 72
const MAX_QUEUE = 256
/** How each hash made here begins. */
const ARGON2_KIND = `$argon2id$v=19$m=${ARGON2.memoryCost},t=${ARGON2.timeCost},p=${ARGON2.parallelism}$`

/** Hashes with argon2id. Throws `too_many_requests` when too many are waiting. */
export function hashPassword(plain: string): Promise<string> {
  return inTurn(async () => (await argon2()).hash(plain, ARGON2))
}

/** True when the password fits the hash. Unknown or damaged hashes never fit. */
export function verifyPassword(plain: string, hash: string): Promise<boolean> {
  return inTurn(() => verify(plain, hash))
}

/**
 * Like verifyPassword, and takes as long whoever is asked for: once for each of `kinds`, the kinds and
 * costs that any account's hash has, against a hash of nobody where it is not the account's own. Null:
 * there is no such account (CVE-2026-23849).
 */
export function verifyAlike(
  plain: string,
  hash: string | null,
  kinds: readonly string[],
): Promise<boolean> {
  return inTurn(async () => {
    let fits = false
    for (const kind of [...new Set([ARGON2_KIND, ...kinds])].sort()) {
      const isOwn = hash !== null && passwordKind(hash) === kind
      const verified = await verify(plain, isOwn ? hash : kind + hashOfNobody(kind))
      fits ||= isOwn && verified
    }
    return fits
  })
}

async function verify(plain: string, hash: string): Promise<boolean> {
  try {
    if (hash.startsWith('$argon2')) return await (await argon2()).verify(hash, plain)
    if (!isBcrypt(hash)) return false
    // `$2y$` is PHP's name for what everybody else calls `$2b$`.
    const fits = await (await bcrypt()).compare(plain, hash.replace(/^\$2y/, '$2b'))
    // bcrypt ignores what follows the first 72 bytes; the original refuses longer passwords.
    return fits && Buffer.byteLength(plain) <= MAX_PASSWORD_BYTES
  } catch {
    return false
  }
}

// Salt and hash, made from random bytes that nobody kept.
function hashOfNobody(kind: string): string {
  return kind.startsWith('$argon2')
    ? '7mYF6CIMFpW4sOCDx2MvVQ$U7mEdHwbbI5H2MKGWwbRbFdXV7YyHn8Y/0xTzA5YYpk'
    : '7EqJtq98hPqEX7fNZaFWoOhi5q0Ue5ZTmYzZ9fK1kqGJd9rXy0m5W'
}

/** True for hashes that a successful login should replace. */
export function needsRehash(hash: string): boolean {
  return passwordKind(hash) !== ARGON2_KIND
}

export function isBcrypt(text: string): boolean {
  return /^\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}$/.test(text)
}

/** True for text that is a hash rather than a password someone typed. */
export function isHash(text: string): boolean {
  return isBcrypt(text) || /^\$argon2id?\$v=\d+\$m=\d+,t=\d+,p=\d+\$[^$]+\$[^$]+$/.test(text)
}

// memoryCost is in KiB.
const LIMIT = Math.max(1, Math.min(availableParallelism() - 1, roomFor(ARGON2.memoryCost * 1024)))
const inTurn = createGate(LIMIT, MAX_QUEUE)
