// The address of a PostgreSQL database, as --database takes it.
import { userInfo } from 'node:os'
import { badRequest } from '../../lib/errors.ts'

/**
 * How a connection is encrypted, by the names of libpq: `require` checks nothing, `verify-ca` the
 * certificate, `verify-full` its name as well.
 */
export type SslMode = 'disable' | 'require' | 'verify-ca' | 'verify-full'

export interface Address {
  /** A name, an address, or the folder of a socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly sslMode: SslMode
  /** A file of certificates that are trusted instead of the usual ones; empty for none. */
  readonly caFile: string
  /** For people and logs. */
  readonly text: string
}

const SSL_MODES: readonly string[] = ['disable', 'require', 'verify-ca', 'verify-full']
const PARAMETERS = ['sslmode', 'sslrootcert', 'host']
const DEFAULT_PORT = 5432

/** True where --database names a server and no file. */
export function isPostgresAddress(database: string): boolean {
  return /^postgres(ql)?:/i.test(database)
}

/** An address as it may be shown: a password in it is left out, whatever else is wrong with it. */
export function withoutPassword(database: string): string {
  return database.replace(/^([a-z]+:\/\/[^/?#]*?):[^/?#]*@/i, '$1:***@')
}

/**
 * Reads `postgres://user@host:5432/name?sslmode=verify-full`. A server on this machine is asked in
 * clear unless the address says otherwise, any other one encrypted and checked. Throws AppError `bad_request`.
 */
export function parseAddress(database: string): Address {
  const shown = withoutPassword(database)
  const wrong = (what: string) => badRequest(`the database address ${shown} ${what}`)
  let url: URL
  try {
    url = new URL(database)
  } catch {
    throw wrong('cannot be read; write it as postgres://user@host:5432/name')
  }
  if (url.password !== '') {
    throw wrong(
      'holds a password, which others could read; give it by PGPASSWORD, PGPASSFILE or FB_DATABASE_PASSWORD_FILE',
    )
  }
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.includes(name))
      throw wrong(`has the parameter ${name}; there are ${PARAMETERS.join(', ')}`)
  const decode = (text: string) => {
    try {
      return decodeURIComponent(text)
    } catch {
      throw wrong('has a % that begins no code of two hexadecimal digits')
    }
  }
  const name = decode(url.pathname.slice(1))
  if (name === '' || name.includes('/')) throw wrong('must end with the name of one database')
  const host =
    url.searchParams.get('host') ??
    (decode(url.hostname).replace(/^\[(.*)\]$/, '$1') || 'localhost')
  const sslMode = url.searchParams.get('sslmode') ?? (isHere(host) ? 'disable' : 'verify-full')
  if (!isSslMode(sslMode)) throw wrong(`has sslmode=${sslMode}; it may be ${SSL_MODES.join(', ')}`)
  if (sslMode !== 'disable' && host.startsWith('/'))
    throw wrong('names a socket, which is never encrypted; use sslmode=disable')
  return {
    host,
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    user: decode(url.username) || userInfo().username,
    database: name,
    sslMode,
    caFile: url.searchParams.get('sslrootcert') ?? '',
    text: shown,
  }
}

function isSslMode(text: string): text is SslMode {
  return SSL_MODES.includes(text)
}

function isHere(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host) || host.startsWith('/')
}
