// The engines that keep records: each makes a place of its own and opens it as often as it is asked.
import { join } from 'node:path'
import type { Collection, Store } from '../../src/store/collection.ts'
import { SCHEMA_VERSION } from '../../src/store/document.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { createStore, openStore } from '../../src/store/store.ts'
import { hasPostgres, POSTGRES_PASSWORD, type Postgres, startPostgres } from './postgres.ts'
import { makeTree } from './tree.ts'

export interface EnginePlace extends AsyncDisposable {
  open(): Promise<Store>
}

export interface Engine {
  name: string
  make(collections: readonly Collection[]): Promise<EnginePlace>
  /** Ends what all places share. */
  end(): Promise<void>
}

const DOCUMENT: Engine = {
  name: 'the document and its logs',
  make: async (collections) => {
    const tree = await makeTree({})
    const file = join(tree.base, 'records.db')
    await (await createStore(file, { version: SCHEMA_VERSION }, undefined, collections)).close()
    return {
      open: () => openStore(file, collections),
      [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
    }
  },
  end: async () => {},
}

/** Each place is a schema of one database. */
function postgresEngine(): Engine {
  let running: Promise<{ server: Postgres; address: string }> | undefined
  let places = 0
  const start = async () => {
    const server = await startPostgres()
    return { server, address: await server.makeDatabase() }
  }
  return {
    name: 'PostgreSQL',
    make: async (collections) => {
      running ??= start()
      const { address } = await running
      const tree = await makeTree({})
      const place = {
        stateDir: tree.base,
        env: { PGPASSWORD: POSTGRES_PASSWORD },
        schema: `place "${++places}"`,
        collections,
      }
      const create = async () => ({ version: SCHEMA_VERSION })
      return {
        open: async () => (await openPostgres(address, place, { create })).store,
        [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
      }
    },
    end: async () => {
      await (await running)?.server[Symbol.asyncDispose]()
      running = undefined
    },
  }
}

/** PostgreSQL where it is installed. */
export const ENGINES: Engine[] = hasPostgres() ? [DOCUMENT, postgresEngine()] : [DOCUMENT]
