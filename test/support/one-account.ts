// A database of PostgreSQL with one account, for what nodes do with its sessions.
import type { Store } from '../../src/store/collection.ts'
import { defaultSettings, emptyDocument } from '../../src/store/document.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { POSTGRES_PASSWORD, type Postgres } from './postgres.ts'
import type { Tree } from './tree.ts'

export const LIMITS = { idleMs: 3_600_000, maxMs: 3_600_000 }
export const facts = { remember: false, address: '127.0.0.1', userAgent: 'test' }

/** Its address, and what opens it once more; the account has the number 1. */
export async function oneAccount(server: Postgres, tree: Tree) {
  const address = await server.makeDatabase()
  const { defaults } = defaultSettings()
  const person = { ...defaults, password: 'x'.repeat(97), lockPassword: false, rules: [] }
  const users = [{ ...person, id: 1, username: 'user' }]
  const place = { stateDir: tree.base, env: { PGPASSWORD: POSTGRES_PASSWORD } }
  const create = async () => ({ ...emptyDocument(defaultSettings()), users })
  const open = async (): Promise<Store> => (await openPostgres(address, place, { create })).store
  return { address, open }
}
