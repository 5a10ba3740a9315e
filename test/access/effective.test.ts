// What an account may after all.
import { expect, it } from 'vitest'
import { effectiveOf, findAccount, withEffective } from '../../src/access/effective.ts'
import { removeGroup, setGroupsOf, setHome } from '../../src/store/access/groups.ts'
import type { User } from '../../src/store/document.ts'
import { findUser } from '../../src/store/users.ts'
import { openApp } from '../support/app.ts'
import { makeGroup, NO_PERMISSIONS } from '../support/groups.ts'

const BOB = 2
const withBob = (perm = {}) =>
  openApp({ users: [{ username: 'bob', perm: { ...NO_PERMISSIONS, ...perm } }] })

it('is the own record where no group adds anything', async () => {
  await using app = await withBob({ create: true })
  const bob = findUser(app.store, BOB) as User
  expect(withEffective(app.store, bob)).toBe(bob)
  await makeGroup(app.store, { perm: { create: true }, members: [BOB] })
  expect(withEffective(app.store, bob)).toBe(bob)
})

it('adds what each group gives, and nothing of groups of others', async () => {
  await using app = await withBob({ create: true })
  await makeGroup(app.store, { name: 'one', perm: { rename: true }, members: [BOB] })
  await makeGroup(app.store, { name: 'two', perm: { delete: true }, members: [BOB, 1] })
  await makeGroup(app.store, { name: 'three', perm: { admin: true }, members: [1] })
  const wanted = { ...NO_PERMISSIONS, create: true, rename: true, delete: true }
  expect(findAccount(app.store, BOB)?.perm).toEqual(wanted)
})

it('is one object for one record and one set of permissions', async () => {
  await using app = await withBob()
  const group = await makeGroup(app.store, { perm: { share: true }, members: [BOB] })
  const first = findAccount(app.store, BOB)
  expect(findAccount(app.store, BOB)).toBe(first)
  await app.store.transaction((tx) => removeGroup(tx, group.id))
  expect(findAccount(app.store, BOB)).toBe(findUser(app.store, BOB))
})

it('has the limit of the account, else the largest of its groups', async () => {
  await using app = await withBob()
  const quota = () => effectiveOf(app.store, findUser(app.store, BOB) as User).homeQuota
  expect(quota()).toBeNull()
  const small = await makeGroup(app.store, { name: 'small', homeQuota: 5 })
  const large = await makeGroup(app.store, { name: 'large', homeQuota: 50 })
  const none = await makeGroup(app.store, { name: 'none' })
  const ids = [small.id, large.id, none.id]
  await app.store.transaction((tx) => setGroupsOf(tx, BOB, ids, 'ldap'))
  expect(quota()).toBe(50)
  await app.store.transaction((tx) => setHome(tx, { userID: BOB, home: true, homeQuota: 0 }))
  expect(quota()).toBe(0)
})
