// What the records in a database are opened with.
import type { Collection } from '../collection.ts'
import type { Target } from './connection.ts'

export interface PostgresOptions {
  target: Target
  schema: string
  collections: readonly Collection[]
  /** See Store. */
  file: string
  /** Shown in the database's list of connections. */
  name: string
  /** How long records are trusted when the database is silent, in milliseconds, besides the usual second. */
  graceMs?: number
  /** How many connections may be open at a time, at least `FIXED_CONNECTIONS`, which is what there are without it. */
  maxConnections?: number
}
