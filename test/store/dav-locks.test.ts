import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDavLocks, type DavLocks } from '../../src/store/dav/locks.ts'
import { makeTree, type Tree } from '../support/tree.ts'

let tree: Tree
let locks: DavLocks

beforeEach(async () => {
  tree = await makeTree()
  locks = createDavLocks(join(tree.base, 'filebrowser.db'), { error: () => {} })
  await locks.load()
})
afterEach(async () => {
  await locks.close()
  await tree[Symbol.asyncDispose]()
})

const WANTED = {
  place: '/srv/a.txt',
  isDeep: false,
  isExclusive: true,
  userID: 1,
  ownerXml: '',
  expiresMs: Date.now() + 60_000,
}

test('a refresh puts the end of a lock off', async () => {
  const { token } = await locks.add(WANTED, () => {})
  const expiresMs = WANTED.expiresMs + 60_000
  expect(await locks.refresh(token, expiresMs)).toMatchObject({ token, expiresMs })
  expect(locks.at(WANTED.place)).toMatchObject([{ token, expiresMs }])
})

test('a lock that was ended does not come back by its refresh', async () => {
  const { token } = await locks.add(WANTED, () => {})
  await locks.remove(token)
  expect(await locks.refresh(token, WANTED.expiresMs + 60_000)).toBeNull()
  expect(locks.at(WANTED.place)).toEqual([])
})
