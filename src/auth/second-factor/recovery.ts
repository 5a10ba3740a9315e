// Recovery codes: ten for whoever has lost the app, each good once. With 80 random bits a plain SHA-256 of one is
// enough to keep: nothing about it can be guessed.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const CODES = 10
const CODE_BYTES = 10
/** Crockford's base32: no I, L, O and U, so that nothing is read as something else. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Ten new codes, as they are shown: four groups of four. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => {
    let bits = BigInt(`0x${randomBytes(CODE_BYTES).toString('hex')}`)
    let code = ''
    for (let i = 0; i < (CODE_BYTES * 8) / 5; i++) {
      code = LETTERS.charAt(Number(bits & 31n)) + code
      bits >>= 5n
    }
    return code.replace(/(.{4})(?=.)/g, '$1-')
  })
}

/** What is kept of a code, however it was typed. */
export function hashOfRecoveryCode(code: string): string {
  const read = code
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replace(/[IL]/g, '1')
    .replaceAll('O', '0')
  return hash('sha256', read, 'base64url')
}

/** Which of the hashes is that of a code; all are compared, so that time tells nothing. -1 for none. */
export function findRecoveryCode(hashes: readonly string[], code: string): number {
  const wanted = Buffer.from(hashOfRecoveryCode(code))
  let found = -1
  for (const [i, kept] of hashes.entries()) {
    const bytes = Buffer.from(kept)
    if (bytes.length === wanted.length && timingSafeEqual(bytes, wanted)) found = i
  }
  return found
}
