// One server of PostgreSQL for all tests of a file.
import { afterAll, beforeAll } from 'vitest'
import { hasPostgres, type Postgres, startPostgres } from './postgres.ts'

/** Starts it before the first test, where there is PostgreSQL, and ends it after the last. */
export function onePostgres(): { readonly server: Postgres } {
  let server: Postgres | undefined
  beforeAll(async () => {
    if (hasPostgres()) server = await startPostgres()
  })
  afterAll(() => server?.[Symbol.asyncDispose]())
  return {
    get server() {
      if (!server) throw new Error('there is no PostgreSQL')
      return server
    },
  }
}
