// Home folders: the scope of a new account from its name (http-api 4.7). Text only.
import { AppError } from '../errors.ts'
import { ROOT, vpathOf } from '../files/vpath.ts'
import type { Settings } from '../store/document.ts'

/**
 * The normalised scope of an account that an administrator makes. With `createUserDir` and nothing
 * given it is a home; throws `internal` when nothing is left of the name.
 */
export function deriveScope(settings: Settings, username: string, given: string): string {
  const wanted = given.trim()
  return wanted === '' && settings.createUserDir ? homeOf(settings, username) : vpathOf(wanted)
}

/** True for the default scope that gives accounts which make themselves the whole tree. */
export function isWholeTree(scope: string): boolean {
  return scope.trim() === '/'
}

/** True for a default scope that nobody chose: it comes to the whole tree without saying so. */
export function isUnchosen(scope: string): boolean {
  return vpathOf(scope.trim()) === ROOT && !isWholeTree(scope)
}

/** The home below the home base under the cleaned name. Throws `internal` when none is left. */
export function homeOf(settings: Settings, username: string): string {
  return vpathOf(settings.userHomeBasePath, cleanName(username))
}

/** `alice w..x/y` becomes `alice-wx-y`. */
function cleanName(username: string): string {
  const name = username
    .trim()
    .replaceAll('..', '')
    .replace(/[^0-9A-Za-z@_\-.]/g, '-')
    .replace(/-+/g, '-')
  if (name === '' || name === '-' || name === '.')
    throw new AppError('invalid_name', 'no folder name can be made of this user name')
  return name
}
