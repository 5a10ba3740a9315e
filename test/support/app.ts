// The application in this process over a real tree: what the route tests use.
import { join } from 'node:path'
import { withEffective } from '../../src/access/effective.ts'
import { type App, createApp } from '../../src/app.ts'
import { hashPassword } from '../../src/auth/hash.ts'
import { createSessions } from '../../src/auth/sessions.ts'
import { createTokens } from '../../src/auth/tokens.ts'
import { buildConfig, type Config } from '../../src/config/config.ts'
import { openAssets } from '../../src/http/assets.ts'
import type { Logger } from '../../src/lib/log.ts'
import { listen } from '../../src/server.ts'
import { USERS } from '../../src/store/collections.ts'
import {
  defaultPermissions,
  defaultSettings,
  emptyDocument,
  type Settings,
  type User,
} from '../../src/store/document.ts'
import { createStore, type Store } from '../../src/store/store.ts'
import { incomingOf } from './incoming.ts'
import { type Ask, loginAs, type SignedIn, withToken } from './login.ts'
import { makeTree, type Tree, type TreeContent } from './tree.ts'

export const PASSWORD = 'Blue-Kettle-77-Window'

/** An application without a socket: its answers are made in memory, redirects are not followed. */
export interface OpenedApp extends AsyncDisposable {
  tree: Tree
  store: Store
  /** Lines the server logged. */
  log: string[]
  /** Those of them that tell of failures nobody expected. */
  errors: string[]
  routes: App['routes']
  /** As somebody who has signed in. Nothing is asked for and nothing logged: passwords take their time. */
  as(username: string): Promise<SignedIn>
  /** Signs in with PASSWORD. */
  login(username: string): Promise<SignedIn>
  /** Asks without a session. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

export interface TestApp extends OpenedApp {
  origin: string
  port: number
}

export interface TestAppOptions {
  tree?: TreeContent
  /** Path of the database, when it is not to lie beside the tree. */
  database?: string
  config?: Partial<Config>
  settings?: Partial<Settings>
  /** As on a disk that ignores case. */
  foldCase?: boolean
  /** How often the clients of WebSockets are asked whether they are there. */
  pingMs?: number
  /** How many connections may be open. */
  connections?: number
  /** How long a body may take that is read into memory. */
  bodyTimeoutMs?: number
  /** Besides `admin` (id 1); all have PASSWORD and, unless given, all rights but administration. */
  users?: (Partial<User> & { username: string })[]
}

let hashed: Promise<string> | undefined

/** Opens the application without listening. Dispose it with `await using`. */
export async function openApp(options: TestAppOptions = {}): Promise<OpenedApp> {
  const { app, close, config, logger, ...opened } = await createTestApp(options)
  const ask = async (path: string, init?: RequestInit) =>
    app.request(path, init, { incoming: await incomingOf(path, init) })
  return {
    ...opened,
    as: (username) => signedIn({ config, store: opened.store }, username, ask),
    login: (username) => loginAs('', username, PASSWORD, ask),
    fetch: ask,
    [Symbol.asyncDispose]: close,
  }
}

/** Starts the application on a port of its own. Dispose it with `await using`. */
export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { app, close, config, logger, ...opened } = await createTestApp(options)
  const { pingMs, connections } = options
  const server = await listen({
    config,
    fetch: app.fetch as never,
    log: logger,
    ...(pingMs !== undefined && { pingMs }),
    ...(connections !== undefined && { connections }),
  })
  const origin = `http://127.0.0.1:${server.port}`
  const ask = (path: string, init?: RequestInit) => fetch(origin + path, init)
  return {
    ...opened,
    origin,
    port: server.port,
    as: (username) => signedIn({ config, store: opened.store }, username, ask),
    login: (username) => loginAs(origin, username, PASSWORD),
    fetch: (path, init) => ask(path, { redirect: 'manual', ...init }),
    async [Symbol.asyncDispose]() {
      await server.close(1_000)
      await close()
    },
  }
}

/** A session of the account as signing in opens it, without asking for the password. */
async function signedIn(
  { config, store }: { config: Config; store: Store },
  username: string,
  ask: Ask,
): Promise<SignedIn> {
  const found = store.all(USERS).find((one) => one.username === username)
  if (!found) throw new Error(`nobody is called ${username}`)
  const user = withEffective(store, found)
  const { sessionIdleMs, sessionMaxMs, tokenExpirationMs } = config
  const sessions = createSessions(store, { idleMs: sessionIdleMs, maxMs: sessionMaxMs })
  const facts = { remember: true, address: '127.0.0.1', userAgent: '' }
  const session = await sessions.open(user.id, facts)
  const tokens = createTokens(() => store.settings().key)
  const [token, cookie] = await Promise.all([
    tokens.issue(user, session, 'api', tokenExpirationMs),
    tokens.issue(user, session, 'cookie', sessionIdleMs),
  ])
  return withToken(token, `auth=${cookie}`, ask)
}

async function createTestApp(options: TestAppOptions) {
  hashed ??= hashPassword(PASSWORD)
  const password = await hashed
  const tree = await makeTree(options.tree)
  const settings: Settings = { ...defaultSettings(), ...options.settings }
  const users = [
    { username: 'admin', perm: { ...defaultPermissions(), admin: true } },
    ...(options.users ?? []),
  ]
  const store = await createStore(options.database ?? join(tree.base, 'filebrowser.db'), {
    ...emptyDocument(settings),
    users: users.map((user, i) => makeUser(settings, { password, ...user, id: i + 1 })),
    next: { users: users.length + 1 },
  })
  const config: Config = {
    ...buildConfig({
      overrides: {},
      stored: settings.server,
      database: store.file,
      cwd: tree.base,
      warn: () => {},
    }),
    root: tree.root,
    address: '127.0.0.1',
    port: 0,
    ...options.config,
  }
  const { foldCase = false, bodyTimeoutMs } = options
  const log: string[] = []
  const errors: string[] = []
  const logger = keepLines(log, errors)
  const app = createApp({
    config,
    store,
    log: logger,
    assets: openAssets(),
    foldCase,
    ...(bodyTimeoutMs !== undefined && { bodyTimeoutMs }),
  })
  return {
    app,
    config,
    logger,
    tree,
    store,
    log,
    errors,
    routes: app.routes,
    close: async () => {
      await app.close()
      await store.close()
      await tree[Symbol.asyncDispose]()
    },
  }
}

function makeUser(
  settings: Settings,
  user: Partial<User> & { username: string; id: number },
): User {
  return {
    ...settings.defaults,
    password: '',
    lockPassword: false,
    rules: [],
    ...user,
  }
}

function keepLines(lines: string[], errors: string[]): Logger {
  const add = (message: string, fields?: Record<string, unknown>) =>
    void lines.push(fields ? `${message} ${JSON.stringify(fields)}` : message)
  return {
    info: add,
    warn: add,
    error: (message, fields) => {
      add(message, fields)
      errors.push(lines.at(-1) ?? '')
    },
    request: ({ path, status, address, error }) =>
      void lines.push(`${path}: ${status} ${address} ${error ?? '<nil>'}`),
  }
}
