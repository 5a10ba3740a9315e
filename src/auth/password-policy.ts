// Which new passwords are accepted (http-api 4.5). Lengths are in bytes, messages are the wire's.
import { badRequest } from '../errors.ts'
import { MAX_PASSWORD_BYTES } from './hash.ts'

/** Throws AppError `weak_password` with the text clients know. */
export async function checkPassword(plain: string, minimumLength: number): Promise<void> {
  const sizeBytes = Buffer.byteLength(plain)
  if (sizeBytes < minimumLength)
    throw badRequest(`password is too short, minimum length is ${minimumLength}`, 'weak_password')
  // Before the search, which takes longer the longer the text is.
  if (sizeBytes > MAX_PASSWORD_BYTES)
    throw badRequest('bcrypt: password length exceeds 72 bytes', 'weak_password')
  if (await isCommon(plain)) throw badRequest('password is too easy', 'weak_password')
}

let common: Promise<Set<string>> | undefined

/** True for one of about 49,000 passwords seen most often in leaks, in any case. */
async function isCommon(plain: string): Promise<boolean> {
  // Unpacked on first use: it costs some megabytes that most runs never need.
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'] as string[]),
  )
  const list = await common
  const folded = plain.toLowerCase()
  return list.has(plain) || list.has(folded) || list.has(repeatedUnit(folded))
}

// `passwordpassword` is as guessable as `password`: the shortest unit that makes up the text.
function repeatedUnit(text: string): string {
  const at = (text + text).indexOf(text, 1)
  return text.slice(0, at)
}
