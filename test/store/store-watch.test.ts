// The look at changes from outside meets a change of our own.
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

/** A disk whose next read, and whose renames, can be held up. */
const disk = vi.hoisted(() => ({
  nextRead: null as null | (() => Promise<void>),
  beforeRename: null as null | (() => Promise<void>),
}))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
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
