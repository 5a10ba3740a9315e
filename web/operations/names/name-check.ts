// What is wrong with a name someone is typing, in words, while they type.

import { t } from '@lingui/core/macro'
import { ApiError } from '../../api/client.ts'
import { messageOf } from '../../api/error-text.ts'
import { nameProblem, shownName } from '../../lib/paths.ts'
import { cachedFolder } from '../../state/folder-cache.ts'
import { shownFolder } from '../../state/listing.ts'

/** Names in a folder as far as they are known here; the server has the last word. */
export function namesIn(folder: string): ReadonlySet<string> {
  const shown = shownFolder().folder
  const known = shown?.vpath === folder ? shown : cachedFolder(folder)
  return new Set(known?.entries.map((entry) => entry.name))
}

/** Null when the name can be used; the empty name is for the caller to disable its button with. */
export function describeNameProblem(name: string): string | null {
  switch (nameProblem(name)) {
    case 'slash':
      return t`A name can’t contain a slash.`
    case 'dots':
      return t`This name is reserved.`
    case 'long':
      return t`This name is too long.`
    case 'nul':
      return t`This name contains a character that isn’t allowed.`
    default:
      return null
  }
}

export function describeClash(name: string): string {
  const shown = shownName(name)
  return t`“${shown}” already exists here.`
}

export function describeRefusal(error: unknown, name: string): string {
  if (error instanceof ApiError && error.status === 409) return describeClash(name)
  return messageOf(error)
}
