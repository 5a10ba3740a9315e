// What is read while a change is being written, by us and from outside.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { Transaction } from '../../src/store/collection.ts'
import { SESSIONS, USERS } from '../../src/store/collections.ts'
import { defaultSettings, emptyDocument, type User } from '../../src/store/document.ts'
import { replaceFile } from '../../src/store/durable-file.ts'
import { withFileLock } from '../../src/store/file-lock.ts'
import { createStore } from '../../src/store/store.ts'
import { addUser } from '../../src/store/users.ts'
import { withDeadline } from '../support/deadline.ts'
import { makeTree } from '../support/tree.ts'

/** A disk whose next look at the file, next read, and renames can be held up. */
const disk = vi.hoisted(() => ({
  nextStat: null as null | (() => Promise<void>),
  nextRead: null as null | (() => Promise<void>),
  beforeRename: null as null | (() => Promise<void>),
}))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    stat: async (file: string, options?: { bigint: true }) => {
      const stats = await real.stat(file, options)
      const wait = file.endsWith('db.json') && options ? disk.nextStat : null
      if (wait) disk.nextStat = null
      await wait?.()
      return stats
    },
    readFile: async (file: string, encoding: 'utf8') => {
      const text = await real.readFile(file, encoding)
      const wait = file.endsWith('db.json') ? disk.nextRead : null
      if (wait) disk.nextRead = null
      await wait?.()
      return text
    },
    rename: async (from: string, to: string) => {
      if (to.endsWith('db.json')) await disk.beforeRename?.()
      return real.rename(from, to)
    },
  }
})

const SESSION = {
  id: 's',
  userID: 1,
  createdMs: 0,
  lastSeenMs: 0,
  remember: false,
  address: '',
  userAgent: '',
}

function named(username: string): Omit<User, 'id'> {
  return { ...defaultSettings().defaults, username, password: 'x', lockPassword: false, rules: [] }
}

async function openServer() {
  const tree = await makeTree({})
  const file = join(tree.base, 'db.json')
  const server = await createStore(file, emptyDocument(defaultSettings()))
  return {
    file,
    server,
    async [Symbol.asyncDispose]() {
      await server.close()
      await tree[Symbol.asyncDispose]()
    },
  }
}

/** Holds up the next look at the file, or the next read of it, from `reached` until `release`. */
function holdUp(step: 'nextStat' | 'nextRead') {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  disk[step] = () => {
    reached.resolve()
    return released.promise
  }
  return {
    reached: withDeadline('the look at the file', 60_000, reached.promise),
    release: released.resolve,
  }
}

const add = (username: string) => (tx: Transaction) => addUser(tx, named(username))

it('a slow look at the file does not undo a change that is written meanwhile', async () => {
  await using opened = await openServer()
  const { file, server } = opened
  const look = holdUp('nextRead')
  const users = [{ ...named('from outside'), id: 1 }]
  const changed = { ...emptyDocument(server.settings()), users }
  await replaceFile(file, JSON.stringify(changed))
  await look.reached
  disk.beforeRename = async () => {
    look.release()
    // The held read has been dealt with when all that it woke has run.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  await server.transaction(add('first'))
  disk.beforeRename = null
  await server.transaction(add('second'))
  expect(server.all(USERS).map(({ username }) => username)).toEqual([
    'from outside',
    'first',
    'second',
  ])
})

it('a look that begins while a change waits for the lock does not undo it', async () => {
  await using opened = await openServer()
  const { file, server } = opened
  const locked = Promise.withResolvers<void>()
  const unlock = Promise.withResolvers<void>()
  const other = withFileLock(`${file}.lock`, () => {
    locked.resolve()
    return unlock.promise
  })
  await locked.promise
  const change = server.transaction(add('first'))
  const look = holdUp('nextRead')
  const users = [{ ...named('from outside'), id: 1 }]
  await replaceFile(file, JSON.stringify({ ...emptyDocument(server.settings()), users }))
  await look.reached
  unlock.resolve()
  await Promise.all([other, change])
  look.release()
  // What the look read has been dealt with when all that it woke has run.
  for (let turn = 0; turn < 20; turn++) await readFile(file)
  expect(server.all(USERS).map(({ username }) => username)).toEqual(['from outside', 'first'])
})

it('a look that changes overtake undoes none of them', async () => {
  await using opened = await openServer()
  const { file, server } = opened
  const look = holdUp('nextStat')
  await look.reached
  await server.transaction(add('first'))
  disk.beforeRename = async () => {
    look.release()
    // Whatever the look would read has been read when these are through.
    for (let turn = 0; turn < 20; turn++) await readFile(file)
  }
  await server.transaction(add('second'))
  disk.beforeRename = null
  await server.transaction(add('third'))
  expect(server.all(USERS).map(({ username }) => username)).toEqual(['first', 'second', 'third'])
})

it('nobody reads a change before it is on disk, nor one that never gets there', async () => {
  await using opened = await openServer()
  const { server } = opened
  const names = () => server.all(USERS).map(({ username }) => username)
  const told: unknown[] = []
  server.subscribe((changes) => told.push([...changes.before(USERS).keys()]))
  const seen: string[][] = []
  let opening: Promise<unknown> | undefined
  disk.beforeRename = async () => {
    seen.push(names())
    // What needs no disk at once goes on meanwhile.
    opening ??= server.ahead((tx) => tx.get(SESSIONS, 's') ?? tx.insert(SESSIONS, SESSION))
    expect(server.get(SESSIONS, 's')).toEqual(SESSION)
  }
  const first = server.transaction(add('first'))
  const second = server.transaction(add('second'))
  await Promise.all([first, second])
  await opening
  expect(seen).toEqual([[], ['first']])
  expect(names()).toEqual(['first', 'second'])
  expect(server.get(SESSIONS, 's')).toEqual(SESSION)
  expect(told).toEqual([[], [1], [2]])
  disk.beforeRename = () => Promise.reject(new Error('the disk fails'))
  await expect(server.transaction(add('third'))).rejects.toThrow('the disk fails')
  disk.beforeRename = null
  expect(names()).toEqual(['first', 'second'])
  expect(told).toHaveLength(3)
})
