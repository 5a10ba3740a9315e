// The database that the first start makes, made beforehand: hashing the password and signing in take as
// long as the start itself.
import { hashPassword } from '../../src/auth/hash.ts'
import { createTokens } from '../../src/auth/tokens.ts'
import { prepareFirstStart } from '../../src/cli/first-start.ts'
import { SESSIONS, USERS } from '../../src/store/collections.ts'
import type { Document, User } from '../../src/store/document.ts'
import { createStore, type Store } from '../../src/store/store.ts'
import { ADMIN } from './program.ts'

const SESSION_MS = 86_400_000

let hashed: Promise<string> | undefined

/** What a first start as ADMIN stores. */
export async function firstDocument(): Promise<Document> {
  hashed ??= hashPassword(ADMIN.password)
  const given = (text: string) => ({ value: text, text, source: 'a test' })
  const overrides = { username: given(ADMIN.username), password: given(await hashed) }
  const { doc } = await prepareFirstStart(overrides, null, () => {})
  return doc
}

/** Makes the database `file`, where ADMIN has signed in. Gives the cookie of that. */
export async function makeFirstDatabase(file: string): Promise<string> {
  const store = await createStore(file, await firstDocument())
  const [cookie = ''] = await signInAll(store, store.all(USERS))
  await store.close()
  return cookie
}

/** Opens a session for each; gives their cookies. */
export async function signInAll(store: Store, users: readonly User[]): Promise<string[]> {
  const nowMs = Date.now()
  const sessions = users.map(({ id }) => ({
    ...{ id: `session${id}`, userID: id, createdMs: nowMs, lastSeenMs: nowMs },
    ...{ remember: true, address: '127.0.0.1', userAgent: '' },
  }))
  await store.transaction((tx) => {
    for (const session of sessions) tx.insert(SESSIONS, session)
  })
  const tokens = createTokens(() => store.settings().key)
  return Promise.all(
    sessions.map((session, at) => tokens.issue(users[at] as User, session, 'cookie', SESSION_MS)),
  )
}
