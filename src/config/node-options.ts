// Options of a node among several (docs/nodes.md).
import { parsed } from './option.ts'
import { integerBetween, parseDuration } from './option-values.ts'

const MAX_RECORDS_GRACE_MS = 60_000
/** What a node cannot do without, see src/store/postgres/connections.ts. */
const MIN_DATABASE_POOL = 4
const MAX_DATABASE_POOL = 1_000

/** How many connections a node may open to PostgreSQL. */
function parseDatabasePool(text: string): number {
  const count = integerBetween(0, MAX_DATABASE_POOL)(text)
  if (count < MIN_DATABASE_POOL)
    throw new Error(
      `a node needs ${MIN_DATABASE_POOL} connections, so it must be ${MIN_DATABASE_POOL} or more`,
    )
  return count
}

/** A name for people, in one line. */
function parseNodeName(text: string): string {
  const name = text.trim()
  if (name.length > 100 || /\p{Cc}/u.test(name))
    throw new Error('expected at most 100 characters in one line')
  return name
}

/** How long records of a silent database are trusted: whoever is signed out meanwhile stays for so long. */
function parseRecordsGrace(text: string): number {
  const ms = parseDuration(text)
  if (ms < 0 || ms > MAX_RECORDS_GRACE_MS) throw new Error('must be between 0s and 60s')
  return ms
}

export const NODE_OPTIONS = {
  nodeName: parsed('NAME', parseNodeName, '', 'Name among nodes; the host name without it', {
    ours: true,
  }),
  databasePool: parsed(
    'COUNT',
    parseDatabasePool,
    '10',
    'Most connections to PostgreSQL at a time, from 4',
    { ours: true },
  ),
  recordsGrace: parsed(
    'DURATION',
    parseRecordsGrace,
    '0s',
    'How long records are trusted when PostgreSQL is silent, up to 60s',
    { ours: true },
  ),
} as const
