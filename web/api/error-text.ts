// Failures in words: what failed and what to do, by the server's code, never a bare status line.

import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import type { ErrorCode } from '../../src/api-types.ts'
import type { HeldLock } from '../../src/lock-types.ts'
import { formatMoment } from '../lib/format.ts'
import { ApiError } from './client.ts'

const byCode = {
  bad_request: msg`The server couldn’t understand this request.`,
  invalid_password: msg`Incorrect current password.`,
  invalid_code: msg`This code is wrong or already used. Wait for the next one.`,
  invalid_passkey: msg`This passkey wasn’t accepted.`,
  weak_password: msg`This password is too easy to guess. Choose a longer or less common one.`,
  directory_password: msg`This account is managed by a directory. Change its password there.`,
  unauthenticated: msg`You’re not signed in.`,
  second_factor_required: msg`You’re not signed in.`,
  wrong_credentials: msg`Incorrect username or password.`,
  forbidden: msg`You don’t have permission to do this.`,
  last_admin: msg`This is the last administrator. Make someone else an administrator first.`,
  token_not_allowed: msg`You don’t have permission to do this.`,
  download_forbidden: msg`You don’t have permission to download.`,
  not_found: msg`This item no longer exists. It may have been moved, renamed or deleted.`,
  method_not_allowed: msg`The server doesn’t support this.`,
  exists: msg`An item with this name already exists.`,
  conflict: msg`This conflicts with an existing file or folder.`,
  precondition_failed: msg`The file has changed since you opened it.`,
  too_large: msg`This is too large for the server.`,
  range_not_satisfiable: msg`The server couldn’t understand this request.`,
  unsupported: msg`This kind of file isn’t supported.`,
  encrypted: msg`This item is protected by a password.`,
  locked: msg`This item is in use. Try again in a moment.`,
  too_many_requests: msg`Too many attempts. Wait a moment, then try again.`,
  too_many_shares: msg`You have too many shared links. Delete some first.`,
  not_a_folder: msg`A folder is needed here, but this is a file.`,
  is_a_folder: msg`A file is needed here, but this is a folder.`,
  invalid_name: msg`The server can’t use this name.`,
  not_mounted: msg`The disk with this folder is not connected.`,
  same_place: msg`An item can’t be copied or moved to where it already is.`,
  incomplete: msg`Some items couldn’t be copied or moved.`,
  damaged: msg`The file is damaged or its format isn’t supported.`,
  command_failed: msg`A command that the server runs for this has failed.`,
  sign_in_unavailable: msg`Signing in isn’t possible at the moment. Ask your administrator.`,
  disk_failed: msg`The server’s disk reported an error.`,
  internal: msg`Something went wrong on the server.`,
  not_implemented: msg`The server doesn’t support this.`,
  no_space: msg`There isn’t enough space left on the server.`,
  quota_exceeded: msg`This would exceed the folder’s limit. Delete something in it, or ask your administrator for more.`,
  unreachable: msg`The disk isn’t responding. Try again later.`,
  fetch_failed: msg`The file couldn’t be fetched from this address.`,
  records_unavailable: msg`The server can’t reach its database. Try again later.`,
} satisfies Record<ErrorCode, MessageDescriptor>

const notAnswering = msg`The service that checks passwords isn’t responding. Try again later.`
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

/** That something is locked by another program: whose, and until when. */
export function lockText({ user, until }: HeldLock): string {
  const time = formatMoment(until)
  return user === null
    ? t`This item is locked until ${time}.`
    : t`This item is locked by ${user} until ${time}.`
}

/** One or two plain sentences for a thrown value, in the active language. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return i18n._(unknown)
  if (error.isNetwork) return i18n._(offline)
  if (error.lock !== undefined) return lockText(error.lock)
  if (error.code === 'sign_in_unavailable' && error.status === 503) return i18n._(notAnswering)
  const code = error.code !== null && error.code in byCode ? error.code : byStatus[error.status]
  return i18n._(code === undefined ? unknown : byCode[code])
}
