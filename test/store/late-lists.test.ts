// A start with many accounts answers before they are read: then, or where somebody looks for them earlier, all are there.
import { readFile, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { COLLECTIONS, SHARES, USERS } from '../../src/store/collections.ts'
import { defaultSettings, emptyDocument, type User } from '../../src/store/document.ts'
import { cutLists, itemsOf } from '../../src/store/json-sections.ts'
import { openStore } from '../../src/store/store.ts'
import { addUser } from '../../src/store/users.ts'
import { makeTree } from '../support/tree.ts'

const COUNT = 2_000
const LATE = { leavesLists: true }

function named(username: string): Omit<User, 'id'> {
  return { ...defaultSettings().defaults, username, password: 'x', lockPassword: false, rules: [] }
}

function documentOf(names: readonly string[]): object {
  const users = names.map((name, i) => ({ ...named(name), id: i + 1, since: [{ later: '\n ]' }] }))
  return { ...emptyDocument(defaultSettings()), users, next: { users: names.length + 7 } }
}

const NAMES = Array.from({ length: COUNT }, (_, i) => `user${i}`)

async function written(document: object, indent = 1) {
  const tree = await makeTree({})
  const file = tree.at('db.json')
  await writeFile(file, `${JSON.stringify(document, null, indent)}\n`)
  return { file, [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose]() }
}

test('what is read later is what is read at once', async () => {
  await using at = await written(documentOf(NAMES))
  const whole = await openStore(at.file)
  expect(whole.rest?.()).toBeNull()
  const store = await openStore(at.file, COLLECTIONS, LATE)
  expect(store.settings()).toEqual(whole.settings())
  const rest = store.rest?.()
  expect(rest).toBeInstanceOf(Promise)
  await rest
  expect(store.rest?.()).toBeNull()
  expect(store.all(USERS)).toEqual(whole.all(USERS))
  expect(store.find(USERS, 'username', 'user1999')).toEqual([store.get(USERS, 2_000)])
  expect(await store.transaction((tx) => tx.nextId(USERS))).toBe(COUNT + 7)
  await Promise.all([whole.close(), store.close()])
})

test('it is read after the time that is given, or as soon as somebody waits for it', async () => {
  await using at = await written(documentOf(NAMES))
  const store = await openStore(at.file, COLLECTIONS, LATE)
  const late = store.rest?.(60_000)
  await store.rest?.()
  expect(store.rest?.()).toBeNull()
  expect(late).toBeInstanceOf(Promise)
  await store.close()
  const patient = await openStore(at.file, COLLECTIONS, LATE)
  await patient.rest?.(1)
  expect(patient.rest?.()).toBeNull()
  await patient.close()
})

test('others have their turn while it is read', async () => {
  await using at = await written(documentOf(NAMES))
  const store = await openStore(at.file, COLLECTIONS, LATE)
  let turns = 0
  const count = () => {
    turns++
    turning = setImmediate(count)
  }
  let turning = setImmediate(count)
  await store.rest?.()
  clearImmediate(turning)
  expect(turns).toBeGreaterThan(3)
  await store.close()
})

test('who looks or writes earlier finds and keeps all', async () => {
  await using at = await written(documentOf(NAMES))
  const store = await openStore(at.file, COLLECTIONS, LATE)
  expect(store.count(USERS)).toBe(COUNT)
  expect(store.rest?.()).toBeNull()
  await store.close()
  const writing = await openStore(at.file, COLLECTIONS, LATE)
  await writing.transaction((tx) => tx.replace(USERS, { ...named('x'), id: 1 }))
  await writing.close()
  const { users } = JSON.parse(await readFile(at.file, 'utf8')) as { users: User[] }
  expect(users.map(({ username }) => username)).toEqual(['x', ...NAMES.slice(1)])
})

test('a change of something else loses none of it', async () => {
  await using at = await written(documentOf(NAMES))
  const store = await openStore(at.file, COLLECTIONS, LATE)
  const before = store.count(SHARES)
  await store.ahead((tx) => addUser(tx, named('one more')))
  await store.close()
  const { users } = JSON.parse(await readFile(at.file, 'utf8')) as { users: User[] }
  expect([before, users.length, users.at(-1)?.username]).toEqual([0, COUNT + 1, 'one more'])
})

test.each([
  ['no JSON', (text: string) => text.replace('"user1500"', 'user1500'), /damaged.*left untouched/s],
  ['a name twice', (text: string) => text.replace('user1500', 'user1499'), /user1499 occurs twice/],
  [
    'an account without a name',
    (text: string) => text.replace('user1500', ''),
    /users\[1500\]\.username must not be empty/,
  ],
])('what is wrong in it is told as at a start: %s', async (_, break_, message) => {
  await using at = await written(documentOf(NAMES))
  await writeFile(at.file, break_(await readFile(at.file, 'utf8')))
  await expect(openStore(at.file)).rejects.toThrow(message)
  const store = await openStore(at.file, COLLECTIONS, LATE)
  await expect(store.rest?.()).rejects.toThrow(message)
  // Not as if there were fewer.
  expect(() => store.count(USERS)).toThrow(message)
  await expect(store.transaction((tx) => addUser(tx, named('y')))).rejects.toThrow(message)
  await store.close()
})

test('a document that somebody wrote otherwise is read at once', async () => {
  await using at = await written(documentOf(NAMES), 2)
  const store = await openStore(at.file, COLLECTIONS, LATE)
  expect(store.rest?.()).toBeNull()
  expect(store.count(USERS)).toBe(COUNT)
  await store.close()
})

test('lists that are cut out of a text are what they are in it', () => {
  const filler = 'x'.repeat(300 * 1024)
  const item = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))
  const list = fc.array(item, { maxLength: 20 })
  fc.assert(
    fc.property(list, list, fc.jsonValue(), (users, shares, other) => {
      const whole = { filler, users, other, shares }
      const cut = cutLists(Buffer.from(JSON.stringify(whole, null, 1)), ['shares', 'users', 'none'])
      if (!cut) return
      const lists = [...cut.lists].map(([name, json]) => [name, [...itemsOf(json)].flat()])
      expect(JSON.stringify({ ...cut.value, ...Object.fromEntries(lists) })).toBe(
        JSON.stringify(JSON.parse(JSON.stringify(whole))),
      )
    }),
  )
})
