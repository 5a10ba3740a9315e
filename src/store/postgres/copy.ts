// All records of a PostgreSQL database at one moment, and all of another one into it.
import { AppError } from '../../lib/errors.ts'
import { COLLECTIONS } from '../collections.ts'
import { createTable, type Tables } from '../table.ts'
import { type Address, parseAddress } from './address.ts'
import { Connection } from './connection.ts'
import { startFailure, writeTables } from './open.ts'
import { findPassword } from './password.ts'
import { readAll, readPosition } from './rows.ts'
import { demandServer, findSchema, lockSchema, makeSchema, SCHEMA } from './schema.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Reads everything and changes nothing. Throws like openPostgres. */
export async function readTables(database: string, env: Environment): Promise<Tables> {
  return connected(database, env, async (connection, { text }) => {
    const found = await findSchema(connection, SCHEMA, COLLECTIONS)
    if (found === 'absent') throw new AppError('not_found', `there are no records in ${text}`)
    await connection.query('begin isolation level repeatable read, read only')
    const there = await connection.query('select tablename from pg_tables where schemaname = $1', [
      SCHEMA,
    ])
    const names = new Set(there.map(([name]) => name))
    const { tables } = await readAll(
      connection,
      SCHEMA,
      COLLECTIONS.filter(({ name }) => names.has(name)),
    )
    await connection.query('commit')
    return new Map(COLLECTIONS.map((one) => [one.name, tables.get(one.name) ?? createTable(one)]))
  })
}

/**
 * Writes tables in one transaction, which `check` may still refuse by what was read back; its answer is
 * handed on. Throws `exists`.
 */
export async function writeAll<T>(
  database: string,
  env: Environment,
  tables: Tables,
  check: (written: Tables) => T,
): Promise<T> {
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
    await writeTables(connection, SCHEMA, tables, await readPosition(connection, SCHEMA))
    const written = check((await readAll(connection, SCHEMA, COLLECTIONS)).tables)
    await connection.query('commit')
    return written
  })
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
