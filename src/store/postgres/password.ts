// The password of a PostgreSQL account: from the environment, or from files as libpq reads them.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, errnoOf } from '../../lib/errors.ts'
import type { Address } from './address.ts'

/** Permission bits: who is not the owner may read or write. */
const OTHERS = 0o077

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Finds the password: the file that FB_DATABASE_PASSWORD_FILE names, PGPASSWORD, then the password file
 * of libpq (PGPASSFILE, else `.pgpass` in the home folder). Undefined when there is none. Throws AppError `bad_request`
 * for a file that is named and cannot be read, or which others can read.
 */
export async function findPassword(
  address: Address,
  env: Environment,
): Promise<string | undefined> {
  const file = env.FB_DATABASE_PASSWORD_FILE
  if (file) return (await readNamed(file, 'FB_DATABASE_PASSWORD_FILE')).replace(/\r?\n$/, '')
  if (env.PGPASSWORD) return env.PGPASSWORD
  const passFile = env.PGPASSFILE || (env.HOME ? join(env.HOME, '.pgpass') : '')
  if (passFile === '') return undefined
  const found = await stat(passFile).catch(() => null)
  const isOpen = found !== null && (found.mode & OTHERS) !== 0
  // Nobody has named the usual one.
  if (!env.PGPASSFILE && (!found || isOpen)) return undefined
  if (isOpen)
    throw new AppError('bad_request', `others may read ${passFile}; give it the mode 0600`)
  return passwordIn(await readNamed(passFile, 'PGPASSFILE'), address)
}

async function readNamed(file: string, source: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new AppError('bad_request', `${source}: ${file} cannot be read (${errnoOf(error)})`, {
      cause: error,
    })
  }
}

/**
 * The password in the first line of a password file that fits: `host:port:database:user:password`, with `*`
 * for anything and a backslash before `:` and `\` (PostgreSQL documentation, "The Password File").
 */
export function passwordIn(text: string, address: Address): string | undefined {
  const { port, database, user } = address
  const host = address.host.startsWith('/') ? 'localhost' : address.host
  const wanted = [host, String(port), database, user]
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = fieldsOf(line)
    if (fields.length < 5) continue
    if (wanted.every((one, at) => fields[at] === '*' || fields[at] === one)) return fields[4]
  }
  return undefined
}

function fieldsOf(line: string): string[] {
  return [...line.matchAll(/((?:\\.|[^\\:])*)(?::|$)/g)].map((match) =>
    (match[1] ?? '').replace(/\\(.)/g, '$1'),
  )
}
