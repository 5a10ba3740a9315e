// One server for all browser tests that need a folder of their own and nothing else of a server: each
// takes one of the accounts made here, which sees its folder alone. Started once, before the tests.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { hashPassword } from '../../src/auth/hash.ts'
import {
  defaultPermissions,
  defaultSettings,
  emptyDocument,
  type User,
} from '../../src/store/document.ts'
import { createStore } from '../../src/store/store.ts'
import { signInAll } from './first-database.ts'
import { ADMIN, startProgram } from './program.ts'
import { makeTree, memoryFolder, type Tree } from './tree.ts'

/** Made through the program each would take as long as signing in three times. */
const ACCOUNTS = 900

export interface SharedServer {
  origin: string
  /** The folders of the accounts lie here, under their names. */
  root: string
}

/** The name of an account that no test has had; ADMIN's password opens it. */
export async function takeAccount(root: string): Promise<string> {
  while (next < ACCOUNTS) {
    const name = `${next++}`
    // Whoever makes the folder has it, whatever process that is.
    const made = await mkdir(join(root, '..', 'taken', name)).catch(() => 'taken')
    if (made === undefined) return name
  }
  throw new Error('no account is left: make more in shared-server.ts')
}

/** What the browser of somebody has who has signed in as the account of that name. */
export function cookieOf(root: string, name: string): Promise<string> {
  return readFile(join(root, '..', 'cookies', name), 'utf8')
}

/** The id of the account of that name. */
export function accountId(name: string): number {
  return Number(name) + 2
}

let next = 0

declare module 'vitest' {
  interface ProvidedContext {
    sharedServer: SharedServer
  }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const tree = await makeTree({}, undefined, memoryFolder() ?? undefined)
  const database = await makeAccounts(tree)
  // What is deleted there is asked for first and leaves nothing in the folders; test/web/trash.test.ts is about the rest.
  const args = ['--loginRateLimit', '0', '--trash', 'off']
  const program = await startProgram(tree, { args, database })
  project.provide('sharedServer', { origin: program.origin, root: tree.root })
  return async () => {
    await program[Symbol.asyncDispose]()
    await tree[Symbol.asyncDispose]()
  }
}

async function makeAccounts(tree: Tree): Promise<string> {
  const settings = defaultSettings()
  const password = await hashPassword(ADMIN.password)
  const rights = Object.keys(defaultPermissions()).map((right) => [right, true])
  const perm = Object.fromEntries(rights)
  // As the first start makes them.
  const defaults = { ...settings.defaults, redirectAfterCopyMove: true }
  const account = { ...defaults, password, perm, lockPassword: false, rules: [] }
  const admin = { ...account, id: 1, username: ADMIN.username, scope: '/' }
  const others = Array.from({ length: ACCOUNTS }, (_, n) => {
    return { ...account, id: accountId(`${n}`), username: `${n}`, scope: `/${n}` }
  })
  const document = {
    ...emptyDocument(settings),
    users: [admin, ...others],
    next: { users: ACCOUNTS + 2 },
  }
  await mkdir(join(tree.base, 'taken'))
  const store = await createStore(join(tree.base, 'filebrowser.db'), document)
  await keepCookies(join(tree.base, 'cookies'), others, await signInAll(store, others))
  await store.close()
  return store.file
}

/** Who has one of these need not sign in, which would take a tenth of the time of the pages. */
async function keepCookies(folder: string, users: User[], cookies: string[]): Promise<void> {
  await mkdir(folder)
  for (const [at, { username }] of users.entries())
    await writeFile(join(folder, username), cookies[at] as string)
}
