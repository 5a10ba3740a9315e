// Failures as clients of WebDAV know them: statuses of RFC 4918, a condition where there is one, and a sentence.
import type { ErrorCode } from '../../api-types.ts'
import { writeError } from '../../dav/multistatus.ts'
import { answer } from '../../http/answer.ts'
import type { AppError } from '../../lib/errors.ts'

/** Where the page is answered otherwise. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  download_forbidden: 403,
  not_a_folder: 409,
  is_a_folder: 405,
  exists: 405,
  same_place: 403,
  invalid_name: 403,
  unsupported: 403,
  locked: 423,
  too_large: 413,
  incomplete: 409,
}

const CONDITIONS: Partial<Record<ErrorCode, string>> = {
  no_space: 'sufficient-disk-space',
  quota_exceeded: 'quota-not-exceeded',
}

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'Sign in with your user name and an app password of your profile.',
  forbidden: 'You are not allowed to do that here.',
  download_forbidden: 'You are not allowed to download this.',
  not_found: 'There is nothing of this name.',
  not_mounted: 'The disk of this folder is not mounted.',
  method_not_allowed: 'This cannot be done here.',
  exists: 'There is something of this name already.',
  is_a_folder: 'There is a folder of this name.',
  not_a_folder: 'A file is in the way.',
  precondition_failed: 'It is not as you expect it to be.',
  invalid_name: 'The disk does not take this name.',
  no_space: 'The disk is full.',
  quota_exceeded: 'The folder may hold no more.',
  too_many_requests: 'Too many failures: wait a while.',
  locked: 'It is in use.',
  unreachable: 'The disk does not answer.',
  command_failed: 'A command of this server has refused it.',
}

/** The answer to a failure. */
export function sendError(error: AppError, condition: string | null = null): Response {
  const { code } = error
  const status = error.expose ? error.status : (STATUS[code] ?? error.status)
  const sentence = error.expose ? error.message : (SENTENCES[code] ?? 'It did not work.')
  const about = condition ?? CONDITIONS[code] ?? null
  return answer(
    writeError(about, sentence),
    {
      ...error.headers,
      'Content-Type': 'application/xml; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      'X-Error-Code': code,
    },
    status,
  )
}
