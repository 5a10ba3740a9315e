// What is made of the records of folders, and how long it counts.
import { expect, it } from 'vitest'
import { foldersOf } from '../../src/access/folder-rights.ts'
import type { PlaceText } from '../../src/lib/places.ts'
import { FOLDERS } from '../../src/store/collections.ts'
import type { User } from '../../src/store/document.ts'
import { findUser } from '../../src/store/users.ts'
import { openApp } from '../support/app.ts'

it('forgets what it has made of records that were taken back', async () => {
  await using app = await openApp({ users: [{ username: 'bob' }] })
  const bob = findUser(app.store, 2) as User
  const speaks = () => foldersOf(app.store).rightsOf(bob, 'exact') !== null
  expect(speaks()).toBe(false)
  const grants = [{ who: 'user:2', see: false }]
  const changing = app.store.transaction((tx) => {
    tx.insert(FOLDERS, { place: '/a' as PlaceText, as: '', quota: null, grants })
    expect(speaks()).toBe(true)
    throw new Error('refused')
  })
  await expect(changing).rejects.toThrow('refused')
  expect(speaks()).toBe(false)
})
