// Which new passwords are accepted (docs/http-api.md 4.5). Lengths are in bytes, messages are the wire's.
import { badRequest } from '../lib/errors.ts'
import { readCommonPasswords } from './common-passwords.ts'
import { isGuessable } from './guessable.ts'
import { MAX_PASSWORD_BYTES } from './hash.ts'

/** Throws AppError `weak_password` with the text clients know. */
export async function checkPassword(plain: string, minimumLength: number): Promise<void> {
  const sizeBytes = Buffer.byteLength(plain)
  if (sizeBytes < minimumLength)
    throw badRequest(`password is too short, minimum length is ${minimumLength}`, 'weak_password')
  // Before the search, which takes longer the longer the text is.
  if (sizeBytes > MAX_PASSWORD_BYTES)
    throw badRequest('bcrypt: password length exceeds 72 bytes', 'weak_password')
  if (isGuessable(plain, await readCommonPasswords()))
    throw badRequest('password is too easy', 'weak_password')
}
