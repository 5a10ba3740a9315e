// The look at changes from outside meets a change of our own.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import {
  type Document,
  defaultSettings,
  emptyDocument,
  type User,
} from '../../src/store/document.ts'
import { replaceFile } from '../../src/store/durable-file.ts'
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

function named(username: string): Omit<User, 'id'> {
  return { ...defaultSettings().defaults, username, password: 'x', lockPassword: false, rules: [] }
}

const add = (username: string) => (doc: Document) => addUser(doc, named(username))

it('a slow look at the file does not undo a change that is written meanwhile', async () => {
  await using tree = await makeTree({})
  const file = join(tree.base, 'db.json')
  const server = await createStore(file, emptyDocument(defaultSettings()))
  const reading = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  disk.nextRead = () => {
    reading.resolve()
    return release.promise
  }
  const [changed] = add('from outside')(server.read())
  await replaceFile(file, JSON.stringify(changed))
  await withDeadline('the look at the file', 5_000, reading.promise)
  disk.beforeRename = async () => {
    release.resolve()
    // The held read has been dealt with when all that it woke has run.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  await server.update(add('first'))
  disk.beforeRename = null
  await server.update(add('second'))
  expect(server.read().users.map(({ username }) => username)).toEqual([
    'from outside',
    'first',
    'second',
  ])
  await server.close()
})

it('a look that changes overtake undoes none of them', async () => {
  await using tree = await makeTree({})
  const file = join(tree.base, 'db.json')
  const server = await createStore(file, emptyDocument(defaultSettings()))
  const looking = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  disk.nextStat = () => {
    looking.resolve()
    return release.promise
  }
  await withDeadline('the look at the file', 5_000, looking.promise)
  await server.update(add('first'))
  disk.beforeRename = async () => {
    release.resolve()
    // Whatever the look would read has been read when these are through.
    for (let turn = 0; turn < 20; turn++) await readFile(file)
  }
  await server.update(add('second'))
  disk.beforeRename = null
  await server.update(add('third'))
  expect(server.read().users.map(({ username }) => username)).toEqual(['first', 'second', 'third'])
  await server.close()
})
