// Databases and trees of a size: written as the product keeps them, since thousands of passwords to hash take minutes.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTokens } from '../../src/auth/tokens.ts'
import { SESSIONS } from '../../src/store/collections.ts'
import type { Session, Share, User } from '../../src/store/document.ts'
import { createStore } from '../../src/store/store.ts'
import { firstDocument } from '../../test/support/first-database.ts'

/** How much there is of everything. */
export interface Amounts {
  /** In the tree, `PER_FOLDER` in each folder of `tree`. */
  files: number
  /** In the one folder `many`. */
  entries: number
  accounts: number
  sessions: number
  shares: number
}

export const PER_FOLDER = 1_000
/** An account has at most so many of each. */
const SHARES_OF_ONE = 500
const SESSIONS_OF_ONE = 200
const AT_ONCE = 1_000
const SESSION_MS = 86_400_000

export const fileName = (n: number) => `file ${n}.txt`
export const accountName = (n: number) => `account${n}`

/** All files but one are empty: what is measured is how many there are. */
export function makeFiles(root: string, { files, entries }: Amounts): void {
  mkdirSync(join(root, 'shared'))
  for (const place of ['small.bin', 'shared/small.bin'])
    writeFileSync(join(root, place), Buffer.alloc(4096, 'x'))
  fill(join(root, 'many'), entries)
  mkdirSync(join(root, 'tree'))
  for (let from = 0; from < files; from += PER_FOLDER)
    fill(join(root, 'tree', `folder ${from}`), Math.min(PER_FOLDER, files - from))
}

function fill(folder: string, count: number): void {
  mkdirSync(folder)
  for (let n = 0; n < count; n++) writeFileSync(join(folder, fileName(n)), '')
}

/** Makes the database `file`; gives a token of the session that was opened last. */
export async function makeDatabase(file: string, amounts: Amounts): Promise<string> {
  const doc = await firstDocument()
  const [admin] = doc.users as [User]
  const member = { ...admin, perm: { ...admin.perm, admin: false } }
  const owners = Math.max(
    amounts.accounts,
    Math.ceil(amounts.shares / SHARES_OF_ONE),
    Math.ceil(amounts.sessions / SESSIONS_OF_ONE),
  )
  for (let n = 1; n <= owners; n++)
    doc.users.push({ ...member, id: n + 1, username: accountName(n) })
  doc.next.users = owners + 2
  doc.shares = Array.from({ length: amounts.shares }, (_, n) => shareOf(n, owners))
  const store = await createStore(file, doc)
  try {
    const sessions = Array.from({ length: amounts.sessions }, (_, n) => sessionOf(n, owners))
    for (let from = 0; from < sessions.length; from += AT_ONCE)
      await store.transaction((tx) => {
        for (const session of sessions.slice(from, from + AT_ONCE)) tx.insert(SESSIONS, session)
      })
    const last = sessions.at(-1) as Session
    const user = doc.users.find(({ id }) => id === last.userID) as User
    return await createTokens(() => store.settings().key).issue(user, last, 'api', SESSION_MS)
  } finally {
    await store.close()
  }
}

function shareOf(n: number, owners: number): Share {
  return {
    hash: `share${String(n).padStart(8, '0')}`,
    path: '/shared',
    userID: (n % owners) + 2,
    expire: 0,
    passwordHash: '',
    token: '',
  }
}

function sessionOf(n: number, owners: number): Session {
  const nowMs = Date.now()
  return {
    ...{ id: `session-of-${String(n).padStart(8, '0')}`, userID: (n % owners) + 2 },
    ...{ createdMs: nowMs, lastSeenMs: nowMs, remember: true },
    ...{ address: '127.0.0.1', userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36' },
  }
}
