// The folder of an account made on the command line.
import { lchown, mkdir, realpath } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { AppError, errnoOf } from '../errors.ts'
import { toVPath } from '../files/vpath.ts'
import type { Settings } from '../store/document.ts'
import { giveTo, ownerFor } from '../store/owner.ts'

/** The stored scope for a `--scope` value: cleaned and absolute, or a home of its own. */
export function scopeFor(scope: string, username: string, settings: Settings): string {
  const trimmed = scope.trim()
  if (trimmed !== '') return cleanPath(trimmed)
  if (!settings.createUserDir) return '/'
  return cleanPath(`${settings.userHomeBasePath}/${cleanName(username)}`)
}

function cleanPath(path: string): string {
  const vpath = toVPath(path)
  if (vpath === null) throw new AppError('bad_request', 'the scope must not contain NUL')
  return vpath
}

/** A user name as a folder name. Throws AppError when nothing usable is left. */
export function cleanName(username: string): string {
  const name = username
    .trim()
    .replaceAll('..', '')
    .replace(/[^0-9A-Za-z@_.-]/g, '-')
    .replace(/-+/g, '-')
  if (['', '-', '.'].includes(name)) {
    throw new AppError('bad_request', `no folder can be named after the user name "${username}"`)
  }
  return name
}

/**
 * Makes the folder of a scope below the served root; made by root it belongs to the owner of the folder it
 * lies in. Throws AppError when a link leads out.
 */
export async function makeScopeFolder(root: string, scope: string): Promise<void> {
  if (scope === '/') return
  const folder = resolve(root, `.${scope}`)
  try {
    await mkdir(root, { recursive: true })
    const realRoot = await realpath(root)
    const existing = await deepestExisting(folder)
    const way = relative(realRoot, existing)
    if (way === '..' || way.startsWith(`..${sep}`)) {
      throw new AppError('forbidden', `the scope ${scope} leads out of ${root}`)
    }
    const owner = await ownerFor(existing)
    const first = await mkdir(folder, { recursive: true })
    for (let made = folder; first && made.length >= first.length; made = dirname(made)) {
      const path = made
      await giveTo(owner, { chown: (uid, gid) => lchown(path, uid, gid) })
    }
  } catch (error) {
    if (errnoOf(error) === '' || error instanceof AppError) throw error
    throw new AppError('bad_request', `cannot make ${folder}: ${errnoOf(error)}`, { cause: error })
  }
}

async function deepestExisting(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    return deepestExisting(dirname(path))
  }
}
