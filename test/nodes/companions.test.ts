// What accounts have besides, with PostgreSQL: groups, identities, second factors and so on are in memory with the
// account, up to date, and not without it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAccount } from '../../src/access/effective.ts'
import { watchUsers } from '../../src/access/user-changes.ts'
import { homeOf, setGroupsOf, setHome } from '../../src/store/access/groups.ts'
import { preferencesOf, setPreferences } from '../../src/store/access/preferences.ts'
import type { Transaction } from '../../src/store/collection.ts'
import {
  API_TOKENS,
  GROUPS,
  HOMES,
  IDENTITIES,
  identityKey,
  MEMBERSHIPS,
  membershipKey,
  PREFERENCES,
  SECOND_FACTORS,
  USERS,
} from '../../src/store/collections.ts'
import {
  type ApiToken,
  defaultPermissions,
  defaultSettings,
  emptyDocument,
  type Identity,
  type User,
} from '../../src/store/document.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import { findUser, loadUser, loadUsers, removeUser, userPieces } from '../../src/store/users.ts'
import { onePostgres } from '../support/one-postgres.ts'
import { hasPostgres, POSTGRES_PASSWORD } from '../support/postgres.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const COUNT = 600
const EDITORS = 1
const READERS = 2
const BESIDE = [IDENTITIES, MEMBERSHIPS, SECOND_FACTORS, HOMES, PREFERENCES, API_TOKENS] as const

const postgres = onePostgres()
let tree: Tree
beforeAll(async () => {
  tree = await makeTree({})
})
afterAll(() => tree[Symbol.asyncDispose]())

describe.runIf(hasPostgres())('what accounts have besides', () => {
  test('comes with them, and is in the memory of no node without them', async () => {
    await using nodes = await twoNodes()
    const { one } = nodes
    for (const of of BESIDE) expect(one.large.held(of as never)).toEqual([])
    expect(() => one.find(MEMBERSHIPS, 'userID', 7)).toThrow('was not loaded')
    expect(() => one.get(SECOND_FACTORS, 7)).toThrow('was not loaded')
    await loadUser(one, 7)
    expect(one.find(MEMBERSHIPS, 'userID', 7)).toEqual([
      { userID: 7, groupID: EDITORS, from: 'admin' },
    ])
    expect(one.find(IDENTITIES, 'userID', 7)).toMatchObject([{ subject: 'subject7' }])
    expect(one.get(SECOND_FACTORS, 7)).toMatchObject({ secret: 'SECRET7' })
    expect(homeOf(one, 7)).toMatchObject({ home: false })
    expect(preferencesOf(one, 7)).toMatchObject({ onDelete: 'ask' })
    expect(one.find(API_TOKENS, 'userID', 7)).toMatchObject([{ id: 'token7' }])
    for (const of of BESIDE) expect(one.large.held(of as never)).toHaveLength(1)
    expect(findAccount(one, 7)?.perm).toMatchObject({ create: true, modify: false })
  })

  test('is what another node has made of it, also for who has it in memory', async () => {
    await using nodes = await twoNodes()
    const { one, two } = nodes
    await loadUsers(one, [7, 8])
    await two.transaction((tx) => {
      setGroupsOf(tx, 7, [READERS], 'admin')
      tx.remove(IDENTITIES, keyOf(7))
      tx.remove(SECOND_FACTORS, 8)
      setHome(tx, { userID: 8, home: true, homeQuota: 5 })
      setPreferences(tx, 7, { onDelete: 'gone' })
      tx.insert(API_TOKENS, tokenOf(7, 'another'))
    })
    await one.shared?.look()
    expect(one.find(MEMBERSHIPS, 'userID', 7)).toMatchObject([{ groupID: READERS }])
    expect(one.find(IDENTITIES, 'userID', 7)).toEqual([])
    expect(one.get(SECOND_FACTORS, 7)).toBeDefined()
    expect(one.get(SECOND_FACTORS, 8)).toBeUndefined()
    expect(homeOf(one, 8)).toMatchObject({ home: true, homeQuota: 5 })
    expect(preferencesOf(one, 7)).toMatchObject({ onDelete: 'gone' })
    expect(one.find(API_TOKENS, 'userID', 7).map(({ id }) => id)).toEqual(['token7', 'another'])
    await two.transaction((tx) => removeUser(tx, 7))
    await one.shared?.look()
    for (const of of BESIDE) expect(one.large.held(of as never)).not.toContain(7)
    expect(one.large.held(IDENTITIES)).toEqual([keyOf(8)])
  })

  test('is read anew with the accounts when the feed has gone on without this node', async () => {
    await using nodes = await twoNodes()
    const { one, two, name } = nodes
    await loadUser(one, 7)
    await two.transaction((tx) => setGroupsOf(tx, 7, [EDITORS, READERS], 'admin'))
    await two.transaction((tx) => setGroupsOf(tx, 9, [READERS], 'admin'))
    await postgres.server.query(
      name,
      `update filebrowser.fb_feed set rev = rev + 1000 where rev = (select feed from filebrowser.fb_meta);
       delete from filebrowser.fb_feed where rev < 1000;
       update filebrowser.fb_meta set feed = feed + 1000`,
    )
    await one.shared?.look()
    expect(one.find(MEMBERSHIPS, 'userID', 7)).toHaveLength(2)
    expect(one.find(IDENTITIES, 'userID', 7)).toHaveLength(1)
    expect(one.large.held(USERS)).toEqual([7])
    expect(one.large.held(MEMBERSHIPS)).toHaveLength(2)
  })

  test('of those who are not in memory is told of by their number', async () => {
    await using nodes = await twoNodes()
    const { one, two } = nodes
    const changes = watchUsers(one)
    await two.transaction((tx) => {
      setGroupsOf(tx, 7, [], 'admin')
      tx.remove(IDENTITIES, keyOf(8))
      tx.replace(GROUPS, { ...group(READERS), perm: { ...defaultPermissions(), share: true } })
    })
    await one.shared?.look()
    await loadUsers(one, [7, 8, 9, 10])
    await one.transaction((tx) => setGroupsOf(tx, 10, [READERS], 'admin'))
    const told = [7, 8, 9, 10].map((id) => changes.lastOf(id) > 0)
    expect(told).toEqual([true, true, false, true])
  })

  test('is there for who goes through all accounts, and leaves with them', async () => {
    await using nodes = await twoNodes()
    const { one } = nodes
    await loadUser(one, 7)
    let groups = 0
    for await (const users of userPieces(one))
      for (const { id } of users) {
        groups += one.find(MEMBERSHIPS, 'userID', id).length
        expect(homeOf(one, id).home).toBe(id === 1)
        expect(one.get(SECOND_FACTORS, id)?.secret).toBe(id === 1 ? undefined : `SECRET${id}`)
      }
    expect(groups).toBe(COUNT - 1)
    expect(one.large.held(USERS)).toEqual([7])
    expect(one.large.held(MEMBERSHIPS)).toHaveLength(1)
    expect(findUser(one, 7)).toBeDefined()
  })

  test('is found in a database of the version before, and as nodes of that go on writing it', async () => {
    const address = await postgres.server.makeDatabase()
    await (await open(address)).close()
    const name = new URL(address).pathname.slice(1)
    for (const { name: table, indexes } of BESIDE) {
      const names = Object.keys(indexes)
      const columns = [...names.map((index) => `index_${index}`), 'age']
      columns.push(`filled_${names.length + 1}`)
      const drops = columns.map((column) => `drop column "${column}"`).join(', ')
      await postgres.server.query(name, `alter table filebrowser."${table}" ${drops}`)
    }
    const store = await open(address)
    try {
      expect(await store.large.find(MEMBERSHIPS, 'groupID', EDITORS)).toHaveLength(COUNT - 1)
      await loadUser(store, 7)
      expect(store.find(IDENTITIES, 'userID', 7)).toHaveLength(1)
      // As a version writes it that does not know the columns.
      const membership = { userID: 8, groupID: READERS, from: 'admin' }
      await postgres.server.query(
        name,
        `insert into filebrowser.memberships (key, doc, place)
         values ('"8 2 admin"', '${JSON.stringify(membership)}', 100000)`,
      )
      await loadUsers(store, [8, 9])
      expect(store.find(MEMBERSHIPS, 'userID', 8)).toContainEqual(membership)
      expect(store.find(MEMBERSHIPS, 'userID', 9)).toHaveLength(1)
      expect(await store.large.find(MEMBERSHIPS, 'groupID', READERS)).toEqual([membership])
    } finally {
      await store.close()
    }
    await (await open(address)).close()
    const unfilled = `select count(*) from filebrowser.memberships where filled_3 is null`
    expect(await postgres.server.query(name, unfilled)).toEqual([['0']])
  })
})

async function twoNodes() {
  const address = await postgres.server.makeDatabase()
  const [one, two] = [await open(address), await open(address)]
  return {
    one,
    two,
    name: new URL(address).pathname.slice(1),
    [Symbol.asyncDispose]: async () => void (await Promise.all([one.close(), two.close()])),
  }
}

async function open(address: string): Promise<Store> {
  const place = { stateDir: tree.base, env: { PGPASSWORD: POSTGRES_PASSWORD } }
  const settings = defaultSettings()
  const create = async () => ({
    ...emptyDocument(settings),
    users: Array.from({ length: COUNT }, (_, n) => userOf(n + 1)),
  })
  const { store, created } = await openPostgres(address, place, { create })
  if (!created) return store
  await store.transaction(addBesides)
  await store.close()
  return open(address)
}

/** To all but the first. */
function addBesides(tx: Transaction): void {
  for (const id of [EDITORS, READERS]) tx.insert(GROUPS, group(id))
  tx.expect(USERS, () => Array.from({ length: COUNT }, (_, n) => n + 1))
  for (let id = 2; id <= COUNT; id++) {
    tx.fresh(MEMBERSHIPS, membershipKey({ userID: id, groupID: EDITORS, from: 'admin' }))
    tx.fresh(IDENTITIES, keyOf(id))
    tx.fresh(API_TOKENS, `token${id}`)
    tx.insert(MEMBERSHIPS, { userID: id, groupID: EDITORS, from: 'admin' })
    tx.insert(IDENTITIES, identityOf(id))
    const factor = { lastStep: 0, recovery: [], createdMs: 0, required: false }
    tx.insert(SECOND_FACTORS, { ...factor, userID: id, secret: `SECRET${id}` })
    tx.insert(HOMES, { userID: id, home: false, homeQuota: null })
    tx.insert(PREFERENCES, { userID: id, onDelete: 'ask', openTarget: false })
    tx.insert(API_TOKENS, tokenOf(id))
  }
}

function group(id: number) {
  const perm = { ...defaultPermissions(), create: id === EDITORS }
  for (const verb of ['rename', 'modify', 'delete', 'share', 'download'] as const)
    perm[verb] = false
  return { id, name: `group${id}`, perm, homeQuota: null, claims: [] }
}

function identityOf(id: number): Identity {
  const who = { issuer: 'https://id.example.org', subject: `subject${id}`, username: `user${id}` }
  const times = { adminUntilMs: 0, lastSignInMs: Date.now() }
  return { ...who, ...times, userID: id, groups: [], isAdmin: false, madeWith: '' }
}

function keyOf(id: number): string {
  return identityKey(identityOf(id))
}

function tokenOf(userID: number, id = `token${userID}`): ApiToken {
  const times = { createdMs: 0, expiresMs: 0, lastUsedMs: 0 }
  return { ...times, id, userID, name: id, secretHash: '', perm: defaultPermissions(), folder: '/' }
}

function userOf(id: number): User {
  const { defaults } = defaultSettings()
  const perm = { ...defaultPermissions(), admin: id === 1 }
  for (const verb of ['create', 'rename', 'modify', 'delete', 'share', 'download'] as const)
    perm[verb] = false
  return {
    ...defaults,
    id,
    username: `user${id}`,
    password: '',
    perm,
    lockPassword: false,
    rules: [],
  }
}
