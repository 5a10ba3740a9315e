// Native parts of the packaged executable. The loader of the system wants real files, so they are
// unpacked to a private folder at first use. Runs before anything else of the server is loaded.
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, sep } from 'node:path'

/** One native file of the executable, listed in `native.json` by the packaging. */
export interface NativeFile {
  /** Below node_modules, with forward slashes. */
  path: string
  sizeBytes: number
  sha256: string
}

interface NativeCacheOptions {
  files: NativeFile[]
  /** The node_modules folder inside the executable. */
  modules: string
  /** Folders to try, best first; each becomes the parent of a folder named by content. */
  candidates: string[]
}

type Dlopen = (module: { exports: unknown }, filename: string, flags?: number) => void

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

/**
 * Wraps `process.dlopen` so that native files inside the executable are loaded from an unpacked
 * copy. Folders are named by content: two versions run side by side, a started one never changes.
 * The result tells why the last file could not be loaded, for the operator; empty when all could.
 */
export function setUpNativeCache({ files, modules, candidates }: NativeCacheOptions): () => string {
  let lastFailure = ''
  const original = process.dlopen as Dlopen
  const version = createHash('sha256')
    .update(files.map((file) => file.sha256).join('\n'))
    .digest('hex')
    .slice(0, 16)
  const folders = candidates.map((candidate) => join(candidate, `native-${version}`))

  const dlopen: Dlopen = (module, filename, flags) => {
    const inside = insideOf(filename, modules)
    if (inside === null) return load(original, module, filename, flags)
    const failures: string[] = []
    for (const folder of [...folders]) {
      try {
        unpackWith(inside, files, modules, folder)
        return load(original, module, join(folder, ...inside.split('/')), flags)
      } catch (error) {
        // Not writable, not ours, full, or mounted without execute permission: try the next place.
        failures.push(`${folder}: ${(error as Error).message}`)
        folders.splice(folders.indexOf(folder), 1)
      }
    }
    lastFailure =
      `cannot load ${inside}; set FILEBROWSER_NATIVE_DIR to a writable folder that allows ` +
      `programs to run.\n${failures.join('\n')}`
    throw new Error(lastFailure)
  }
  process.dlopen = dlopen as typeof process.dlopen
  return () => lastFailure
}

function load(original: Dlopen, module: { exports: unknown }, file: string, flags?: number): void {
  if (flags === undefined) original.call(process, module, file)
  else original.call(process, module, file, flags)
}

/** Path below `modules` with forward slashes, or null for a file on disk. */
function insideOf(filename: string, modules: string): string | null {
  const plain = filename.replace(/^\\\\\?\\/, '')
  // Windows knows the inside of the executable under two drive letters.
  const comparable = (path: string): string => path.replace(/^[A-Za-z]:/, '').replaceAll(sep, '/')
  const prefix = `${comparable(modules)}/`
  const text = comparable(plain)
  return text.startsWith(prefix) ? text.slice(prefix.length) : null
}

/** Unpacks the file and what lies beside it in its package or scope: libraries it links to. */
function unpackWith(inside: string, files: NativeFile[], modules: string, folder: string): void {
  const group = `${inside.split('/')[0]}/`
  makePrivate(folder)
  for (const file of files) {
    if (file.path.startsWith(group)) unpack(file, modules, folder)
  }
}

function unpack(file: NativeFile, modules: string, folder: string): void {
  const target = join(folder, ...file.path.split('/'))
  const stats = fs.lstatSync(target, { throwIfNoEntry: false })
  // The folder is ours alone and files appear in it by rename: right size means right content.
  if (stats?.isFile() && stats.size === file.sizeBytes) return
  const bytes = fs.readFileSync(join(modules, ...file.path.split('/')))
  fs.mkdirSync(join(target, '..'), { recursive: true, mode: OWNER_ONLY })
  const temporary = `${target}.${process.pid}.tmp`
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
