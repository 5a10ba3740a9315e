// Packages with compiled parts inside of the executable. The loader of the system wants real files, so each
// package is unpacked to a private folder at first use, with all that it needs.
import { createHash, randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/** One file of a package, as `scripts/package/stage.ts` lists it. */
export interface PackedFile {
  /** Below node_modules, with forward slashes. */
  path: string
  sizeBytes: number
  sha256: string
}

/** Written by the packaging as `packages.json`. */
export interface PackedPackages {
  files: PackedFile[]
  /** What the server asks for, to the folders below node_modules of it and of what it needs. */
  folders: Record<string, string[]>
}

interface Options {
  /** Read at the first use of a package. */
  packed: () => PackedPackages
  /** The bytes of a file below node_modules. */
  read: (path: string) => Buffer
  /** Folders to try, best first; each becomes the parent of a folder named by content. */
  candidates: string[]
}

/** A package was there and could not be loaded from any place; the message tells the operator why. */
export class UnpackError extends Error {}

const OWNER_ONLY = 0o700
const FORBIDDEN_BITS = 0o022

/**
 * Places to unpack to: `FILEBROWSER_NATIVE_DIR` alone when set, else the user's cache folder, the
 * runtime folder, the temporary folder. A user without a home and a read-only root are normal.
 */
export function nativeCandidates(env: Readonly<Record<string, string | undefined>>): string[] {
  if (env.FILEBROWSER_NATIVE_DIR) return [env.FILEBROWSER_NATIVE_DIR]
  const user = process.getuid?.() ?? 'user'
  const home = tolerant(homedir)
  return [
    env.XDG_CACHE_HOME ? join(env.XDG_CACHE_HOME, 'filebrowser') : '',
    process.platform === 'win32' && env.LOCALAPPDATA ? join(env.LOCALAPPDATA, 'filebrowser') : '',
    home && home !== '/' ? join(home, '.cache', 'filebrowser') : '',
    env.XDG_RUNTIME_DIR ? join(env.XDG_RUNTIME_DIR, 'filebrowser') : '',
    join(tmpdir(), `filebrowser-${user}`),
    process.platform === 'linux' ? `/dev/shm/filebrowser-${user}` : '',
  ].filter(Boolean)
}

/** `load` gives what a package exports, `resolve` the path of one of its files on the disk. */
export interface UnpackedPackages {
  load(name: string): unknown
  resolve(name: string): string
}

/**
 * Loads packages from unpacked copies. Folders are named by content: two versions run side by side, a
 * started one never changes. Both functions throw `MODULE_NOT_FOUND` for a package that did not travel,
 * and UnpackError.
 */
export function unpackedPackages({ packed, read, candidates }: Options): UnpackedPackages {
  let places: { all: PackedPackages; folders: string[] } | undefined
  const open = () => {
    const all = packed()
    const version = createHash('sha256')
      .update(all.files.map(({ sha256 }) => sha256).join('\n'))
      .digest('hex')
      .slice(0, 16)
    return { all, folders: candidates.map((candidate) => join(candidate, `native-${version}`)) }
  }

  const use = <T>(name: string, act: (require: NodeJS.Require) => T): T => {
    places ??= open()
    const { all, folders } = places
    const needed = all.folders[packageOf(name)]
    if (!needed) throw notFound(name)
    const failures: string[] = []
    for (const folder of [...folders]) {
      try {
        const modules = join(folder, 'node_modules')
        makePrivate(folder)
        for (const file of all.files)
          if (needed.some((one) => file.path.startsWith(`${one}/`))) unpack(file, modules, read)
        return act(createRequire(join(modules, 'unpacked.cjs')))
      } catch (error) {
        // Not writable, not ours, full, or mounted without execute permission: try the next place.
        failures.push(`${folder}: ${(error as Error).message}`)
        folders.splice(folders.indexOf(folder), 1)
      }
    }
    throw new UnpackError(
      `cannot load ${name}; set FILEBROWSER_NATIVE_DIR to a writable folder that allows ` +
        `programs to run.\n${failures.join('\n')}`,
    )
  }
  return {
    load: (name) => use(name, (require) => require(name)),
    resolve: (name) => use(name, (require) => require.resolve(name)),
  }
}

/** `@a/b/c.js` belongs to `@a/b`. */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
}

function notFound(name: string): Error {
  return Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' })
}

function unpack(file: PackedFile, modules: string, read: Options['read']): void {
  const target = join(modules, ...file.path.split('/'))
  const stats = fs.lstatSync(target, { throwIfNoEntry: false })
  // The folder is ours alone and files appear in it by rename: right size means right content.
  if (stats?.isFile() && stats.size === file.sizeBytes) return
  const bytes = read(file.path)
  fs.mkdirSync(join(target, '..'), { recursive: true, mode: OWNER_ONLY })
  // Threads may unpack the same file at the same time, as other processes.
  const temporary = `${target}.${randomUUID()}.tmp`
  try {
    fs.writeFileSync(temporary, bytes, { mode: 0o500, flag: 'wx' })
    fs.renameSync(temporary, target)
  } finally {
    fs.rmSync(temporary, { force: true })
  }
}

/** Creates the folder and refuses one that somebody else could have prepared for us. */
function makePrivate(folder: string): void {
  const parent = join(folder, '..')
  fs.mkdirSync(parent, { recursive: true, mode: OWNER_ONLY })
  fs.mkdirSync(folder, { recursive: true, mode: OWNER_ONLY })
  for (const place of [parent, folder]) {
    const stats = fs.lstatSync(place)
    if (!stats.isDirectory()) throw new Error(`${place} is not a folder`)
    const uid = process.getuid?.()
    if (uid === undefined) continue
    if (stats.uid !== uid) throw new Error(`${place} belongs to somebody else`)
    if (stats.mode & FORBIDDEN_BITS) throw new Error(`${place} is writable for others`)
  }
}

function tolerant(fn: () => string): string {
  try {
    return fn()
  } catch {
    // No entry for this user id: a container with an arbitrary uid.
    return ''
  }
}
