// Checks that the database's folder can be written, and advises the operator when it cannot.
import { accessSync, constants } from 'node:fs'
import { access, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError, errnoOf } from '../lib/errors.ts'
import { MOUNT_LIST, mountsOf } from '../lib/mount-points.ts'

/** The user a process runs as. */
interface ProcessUser {
  uid: number
  gid: number
}

/**
 * Throws AppError `forbidden` unless the folder of `file` can be written and `file` be read. `named` is what
 * the operator calls it: the old database, when `file` is ours beside it.
 */
export async function requireWritable(file: string, named = file): Promise<void> {
  try {
    accessSync(dirname(file), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw await cannotWrite(named, error)
  }
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw await cannotRead(file, error)
  }
}

/** The failure to read `file`, with what its operator can do about it. */
export async function cannotRead(file: string, cause: unknown): Promise<AppError> {
  const me = ownIdentity()
  const message = `cannot read ${file} as ${who(me)}: ${errnoOf(cause)}`
  const advice = me && errnoOf(cause) === 'EACCES' ? await ownerAdvice(file, me) : ''
  return new AppError('forbidden', message + advice, { cause })
}

/** Who may read the file, who needs its folder; empty where that cannot be found out. */
export async function ownerAdvice(file: string, me: ProcessUser): Promise<string> {
  const info = await stat(file).catch(() => null)
  if (!info) return ''
  const facts =
    `. It belongs to uid ${info.uid} gid ${info.gid}: run this as that user, or let uid ${me.uid} ` +
    `have it: chown ${me.uid}:${me.gid} ${file}`
  const writable = await access(dirname(file), constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  return writable ? facts : `${facts}. Then the folder: ${await folderAdvice(file, me)}`
}

/** The failure to make or write the folder of `file`, with what its operator can do about it. */
export async function cannotWrite(file: string, cause: unknown): Promise<AppError> {
  const me = ownIdentity()
  const errno = errnoOf(cause)
  const message = `the database folder ${dirname(file)} cannot be written by ${who(me)}: ${errno}`
  const mayHelp = me && (errno === 'EACCES' || errno === 'EPERM')
  const advice = mayHelp ? `. ${await folderAdvice(file, me)}` : ''
  return new AppError('forbidden', message + advice, { cause })
}

function ownIdentity(): ProcessUser | null {
  const { getuid, getgid } = process
  return getuid && getgid ? { uid: getuid(), gid: getgid() } : null
}

function who(me: ProcessUser | null): string {
  return me ? `uid ${me.uid} gid ${me.gid}` : 'this user'
}

/**
 * Says which user must be able to write which folder, and a command that gives it exactly that. A
 * folder that holds anything but this database (`/etc`, a home) is never to be handed over: then
 * the advice is a folder of its own.
 */
export async function folderAdvice(file: string, { uid, gid }: ProcessUser): Promise<string> {
  const folder = dirname(file)
  const owned = `chown ${uid}:${gid}`
  const info = await stat(folder).catch(() => null)
  if (!info)
    return `uid ${uid} must be able to write ${folder}; run: mkdir -p ${folder} && ${owned} ${folder}`
  const facts = `${folder} belongs to uid ${info.uid} gid ${info.gid}, and uid ${uid} must be able to write it`
  if (await holdsOnly(file)) return `${facts}; run: ${owned} ${folder}`
  const own = join(folder, 'filebrowser')
  const moved = join(own, basename(file))
  // The database has to move along: a start in an empty folder would make a new administrator.
  const there = await stat(file).catch(() => null)
  const copied = there
    ? `cp -p ${file}* ${own}/ && chown -R ${uid}:${gid} ${own}`
    : `${owned} ${own}`
  return (
    `${facts}. Other things are in there, so better give the database a folder of its own; ` +
    `run: mkdir -p ${own} && ${copied}, and start with -d ${moved}`
  )
}

// The database, its backup, lock and temporary files all carry its name.
async function holdsOnly(file: string): Promise<boolean> {
  const name = basename(file)
  const entries = await readdir(dirname(file)).catch(() => null)
  return (
    entries?.every(
      (entry) => entry.startsWith(name) || entry.startsWith(`.${name}.`) || entry === 'lost+found',
    ) ?? false
  )
}

/**
 * True when a file is a mount of its own, as with `docker run -v old.db:/database/filebrowser.db`:
 * what is written beside it then lies in the container alone. False where nobody can tell.
 */
export async function isMountOfItsOwn(file: string): Promise<boolean> {
  const list = await readFile(MOUNT_LIST).catch(() => null)
  return list !== null && mountsOf(list).has(await realpath(file))
}
