// PostgreSQL for the tests of one file: a server for all of them, for each a database and a working folder of its own,
// and commands that reach it. Without PostgreSQL there are the folders alone.
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { runCli } from './cli.ts'
import { hasPostgres, POSTGRES_PASSWORD, type Postgres, startPostgres } from './postgres.ts'
import { cwd, freshFolders, PASSWORD, type Served, serve } from './serve.ts'

/** What lets a program in. */
export const ENV = { PGPASSWORD: POSTGRES_PASSWORD }
export let postgres: Postgres
/** The empty database of the test of the moment. */
export let address: string

export function freshDatabases(): void {
  beforeAll(async () => {
    if (hasPostgres()) postgres = await startPostgres()
  })
  afterAll(() => postgres?.[Symbol.asyncDispose]())
  freshFolders()
  beforeEach(async () => {
    if (postgres) address = await postgres.makeDatabase()
  })
}

/** Runs a command in the working folder; what it prints. It must succeed. */
export async function done(...words: string[]): Promise<string> {
  const result = await runCli(words, { cwd, env: ENV })
  expect(result, words.join(' ')).toMatchObject({ code: 0 })
  return result.stdout
}

/** Starts the node of this number over the database of the moment, or over another way to it. */
export function startNode(
  n: number,
  { database = address, words = [] }: { database?: string; words?: string[] } = {},
): Promise<Served> {
  const own = ['--stateDir', `node${n}`, '--nodeName', `node${n}`]
  const account = ['--password', PASSWORD, '--davPasswords']
  return serve(['-d', database, ...own, ...account, ...words], ENV)
}
