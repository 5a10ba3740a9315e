// Groups, who is in them, and what goes with an account or a group.
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import {
  addGroup,
  groupsOf,
  homeOf,
  removeGroup,
  replaceGroup,
  setGroupsOf,
  setHome,
  setMembers,
} from '../../src/store/access/groups.ts'
import { recordsBefore } from '../../src/store/access/records-before.ts'
import type { Collection } from '../../src/store/collection.ts'
import { COLLECTIONS, GROUPS, HOMES, MEMBERSHIPS } from '../../src/store/collections.ts'
import type { User } from '../../src/store/document.ts'
import { openStore } from '../../src/store/store.ts'
import { findUser, removeUser, replaceUser } from '../../src/store/users.ts'
import { openApp } from '../support/app.ts'
import { makeGroup, NO_PERMISSIONS } from '../support/groups.ts'

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => error.code,
  )
const BOB = 2
const withBob = () => openApp({ users: [{ username: 'bob' }] })

it('reads groups, members and homes as they were written', async () => {
  await using app = await withBob()
  const group = await makeGroup(app.store, {
    name: 'staff',
    perm: { share: true },
    homeQuota: 5,
    claims: ['/staff'],
    members: [BOB],
  })
  await app.store.transaction((tx) => setHome(tx, { userID: BOB, home: false, homeQuota: null }))
  const again = await openStore(app.store.file)
  expect(again.all(GROUPS)).toEqual([group])
  expect(again.all(MEMBERSHIPS)).toEqual([{ userID: BOB, groupID: group.id, from: 'admin' }])
  expect(again.all(HOMES)).toEqual([{ userID: BOB, home: false, homeQuota: null }])
  await again.close()
})

it('takes no membership from a source that it does not know', async () => {
  await using app = await withBob()
  await makeGroup(app.store, { members: [BOB] })
  const text = await readFile(app.store.file, 'utf8')
  const { memberships } = JSON.parse(text)
  const { parse } = MEMBERSHIPS
  const { readObject } = await import('../../src/lib/parse.ts')
  expect(parse(readObject(memberships[0], ''))).toEqual(memberships[0])
  expect(() => parse(readObject({ ...memberships[0], from: 'nobody' }, ''))).toThrow('from must be')
})

it('is not opened by a program that knows no groups, once there are any', async () => {
  await using app = await withBob()
  const older = COLLECTIONS.filter((one) => one !== (GROUPS as unknown as Collection))
  await (await openStore(app.store.file, older)).close()
  await makeGroup(app.store)
  await expect(openStore(app.store.file, older)).rejects.toThrow('which knows groups')
})

it('never gives the number of a group again', async () => {
  await using app = await withBob()
  const first = await makeGroup(app.store)
  await app.store.transaction((tx) => removeGroup(tx, first.id))
  expect((await makeGroup(app.store)).id).toBeGreaterThan(first.id)
})

it('takes memberships away with a group, and with an account', async () => {
  await using app = await withBob()
  const one = await makeGroup(app.store, { name: 'one', members: [BOB] })
  await makeGroup(app.store, { name: 'two', members: [BOB, 1] })
  await app.store.transaction((tx) => setHome(tx, { userID: BOB, home: true, homeQuota: 3 }))
  await app.store.transaction((tx) => removeGroup(tx, one.id))
  expect(groupsOf(app.store, BOB).map(({ name }) => name)).toEqual(['two'])
  await app.store.transaction((tx) => removeUser(tx, BOB))
  expect(app.store.all(MEMBERSHIPS).map(({ userID }) => userID)).toEqual([1])
  expect(app.store.count(HOMES)).toBe(0)
})

it('leaves the memberships of other sources alone', async () => {
  await using app = await withBob()
  const { id } = await makeGroup(app.store, { members: [1] })
  const put = (from: 'oidc' | 'ldap', groups: number[]) =>
    app.store.transaction((tx) => setGroupsOf(tx, BOB, groups, from))
  await put('oidc', [id])
  await put('ldap', [id])
  await app.store.transaction((tx) => setMembers(tx, id, [BOB]))
  await put('oidc', [])
  expect(app.store.all(MEMBERSHIPS).map(({ userID, from }) => `${userID} ${from}`)).toEqual([
    '2 ldap',
    '2 admin',
  ])
})

it('keeps nothing of an account of which nothing is said', async () => {
  await using app = await withBob()
  await app.store.transaction((tx) => setHome(tx, { userID: BOB, home: false, homeQuota: 7 }))
  expect(homeOf(app.store, BOB)).toMatchObject({ home: false, homeQuota: 7 })
  await app.store.transaction((tx) => setHome(tx, { userID: BOB, home: true, homeQuota: null }))
  expect(app.store.count(HOMES)).toBe(0)
})

it('refuses a name twice, and more than 1,000 groups', async () => {
  await using app = await withBob()
  const group = { homeQuota: null, claims: [], perm: NO_PERMISSIONS }
  await app.store.transaction((tx) => {
    for (let i = 0; i < 999; i++) addGroup(tx, { ...group, name: `g${i}` })
  })
  expect(await codeOf(makeGroup(app.store, { name: 'g7' }))).toBe('exists')
  await makeGroup(app.store, { name: 'last' })
  expect(await codeOf(makeGroup(app.store, { name: 'one more' }))).toBe('conflict')
})

it('keeps the last administrator, also one by a group', async () => {
  await using app = await withBob()
  const admins = await makeGroup(app.store, { perm: { admin: true }, members: [BOB] })
  const perm = { ...NO_PERMISSIONS }
  const { store } = app
  await store.transaction((tx) => replaceUser(tx, { ...(findUser(tx, 1) as User), perm }))
  expect(await codeOf(store.transaction((tx) => removeGroup(tx, admins.id)))).toBe('last_admin')
  expect(await codeOf(store.transaction((tx) => removeUser(tx, BOB)))).toBe('last_admin')
  expect(await codeOf(store.transaction((tx) => setMembers(tx, admins.id, [])))).toBe('last_admin')
  const weaker = store.transaction((tx) => replaceGroup(tx, { ...admins, perm }))
  expect(await codeOf(weaker)).toBe('last_admin')
  expect(await codeOf(store.transaction((tx) => setMembers(tx, admins.id, [1])))).toBe('done')
})

it('counts nobody as the last administrator whom a provider has made one', async () => {
  await using app = await withBob()
  const admins = await makeGroup(app.store, { perm: { admin: true } })
  await app.store.transaction((tx) => setGroupsOf(tx, BOB, [admins.id], 'oidc'))
  expect(await codeOf(app.store.transaction((tx) => removeUser(tx, 1)))).toBe('last_admin')
})

it('tells what was there before a change', async () => {
  await using app = await withBob()
  const one = await makeGroup(app.store, { name: 'one', members: [BOB] })
  const told: unknown[] = []
  const leave = app.store.subscribe((changes) => {
    const before = recordsBefore(app.store, changes)
    told.push(
      groupsOf(before, BOB).map(({ name }) => name),
      before.count(GROUPS),
    )
  })
  await app.store.transaction((tx) => {
    const two = addGroup(tx, { ...one, name: 'two' })
    replaceGroup(tx, { ...one, name: 'renamed' })
    setGroupsOf(tx, BOB, [two.id], 'admin')
  })
  await app.store.transaction((tx) => removeGroup(tx, one.id))
  leave()
  expect(told).toEqual([['one'], 1, ['two'], 2])
})
