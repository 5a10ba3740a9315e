// Accounts with PostgreSQL: a node holds those that it was asked for, and knows at once what another one makes of them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { USERS } from '../../src/store/collections.ts'
import { defaultSettings, emptyDocument, type User } from '../../src/store/document.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import {
  addUser,
  findUser,
  loadNames,
  loadUser,
  loadUserByName,
  removeUser,
  replaceUser,
} from '../../src/store/users.ts'
import { onePostgres } from '../support/one-postgres.ts'
import { hasPostgres, POSTGRES_PASSWORD } from '../support/postgres.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const COUNT = 500
const MANY = 10_100

const postgres = onePostgres()
let tree: Tree
beforeAll(async () => {
  tree = await makeTree({})
})
afterAll(() => tree[Symbol.asyncDispose]())

describe.runIf(hasPostgres())('accounts of several nodes', () => {
  test('are in memory once they are asked for, and as another node changes them', async () => {
    const address = await postgres.server.makeDatabase()
    const [one, two] = [await open(address), await open(address)]
    try {
      expect(one.large.held(USERS)).toEqual([])
      expect(() => findUser(one, 7)).toThrow('was not loaded')
      expect(await loadUser(one, 7)).toMatchObject({ username: 'user7' })
      expect(await loadUserByName(one, 'user8')).toMatchObject({ id: 8 })
      expect((await loadNames(one, [9, null, 9, 99_999]))(9)).toBe('user9')
      expect(one.large.held(USERS)).toEqual([7, 8, 9])

      await two.transaction((tx) => replaceUser(tx, { ...userOf(7), locale: 'de' }))
      await one.shared?.look()
      expect(findUser(one, 7)).toMatchObject({ locale: 'de' })
      expect(two.large.held(USERS)).toContain(7)

      const unseen: unknown[] = []
      one.subscribe((changes) => unseen.push(...changes.unseen(USERS)))
      await two.transaction((tx) => removeUser(tx, 8))
      await two.transaction((tx) => replaceUser(tx, { ...userOf(20), locale: 'fr' }))
      await one.shared?.look()
      expect(findUser(one, 8)).toBeUndefined()
      expect(await loadUser(one, 20)).toMatchObject({ locale: 'fr' })
      expect(unseen).toEqual([20])
    } finally {
      await Promise.all([one.close(), two.close()])
    }
  })

  test('have unique names and numbers, and an administrator stays, whoever is in memory', async () => {
    const address = await postgres.server.makeDatabase()
    const [one, two] = [await open(address), await open(address)]
    try {
      const { id, ...user } = userOf(30)
      const add = (store: Store) => store.transaction((tx) => addUser(tx, user))
      await expect(add(one)).rejects.toMatchObject({ code: 'exists' })
      const both = [one, two].map((store) =>
        store
          .transaction((tx) => addUser(tx, { ...user, username: 'new' }))
          .catch(({ code }) => code),
      )
      const made = await Promise.all(both)
      expect(made.filter((each) => each === 'exists')).toHaveLength(1)
      expect(made.find((each) => each !== 'exists')).toMatchObject({ id: COUNT + 1 })
      await expect(
        two.transaction((tx) => replaceUser(tx, { ...userOf(31), username: 'user32' })),
      ).rejects.toMatchObject({ code: 'exists' })
      await expect(two.transaction((tx) => removeUser(tx, 1))).rejects.toMatchObject({
        code: 'last_admin',
      })
      // A name that one lets go of is free for another in the same change.
      await one.transaction((tx) => {
        replaceUser(tx, { ...userOf(31), username: 'other' })
        replaceUser(tx, { ...userOf(32), username: 'user31' })
      })
      await two.shared?.look()
      expect(await loadUserByName(two, 'user31')).toMatchObject({ id: 32 })
      expect(one.large.held(USERS).length).toBeLessThan(20)
    } finally {
      await Promise.all([one.close(), two.close()])
    }
  })

  test('of a database of before are found by what they are found by now', async () => {
    const address = await postgres.server.makeDatabase()
    // More than are written at a time.
    await (await open(address, MANY)).close()
    const name = new URL(address).pathname.slice(1)
    const columns = ['index_username', 'index_home', 'index_passwordKind', 'index_admin', 'age']
    columns.push('filled_5')
    const drops = columns.map((column) => `drop column "${column}"`).join(', ')
    await postgres.server.query(name, `alter table filebrowser.users ${drops}`)
    const store = await open(address)
    try {
      expect(await loadUserByName(store, `user${MANY}`)).toMatchObject({ id: MANY })
      expect(await store.transaction((tx) => tx.nextId(USERS))).toBe(MANY + 1)
      expect(await store.large.values(USERS, 'passwordKind')).toEqual(['$2a$10$'])
      const pieces: number[] = []
      for await (const piece of store.large.pieces(USERS, 'age')) pieces.push(piece.length)
      expect(pieces).toEqual([...Array(40).fill(250), 100])
    } finally {
      await store.close()
    }
  })

  test('are found by what they are now as a node of the version before changes them', async () => {
    const address = await postgres.server.makeDatabase()
    const store = await open(address)
    try {
      const doc = JSON.stringify({ ...userOf(33), username: 'renamed', password: '$2b$10$x' })
      await postgres.server.query(
        new URL(address).pathname.slice(1),
        `insert into filebrowser.users (key, doc, place, unique_username)
         select * from unnest(array['33'], array['${doc}'], array[32::bigint], array['"renamed"'])
         on conflict (key) do update set doc = excluded.doc, place = excluded.place,
           unique_username = excluded.unique_username`,
      )
      expect(await loadUserByName(store, 'user33')).toBeUndefined()
      expect(await loadUserByName(store, 'renamed')).toMatchObject({ id: 33 })
      expect(await store.large.values(USERS, 'passwordKind')).toContain('$2b$10$')
    } finally {
      await store.close()
    }
  })

  test('tell what kinds of passwords there are, as they change', async () => {
    const address = await postgres.server.makeDatabase()
    const [one, two] = [await open(address), await open(address)]
    try {
      const kinds = () => one.large.values(USERS, 'passwordKind')
      expect(await kinds()).toEqual(['$2a$10$'])
      const password = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA'
      await two.transaction((tx) => replaceUser(tx, { ...userOf(40), password }))
      await one.shared?.look()
      expect(await kinds()).toEqual(['$2a$10$', '$argon2id$v=19$m=19456,t=2,p=1$'])
    } finally {
      await Promise.all([one.close(), two.close()])
    }
  })
})

function userOf(id: number): User {
  const { defaults } = defaultSettings()
  return {
    ...defaults,
    id,
    username: `user${id}`,
    password: `$2a$10$${'x'.repeat(53)}`,
    perm: { ...defaults.perm, admin: id === 1 },
    lockPassword: false,
    rules: [],
  }
}

async function open(address: string, count = COUNT): Promise<Store> {
  const place = { stateDir: tree.base, env: { PGPASSWORD: POSTGRES_PASSWORD } }
  const users = Array.from({ length: count }, (_, n) => userOf(n + 1))
  const create = async () => ({ ...emptyDocument(defaultSettings()), users })
  return (await openPostgres(address, place, { create })).store
}
