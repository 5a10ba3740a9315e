// Failures in words: what failed and what to do, by the server's code, never a bare status line.

import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { ErrorCode } from '../../src/api-types.ts'
import { ApiError } from './client.ts'

const byCode = {
  bad_request: msg`The server could not understand this request.`,
  invalid_password: msg`The current password is wrong.`,
  invalid_code: msg`This code is wrong or has been used. Wait for the next one.`,
  invalid_passkey: msg`This passkey was not accepted.`,
  weak_password: msg`This password is too easy to guess. Choose a longer or less common one.`,
  directory_password: msg`This account comes from a directory: change its password there.`,
  unauthenticated: msg`You are not logged in.`,
  second_factor_required: msg`You are not logged in.`,
  wrong_credentials: msg`The username or the password is wrong.`,
  forbidden: msg`You don’t have permission to do this.`,
  last_admin: msg`This is the last administrator. Make someone else an administrator first.`,
  token_not_allowed: msg`You don’t have permission to do this.`,
  download_forbidden: msg`You don’t have permission to download.`,
  not_found: msg`This no longer exists. It may have been moved, renamed or deleted.`,
  method_not_allowed: msg`The server cannot do this.`,
  exists: msg`Something with this name already exists.`,
  conflict: msg`This is in conflict with what is there already.`,
  precondition_failed: msg`The file has changed since you opened it.`,
  too_large: msg`This is larger than the server accepts.`,
  range_not_satisfiable: msg`The server could not understand this request.`,
  unsupported: msg`This kind of file is not supported here.`,
  encrypted: msg`It is protected by a password.`,
  locked: msg`Someone else is working on this at the moment. Try again shortly.`,
  too_many_requests: msg`Too many attempts. Wait a moment, then try again.`,
  too_many_shares: msg`You have too many shared links. Delete some of them first.`,
  not_a_folder: msg`There is a file where a folder is needed.`,
  is_a_folder: msg`There is a folder where a file is needed.`,
  invalid_name: msg`The server cannot use this name.`,
  not_mounted: msg`The disk with this folder is not connected.`,
  same_place: msg`It cannot be copied or moved to where it is.`,
  incomplete: msg`Not everything could be copied or moved.`,
  damaged: msg`The file is damaged or in a format that can’t be read here.`,
  command_failed: msg`A command that the server runs for this failed.`,
  sign_in_unavailable: msg`Logging in is not possible at the moment. Ask your administrator.`,
  disk_failed: msg`The server’s disk reports a failure.`,
  internal: msg`Something went wrong on the server.`,
  not_implemented: msg`The server cannot do this.`,
  no_space: msg`There is not enough space left on the server.`,
  quota_exceeded: msg`This does not fit within the limit of the folder. Delete something in it, or ask your administrator for more.`,
  unreachable: msg`The disk does not answer. Try again later.`,
} satisfies Record<ErrorCode, MessageDescriptor>

const notAnswering = msg`The service that checks passwords does not answer. Try again later.`
const offline = msg`No connection to the server.`
const unknown = msg`Something went wrong.`

const byStatus: Record<number, ErrorCode> = {
  400: 'bad_request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'too_large',
  415: 'unsupported',
  423: 'locked',
  429: 'too_many_requests',
  500: 'internal',
  501: 'not_implemented',
  507: 'no_space',
}

/** One or two plain sentences for a thrown value, in the active language. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return i18n._(unknown)
  if (error.isNetwork) return i18n._(offline)
  if (error.code === 'sign_in_unavailable' && error.status === 503) return i18n._(notAnswering)
  const code = error.code !== null && error.code in byCode ? error.code : byStatus[error.status]
  return i18n._(code === undefined ? unknown : byCode[code])
}
