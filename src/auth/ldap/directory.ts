// People in a directory (LDAP): found by a search, proved by a bind as the one entry found.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Client, Entry } from 'ldapts'
import type { LdapConfig } from '../../config/options-ldap.ts'
import { AppError } from '../../lib/errors.ts'
import { createGate } from '../../lib/gate.ts'
import { groupNamesOf } from './group-names.ts'

/** Somebody who has proved who they are. */
export interface Person {
  /** The directory's own id of the entry, which outlives every name. */
  subject: string
  username: string
  /** DNs and short names. */
  groups: readonly string[]
}

export interface Directory {
  /**
   * Whoever has this name and the password that `passwordFor` gives for their subject (null: none will do); null for
   * everybody else. Throws `sign_in_unavailable` when the directory does not say.
   */
  authenticate(
    username: string,
    passwordFor: (subject: string) => string | null | Promise<string>,
  ): Promise<Person | null>
  /** True for the password of the entry with this subject. Throws likewise. */
  verify(subject: string, password: string): Promise<boolean>
}

/** For each question to the directory, milliseconds. */
const OPERATION_MS = 10_000
/** Connections at a time, and who may wait for one. */
const MAX_CONNECTIONS = 8
const MAX_WAITING = 256
const MAX_WAIT_MS = 10_000
/** Groups that are found by a search; memberOf has no limit. */
const MAX_GROUPS = 1_000

/** OpenLDAP, Active Directory, 389 Directory Server, FreeIPA. */
const SUBJECTS = ['entryUUID', 'objectGUID', 'nsUniqueId', 'ipaUniqueID']

type Library = typeof import('ldapts')

/** Asks the directory when somebody signs in, and not before. */
export function createDirectory(
  config: LdapConfig,
  warn: (message: string) => void,
  operationMs = OPERATION_MS,
): Directory {
  const inTurn = createGate(MAX_CONNECTIONS, MAX_WAITING)
  const connected = <T>(work: (client: Client, ldap: Library) => Promise<T>): Promise<T> =>
    asUnavailable(() =>
      inTurn(() => withClient(config, operationMs, work), AbortSignal.timeout(MAX_WAIT_MS)),
    )
  return {
    authenticate: (username, passwordFor) =>
      connected(async (client, ldap) => {
        await bindService(client, config)
        const entry = await findEntry(client, config, filterFor(config, ldap, username), warn)
        const subject = entry && subjectOf(entry)
        const password = subject === null ? null : await passwordFor(subject)
        if (!(await proves(client, config, entry, password)) || !entry || !subject) return null
        return { subject, ...(await describe(client, ldap, config, entry)) }
      }),
    verify: (subject, password) =>
      connected(async (client, ldap) => {
        await bindService(client, config)
        const entry = await findEntry(client, config, filterForSubject(ldap, subject), warn)
        return proves(client, config, entry, password)
      }),
  }
}

async function asUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('sign_in_unavailable', 'the directory does not answer', {
      status: 503,
      expose: true,
      cause: error,
    })
  }
}

async function withClient<T>(
  config: LdapConfig,
  timeout: number,
  work: (client: Client, ldap: Library) => Promise<T>,
): Promise<T> {
  const [ldap, { CONNECT_MS, openConnection }] = await Promise.all([
    import('ldapts'),
    import('./connect.ts'),
  ])
  const socket = await openConnection(config)
  let isTaken = false
  const client = new ldap.Client({
    // Where the connection leads was decided above.
    url: 'ldap://directory',
    timeout,
    connectTimeout: CONNECT_MS,
    // One that is lost is not replaced: the next would neither be encrypted nor bound.
    createConnection: (() => {
      if (isTaken || socket.destroyed) throw new Error('the connection to the directory was lost')
      isTaken = true
      return socket
    }) as never,
  })
  try {
    return await work(client, ldap)
  } finally {
    client.unbind().catch(() => {})
    socket.destroySoon()
  }
}

async function bindService(client: Client, config: LdapConfig): Promise<void> {
  const name = config['ldap.bindDN']
  if (name === '') return
  const file = config['ldap.bindPasswordFile']
  const password =
    file === '' ? config['ldap.bindPassword'] : (await readFile(file, 'utf8')).replace(/\r?\n$/, '')
  // A bind without a password succeeds as nobody (RFC 4513, 5.1.2).
  if (password === '') throw new Error(`${file} is empty`)
  try {
    await client.bind(name, password)
  } catch (error) {
    throw new Error(`the directory refuses ldap.bindDN: ${(error as Error).message}`)
  }
}

function filterFor(config: LdapConfig, { Filter, FilterParser }: Library, username: string) {
  return FilterParser.parseString(
    config['ldap.filter'].replaceAll('{username}', () => Filter.escape(username)),
  )
}

function filterForSubject({ EqualityFilter, OrFilter }: Library, subject: string) {
  const filters = SUBJECTS.flatMap((attribute) => {
    if (attribute !== 'objectGUID') return [new EqualityFilter({ attribute, value: subject })]
    const isHex = /^[\da-f]{32}$/.test(subject)
    return isHex ? [new EqualityFilter({ attribute, value: Buffer.from(subject, 'hex') })] : []
  })
  return new OrFilter({ filters })
}

/** The one entry, or null for none. Several are nobody: whose password counts would be chance. */
async function findEntry(
  client: Client,
  config: LdapConfig,
  filter: ReturnType<typeof filterFor>,
  warn: (message: string) => void,
): Promise<Entry | null> {
  const { searchEntries } = await client.search(config['ldap.base'], {
    scope: 'sub',
    filter,
    attributes: [...SUBJECTS, ...config['ldap.nameAttribute'], config['ldap.groupAttribute']],
    explicitBufferAttributes: ['objectGUID'],
    sizeLimit: 2,
  })
  const [entry, other] = searchEntries
  if (entry && other) warn(`${entry.dn} and ${other.dn} have the same name: neither signs in`)
  return entry && !other ? entry : null
}

/** Answers of a bind that say no to who asks, rather than that there is no answer (RFC 4511, 4.1.9). */
const REFUSALS = new Set([16, 19, 32, 48, 49, 50, 53])

// Whoever cannot be meant costs a bind as well.
async function proves(
  client: Client,
  config: LdapConfig,
  entry: Entry | null,
  password: string | null,
): Promise<boolean> {
  const isMeant = entry?.dn.includes('=') === true && password !== null && password !== ''
  try {
    if (isMeant) await client.bind(entry.dn, password)
    else await client.bind(config['ldap.base'], randomBytes(18).toString('base64url'))
    return isMeant
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (typeof code === 'number' && (!isMeant || REFUSALS.has(code))) return false
    throw error
  }
}

async function describe(
  client: Client,
  ldap: Library,
  config: LdapConfig,
  entry: Entry,
): Promise<Pick<Person, 'username' | 'groups'>> {
  const names = config['ldap.nameAttribute'].flatMap((name) => textsOf(entry, name))
  const username = names[0]?.trim() ?? ''
  if (username === '')
    throw new Error(`${entry.dn} has no ${config['ldap.nameAttribute'].join(' and no ')}`)
  const listed = textsOf(entry, config['ldap.groupAttribute'])
  if (listed.length > 0) return { username, groups: groupNamesOf(listed) }
  // As the service again; without one the person reads, who has just been bound.
  await bindService(client, config)
  const { EqualityFilter, OrFilter } = ldap
  const filters = [
    new EqualityFilter({ attribute: 'member', value: entry.dn }),
    new EqualityFilter({ attribute: 'uniqueMember', value: entry.dn }),
    new EqualityFilter({ attribute: 'memberUid', value: username }),
  ]
  const { searchEntries } = await client.search(config['ldap.base'], {
    scope: 'sub',
    filter: new OrFilter({ filters }),
    attributes: ['1.1'],
    sizeLimit: MAX_GROUPS,
  })
  return { username, groups: groupNamesOf(searchEntries.map(({ dn }) => dn)) }
}

function subjectOf(entry: Entry): string {
  const guid = valuesOf(entry, 'objectGUID').find((value) => Buffer.isBuffer(value))
  const [id] = SUBJECTS.flatMap((name) => textsOf(entry, name))
  const subject = id ?? guid?.toString('hex')
  if (!subject)
    throw new Error(`${entry.dn} shows none of ${SUBJECTS.join(', ')}, so nobody can be told apart`)
  return subject
}

function textsOf(entry: Entry, name: string): string[] {
  return valuesOf(entry, name).filter(
    (value) => typeof value === 'string' && value !== '',
  ) as string[]
}

function valuesOf(entry: Entry, name: string): (string | Buffer)[] {
  const key = Object.keys(entry).find((other) => other.toLowerCase() === name.toLowerCase())
  const value = key === undefined || key === 'dn' ? [] : entry[key]
  return Array.isArray(value) ? value : value === undefined ? [] : [value]
}
