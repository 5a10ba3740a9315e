// All records of a PostgreSQL database at one moment, and all of another one into it.
import { AppError } from '../../lib/errors.ts'
import type { Collection } from '../collection.ts'
import { COLLECTIONS } from '../collections.ts'
import type { Contents, Tally } from '../copy/contents.ts'
import type { Environment, Source } from '../copy/source.ts'
import { type Address, parseAddress } from './address.ts'
import { Connection } from './connection.ts'
import { startFailure } from './open.ts'
import { findPassword } from './password.ts'
import { parseRow } from './rows.ts'
import { demandServer, findSchema, lockSchema, makeSchema, quoted, SCHEMA } from './schema.ts'
import { insertStatement, numberStatement } from './writes.ts'

const ROWS_AT_A_TIME = 1_000
const TIMEOUT_MS = 120_000

/** Reads at one moment and changes nothing. Throws like openPostgres. */
export async function withRecords<T>(
  database: string,
  env: Environment,
  use: (source: Source) => Promise<T>,
): Promise<T> {
  return connected(database, env, async (connection, { text }) => {
    const found = await findSchema(connection, SCHEMA, COLLECTIONS)
    if (found === 'absent') throw new AppError('not_found', `there are no records in ${text}`)
    await connection.query('begin isolation level repeatable read, read only')
    const result = await use(await sourceOf(connection))
    await connection.query('commit')
    return result
  })
}

/**
 * Writes everything in one transaction, which `check` may still refuse by what is read back; its answer is handed on.
 * Throws `exists`.
 */
export async function writeRecords(
  database: string,
  env: Environment,
  source: Source,
  tally: Tally,
  check: (written: Source) => Promise<Contents>,
): Promise<Contents> {
  return connected(database, env, async (connection, { text }) => {
    await demandServer(connection)
    await lockSchema(connection, SCHEMA)
    if ((await findSchema(connection, SCHEMA, COLLECTIONS)) !== 'absent') {
      throw new AppError(
        'exists',
        `${text} is not empty and is left as it is; copy into a new database`,
      )
    }
    await makeSchema(connection, SCHEMA, COLLECTIONS)
    for (const of of COLLECTIONS) {
      let place = 0
      for await (const records of source.pieces(of))
        for (let from = 0; from < records.length; from += ROWS_AT_A_TIME) {
          const some = records.slice(from, from + ROWS_AT_A_TIME)
          await connection.query(insertStatement(SCHEMA, of, some, place), undefined, TIMEOUT_MS)
          place += some.length
        }
      if (tally.nextOf(of) > 1)
        await connection.query(numberStatement(SCHEMA, of.name, tally.nextOf(of)))
    }
    const written = await check(await sourceOf(connection))
    await connection.query('commit', undefined, TIMEOUT_MS)
    return written
  })
}

/** What is in the schema, in the transaction that has begun. */
async function sourceOf(connection: Connection): Promise<Source> {
  const s = quoted(SCHEMA)
  const there = await connection.query('select tablename from pg_tables where schemaname = $1', [
    SCHEMA,
  ])
  const names = new Set(there.map(([name]) => name))
  const numbers = await connection.query(`select collection, next from ${s}.fb_numbers`)
  const next = new Map(numbers.map(([name, number]) => [name, Number(number)]))
  return {
    pieces: async function* pieces(of) {
      if (names.has(of.name)) yield* readRows(connection, s, of)
    },
    nextOf: ({ name }) => next.get(name) ?? 1,
  }
}

async function* readRows(
  connection: Connection,
  s: string,
  of: Collection,
): AsyncGenerator<object[]> {
  const fetch = `fetch ${ROWS_AT_A_TIME} from filebrowser_copy`
  await connection.query(
    `declare filebrowser_copy no scroll cursor for
       select key, doc, place from ${s}.${quoted(of.name)} order by place`,
  )
  try {
    for (;;) {
      const rows = await connection.query(fetch, undefined, TIMEOUT_MS)
      if (rows.length > 0)
        yield rows.map(([key, doc, place]) => {
          return parseRow(of, key as string, doc as string, Number(place))[1].record
        })
      if (rows.length < ROWS_AT_A_TIME) return
    }
  } finally {
    await connection.query('close filebrowser_copy')
  }
}

async function connected<T>(
  database: string,
  env: Environment,
  use: (connection: Connection, address: Address) => Promise<T>,
): Promise<T> {
  const address = parseAddress(database)
  const target = { address, password: () => findPassword(address, env) }
  const connection = new Connection(target, 'filebrowser copies')
  try {
    return await use(connection, address)
  } catch (error) {
    throw startFailure(error, address)
  } finally {
    await connection.close()
  }
}
