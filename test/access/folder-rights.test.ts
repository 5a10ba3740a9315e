// What is made of the records of folders, and how long it counts.
import { expect, it } from 'vitest'
import { foldersOf } from '../../src/access/folder-rights.ts'
import type { PlaceText } from '../../src/lib/places.ts'
import type { Folder } from '../../src/store/access/folder-record.ts'
import { setFolder } from '../../src/store/access/folders.ts'
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

const folderAt = (i: number, as = ''): Folder => ({
  place: `/${i}` as PlaceText,
  as,
  quota: null,
  grants: [{ who: 'user:2', see: true }],
})

it('puts 64 folders at most at the top of one tree', async () => {
  await using app = await openApp({ users: [{ username: 'bob', scope: '/home' }] })
  await app.store.transaction((tx) => {
    for (let i = 0; i < 70; i++) setFolder(tx, folderAt(i, `top ${i}`))
  })
  expect(foldersOf(app.store).topsOf(findUser(app.store, 2) as User).size).toBe(64)
})

it('are 10,000 records at most', async () => {
  await using app = await openApp({ users: [{ username: 'bob' }] })
  const setting = app.store.transaction((tx) => {
    for (let i = 0; i < 10_000; i++) tx.insert(FOLDERS, folderAt(i))
    expect(() => setFolder(tx, folderAt(1))).not.toThrow()
    setFolder(tx, folderAt(10_000))
  })
  await expect(setting).rejects.toThrow('there are 10000 folders already')
  expect(app.store.count(FOLDERS)).toBe(0)
})
