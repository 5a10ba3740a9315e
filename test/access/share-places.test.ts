// Which shares lead to a place is asked by the paths that may: they must be all that do.
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { placeOf } from '../../src/access/folder-rights.ts'
import { isPlaceWithin, type PlaceText } from '../../src/lib/places.ts'
import { isWithin, vpathOf } from '../../src/lib/vpath.ts'
import type { Folder } from '../../src/store/access/folder-record.ts'
import { FOLDERS, SHARES } from '../../src/store/collections.ts'
import { defaultSettings, emptyDocument, type Share } from '../../src/store/document.ts'
import { type PlaceOf, sharesBelow, sharesNamed } from '../../src/store/share-targets.ts'
import { createStore, type Store } from '../../src/store/store.ts'
import { findUser } from '../../src/store/users.ts'
import { makeTree } from '../support/tree.ts'
import { userOf } from '../support/user-of.ts'

const HOMES = ['/', '', '/a', '/a/', '/A', '/a/b', '/ａ/b', '/b']
const PATHS = ['/', '/a', '/a/', '/a/b', '/b', '/b/a', '/a/b/a', '/a0', '/top', '/top/b', '/top/b/']
const PLACES = ['/', '/a', '/a/b', '/A', '/b', '/a/b/a', '/a0', '/top', 'r:/', 'r:/b', 'r:/a/b']
const FOLDER_PLACES = ['/b', '/a/b', 'r:/', 'r:/b', 'r:/a/b']

const folder: fc.Arbitrary<Folder> = fc.record({
  place: fc.constantFrom(...(FOLDER_PLACES as PlaceText[])),
  as: fc.constantFrom('', 'top', 'a', 'b'),
  quota: fc.constant(null),
  grants: fc.constant([{ who: 'everyone', see: true }]),
})
const share = fc.record({
  path: fc.constantFrom(...PATHS),
  userID: fc.integer({ min: 1, max: HOMES.length + 1 }),
  target: fc.option(fc.constantFrom('/host', '/host/a', '/host/a/b', '/host/a"', '/host/a0')),
})

it('shares that lead to a place or below it are found, whatever home and top they are in', async () => {
  await using tree = await makeTree({})
  const store = await createStore(join(tree.base, 'records.db'), {
    ...emptyDocument(defaultSettings()),
    users: HOMES.map((scope, n) => userOf(n + 1, scope)),
  })
  const by: PlaceOf = (owner, vpath) => placeOf({ store }, owner, vpath)
  const folders = fc.uniqueArray(folder, { maxLength: 3, selector: ({ place }) => place })
  const property = fc.asyncProperty(folders, fc.array(share), async (tops, shares) => {
    await put(store, tops, shares)
    for (const named of PLACES as PlaceText[]) {
      expect(hashes(sharesNamed(store, by, named))).toEqual(
        hashes(store.all(SHARES).filter((one) => placed(store, by, one) === named)),
      )
      for (const real of ['/host/a', '/elsewhere'])
        expect(hashes(sharesBelow(store, by, { named, real }))).toEqual(
          hashes(store.all(SHARES).filter((one) => isBelow(store, by, one, named, real))),
        )
    }
  })
  await fc.assert(property, { numRuns: 200 })
  await store.close()
})

function isBelow(store: Store, by: PlaceOf, one: Share, named: PlaceText, real: string): boolean {
  if (one.target && isWithin(real, one.target.place)) return true
  const place = placed(store, by, one)
  return place !== undefined && isPlaceWithin(named, place)
}

function placed(store: Store, by: PlaceOf, { userID, path }: Share): PlaceText | undefined {
  const owner = findUser(store, userID)
  return owner && by(owner, vpathOf(path)).place
}

function hashes(shares: readonly Share[]): string[] {
  return shares.map(({ hash }) => hash).sort()
}

interface Made {
  path: string
  userID: number
  target: string | null
}

async function put(store: Store, folders: readonly Folder[], shares: readonly Made[]) {
  const facts = { kind: 'file', dev: '1', ino: '1', bornNs: '0', notedMs: 0 }
  const rest = { expire: 0, passwordHash: '', token: '' }
  await store.transaction((tx) => {
    for (const { place } of tx.all(FOLDERS)) tx.remove(FOLDERS, place)
    for (const { hash } of tx.all(SHARES)) tx.remove(SHARES, hash)
    const names = new Set<string>()
    for (const one of folders) {
      if (!names.has(one.as)) tx.insert(FOLDERS, one)
      names.add(one.as)
    }
    for (const [n, { path, userID, target }] of shares.entries()) {
      const what = target === null ? {} : { target: { ...facts, place: target } }
      tx.insert(SHARES, { ...rest, hash: `${n}`, path, userID, ...what })
    }
  })
}
