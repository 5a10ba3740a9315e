// Home folders: the scope of a new account from its name (docs/http-api.md 4.7), and what is wrong with one.

import { createScope, type ScopeOptions } from '../files/place/scope.ts'
import { AppError } from '../lib/errors.ts'
import { parentOf, ROOT, type VPath, vpathOf } from '../lib/vpath.ts'
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

export interface HomeOptions {
  /** Whatever is there already is somebody else's: `exists`. */
  mustBeNew?: boolean
}

/** The served folder as a whole, without rules. */
type Served = Pick<
  ScopeOptions,
  'volume' | 'root' | 'followExternalSymlinks' | 'fileMode' | 'dirMode'
>

/**
 * Makes the folder of a scope; gives the host paths of the folders that were missing, outermost first.
 * What an operator can do about a refusal stands in its text.
 */
export async function makeHome(
  served: Served,
  scope: string,
  { mustBeNew = false }: HomeOptions = {},
): Promise<string[]> {
  const tree = createScope({ ...served, may: () => true })
  const home = vpathOf(scope)
  try {
    const missing: VPath[] = []
    for (let at = home; at !== ROOT && !(await tree.exists(at)); at = parentOf(at))
      missing.unshift(at)
    await (mustBeNew ? tree.makeNewFolder(home) : tree.makeFolder(home))
    return await Promise.all(missing.map((folder) => tree.hostPath(folder)))
  } catch (error) {
    const message = error instanceof AppError ? adviceOn(error.code, scope) : undefined
    if (message === undefined) throw error
    throw new AppError((error as AppError).code, message, { expose: true })
  }
}

function adviceOn(code: AppError['code'], scope: string): string | undefined {
  if (code === 'forbidden')
    return (
      `the scope ${scope} may not be written, or leads out of the served folder by a link, ` +
      'which followExternalSymlinks allows'
    )
  if (code === 'exists')
    return (
      `the folder ${scope} exists already and is not handed to an account that makes itself: ` +
      'move it away, or make the account for it'
    )
  return undefined
}
