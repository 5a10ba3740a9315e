// The operations on a real tree, without a server: what later callers such as jobs have.

import { join } from 'node:path'
import { scopeOf } from '../../src/access/user-tree.ts'
import type { Permissions } from '../../src/api-types.ts'
import { buildConfig } from '../../src/config/config.ts'
import type { Logger } from '../../src/lib/log.ts'
import type { Actor } from '../../src/operations/actor.ts'
import { createServices, type Services } from '../../src/operations/services.ts'
import { createPrograms } from '../../src/programs/runner.ts'
import {
  defaultPermissions,
  defaultSettings,
  emptyDocument,
  type Settings,
  type User,
} from '../../src/store/document.ts'
import { createStore } from '../../src/store/store.ts'
import { findUser } from '../../src/store/users.ts'
import { changeRecords } from './records.ts'
import { makeTree, type Tree, type TreeContent } from './tree.ts'

const SILENT: Logger = { info() {}, warn() {}, error() {}, request() {} }

export interface Setup extends AsyncDisposable {
  tree: Tree
  services: Services
  /** Account 1 or 2 as an actor made by hand; `demand` finds its record anew, or throws. */
  actor(id?: number, given?: Partial<Actor>): Actor
  /** Changes an account while something is under way. */
  change(id: number, change: Partial<User>): Promise<void>
}

export interface SetupOptions {
  settings?: Partial<Settings>
  /** Rights of account 1 that differ from all but administration. */
  perm?: Partial<Permissions>
  user?: Partial<User>
}

/** Accounts 1 and 2 on one tree. Dispose it with `await using`. */
export async function setUp(content: TreeContent, options: SetupOptions = {}): Promise<Setup> {
  const tree = await makeTree(content)
  const settings: Settings = { ...defaultSettings(), ...options.settings }
  const makeUser = (id: number, given: Partial<User> = {}): User => ({
    ...settings.defaults,
    id,
    username: `user${id}`,
    password: '',
    lockPassword: false,
    rules: [],
    perm: { ...defaultPermissions(), ...options.perm },
    ...given,
  })
  const store = await createStore(join(tree.base, 'filebrowser.db'), {
    ...emptyDocument(settings),
    users: [makeUser(1, options.user), makeUser(2)],
    next: { users: 3 },
  })
  const config = buildConfig({
    overrides: {},
    stored: settings.server,
    database: store.file,
    cwd: tree.base,
    warn: () => {},
  })
  const programs = createPrograms([])
  const services = createServices({
    config: { ...config, root: tree.root, enableExec: true },
    store,
    log: SILENT,
    foldCase: false,
    programs,
    previews: {
      mayHoldAny: () => false,
      forget: async () => {},
      edit: async () => Buffer.alloc(0),
    },
  })
  return {
    tree,
    services,
    actor: (id = 1, given = {}) => {
      const find = () => {
        const user = findUser(store, id)
        if (!user) throw new Error('the account is gone')
        return { user, scope: scopeOf(services, user) }
      }
      return Object.assign<Actor, Partial<Actor>>(
        {
          services,
          ...find(),
          origin: { via: 'web', session: `session${id}` },
          signal: new AbortController().signal,
          demand() {
            Object.assign(this, find())
          },
        },
        given,
      )
    },
    change: (id, change) =>
      changeRecords(store, ({ users }) => ({
        users: users.map((user) => (user.id === id ? { ...user, ...change } : user)),
      })),
    async [Symbol.asyncDispose]() {
      services.hooks.close()
      await services.quotas.close()
      await services.history.close()
      await services.temps.close()
      await programs.close()
      await store.close()
      await tree[Symbol.asyncDispose]()
    },
  }
}
