// Password hashes: argon2id for new ones, bcrypt for imported ones. All work runs in native code
// on the thread pool, a few at a time, so that logins never starve file operations.
import { availableParallelism } from 'node:os'
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { compare as bcryptVerify } from 'bcrypt'
import { createGate } from '../gate.ts'

/** OWASP's second recommendation for argon2id: 19 MiB, 2 passes, 1 lane. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
/** bcrypt refuses longer input; kept as the limit so that old clients meet the same answer. */
export const MAX_PASSWORD_BYTES = 72
const MAX_QUEUE = 256

/** Hashes with argon2id. Throws `too_many_requests` when too many are waiting. */
export function hashPassword(plain: string): Promise<string> {
  return inTurn(() => argon2Hash(plain, ARGON2))
}

/** True when the password fits the hash. Unknown or damaged hashes never fit. */
export function verifyPassword(plain: string, hash: string): Promise<boolean> {
  return inTurn(async () => {
    try {
      if (hash.startsWith('$argon2')) return await argon2Verify(hash, plain)
      // Older bcrypt writers truncated at 72 bytes; the original refuses, and so do we.
      if (Buffer.byteLength(plain) > MAX_PASSWORD_BYTES) return false
      // `$2y$` is PHP's name for what everybody else calls `$2b$`.
      if (isBcrypt(hash)) return await bcryptVerify(plain, hash.replace(/^\$2y/, '$2b'))
      return false
    } catch {
      return false
    }
  })
}

/** True for hashes that a successful login should replace. */
export function needsRehash(hash: string): boolean {
  return !hash.startsWith(`$argon2id$v=19$m=${ARGON2.memoryCost},t=${ARGON2.timeCost},`)
}

export function isBcrypt(text: string): boolean {
  return /^\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}$/.test(text)
}

/** True for text that is a hash rather than a password someone typed. */
export function isHash(text: string): boolean {
  return isBcrypt(text) || /^\$argon2id?\$v=\d+\$m=\d+,t=\d+,p=\d+\$[^$]+\$[^$]+$/.test(text)
}

// Equal time for unknown names: whoever is not found is verified against one of these, of the kind
// that most users have. Both were made from random bytes that nobody kept.
const DUMMY_ARGON2 =
  '$argon2id$v=19$m=19456,t=2,p=1$7mYF6CIMFpW4sOCDx2MvVQ$U7mEdHwbbI5H2MKGWwbRbFdXV7YyHn8Y/0xTzA5YYpk'
const DUMMY_BCRYPT = '$2a$10$7EqJtq98hPqEX7fNZaFWoOhi5q0Ue5ZTmYzZ9fK1kqGJd9rXy0m5W'

/** Spends the time of one verification and refuses. */
export async function verifyNobody(plain: string, hashes: Iterable<string>): Promise<false> {
  let bcrypt = 0
  let total = 0
  for (const hash of hashes) {
    total++
    if (isBcrypt(hash)) bcrypt++
  }
  await verifyPassword(plain, bcrypt * 2 > total ? DUMMY_BCRYPT : DUMMY_ARGON2)
  return false
}

const LIMIT = Math.max(1, availableParallelism() - 1)
const inTurn = createGate(LIMIT, MAX_QUEUE)
