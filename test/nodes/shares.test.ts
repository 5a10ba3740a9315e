// Shares with PostgreSQL: a node holds those that it was asked for, and no other takes part in what is done with files.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlaceText } from '../../src/lib/places.ts'
import { FOLDERS, SHARES } from '../../src/store/collections.ts'
import {
  defaultSettings,
  emptyDocument,
  type Share,
  type ShareTarget,
} from '../../src/store/document.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { endSharesBelow, type PlaceOf, sharesAt } from '../../src/store/share-targets.ts'
import {
  addShare,
  expiredShares,
  findShare,
  listedShares,
  loadShare,
} from '../../src/store/shares.ts'
import type { Store } from '../../src/store/store.ts'
import { onePostgres } from '../support/one-postgres.ts'
import { hasPostgres, POSTGRES_PASSWORD } from '../support/postgres.ts'
import { makeTree, type Tree } from '../support/tree.ts'
import { userOf } from '../support/user-of.ts'

/** More than are in memory anyway. */
const COUNT = (SHARES.wholeUpTo ?? 0) + 100
const USERS = 50

const postgres = onePostgres()
let tree: Tree
let address: string
let [one, two]: [Store, Store] = [] as never
beforeAll(async () => {
  tree = await makeTree({})
})
afterAll(() => tree[Symbol.asyncDispose]())

describe.runIf(hasPostgres())('shares of several nodes', () => {
  beforeAll(async () => {
    address = await postgres.server.makeDatabase()
    one = await open(address)
    two = await open(address)
  })
  afterAll(() => Promise.all([one?.close(), two?.close()]))

  test('are in memory once they are asked for, and as another node changes them', async () => {
    expect(one.large.held(SHARES)).toEqual([])
    expect(() => findShare(one, 'h7')).toThrow('was not loaded')
    expect(await loadShare(one, 'h7')).toMatchObject({ path: '/folder7/a' })
    expect(one.large.held(SHARES)).toEqual(['h7'])
    const unseen: unknown[] = []
    one.subscribe((changes) => unseen.push(...changes.unseen(SHARES)))
    await two.transaction((tx) => ['h7', 'h8'].map((hash) => tx.remove(SHARES, hash)))
    await one.shared?.look()
    expect(findShare(one, 'h7')).toBeUndefined()
    expect(await loadShare(one, 'h8')).toBeUndefined()
    expect(unseen).toEqual(['h8'])
  })

  test('are all in memory while they are few', async () => {
    const few = await open(await postgres.server.makeDatabase(), 3)
    expect(findShare(few, 'h2')).toMatchObject({ path: '/folder2/a' })
    expect(findShare(few, 'h4')).toBeUndefined()
    await few.close()
  })

  test('that there are none of leave nothing behind', async () => {
    expect(await loadShare(one, 'guess')).toBeUndefined()
    expect(() => findShare(one, 'guess')).toThrow('was not loaded')
  })

  test('are listed, and found by what they are for, without staying', async () => {
    const held = one.large.held(SHARES)
    expect(await listedShares(one, 'all')).toHaveLength(COUNT - 3)
    expect((await listedShares(one, 3)).every(({ userID }) => userID === 3)).toBe(true)
    expect(await sharesAt(one, '/host/folder9/a')).toMatchObject([{ hash: 'h9' }])
    expect(one.large.held(SHARES)).toEqual(held)
  })

  test('end with what they are for, also those that nobody has asked for', async () => {
    const place = { named: '/home13/folder12' as PlaceText, real: '/host/folder12' }
    await one.transaction((tx) => endSharesBelow(tx, placeOf, 13, place))
    await two.shared?.look()
    expect(await loadShare(two, 'h12')).toBeUndefined()
    expect(await loadShare(two, 'h13')).toBeDefined()
    expect(one.large.held(SHARES).length).toBeLessThan(COUNT / 4)
  })

  test('end also where a version wrote them that knows no paths', async () => {
    const columns = 'age = null, index_path = null, index_place = null, "index_userID" = null'
    const sql = `update filebrowser.shares set ${columns} where key in ('"h15"', '"h16"')`
    await postgres.server.query(address.split('/').at(-1) ?? '', sql)
    for (const n of [15, 16]) {
      const place = { named: `/home${n + 1}/folder${n}` as PlaceText, real: `/host/folder${n}` }
      await one.transaction((tx) => endSharesBelow(tx, placeOf, n + 1, place))
    }
    expect(await listedShares(one, 16)).not.toContainEqual(expect.objectContaining({ hash: 'h15' }))
    expect(await loadShare(one, 'h16')).toBeUndefined()
  })

  test('are found by what they are now where a version changed them that knows no paths', async () => {
    const database = address.split('/').at(-1) ?? ''
    const changed = { ...shareOf(30), path: '/moved/a', userID: 4, expire: 1 }
    const doc = JSON.stringify({ ...changed, target: { place: '/host/moved/a' } })
    await postgres.server.query(
      database,
      `insert into filebrowser.shares (key, doc, place)
       select * from unnest(array['"h30"'], array['${doc}'], array[29::bigint])
       on conflict (key) do update set doc = excluded.doc, place = excluded.place`,
    )
    const hashes = (shares: readonly Share[]) => shares.map(({ hash }) => hash)
    expect(hashes(await one.large.find(SHARES, 'path', '/moved/a' as never))).toEqual(['h30'])
    expect(await one.large.find(SHARES, 'path', '/folder30/a' as never)).toEqual([])
    expect(hashes(await sharesAt(one, '/host/moved/a'))).toEqual(['h30'])
    expect(hashes(await one.large.find(SHARES, 'userID', 4))).toContain('h30')
    expect(hashes(await one.large.find(SHARES, 'userID', 31))).not.toContain('h30')
    expect(await expiredShares(one)).toContain('h30')
    await two.transaction((tx) => tx.replace(SHARES, shareOf(30)))
    const unfilled =
      'select count(*) from filebrowser.shares where filled_4 is null and key = \'"h30"\''
    expect(await postgres.server.query(database, unfilled)).toEqual([['0']])
  })

  test('go once they have expired, when somebody makes another', async () => {
    const old = await expiredShares(one)
    expect(old).toEqual(['h1'])
    await one.transaction((tx) => addShare(tx, shareOf(COUNT + 1), old))
    expect(await two.large.load(SHARES, 'h1')).toBeUndefined()
    expect(await loadShare(two, `h${COUNT + 1}`)).toBeDefined()
  })

  test('are found by paths that are longer than an index of the database takes', async () => {
    const path = longPath(15)
    const long = { ...shareOf(3), hash: 'long', path: `${path}/a` }
    await one.transaction((tx) => {
      addShare(tx, { ...long, target: { ...(long.target as ShareTarget), place: `/host${path}` } })
      addShare(tx, { ...long, hash: 'other', path: `${path}0` })
    })
    expect(await sharesAt(two, `/host${path}`)).toMatchObject([{ hash: 'long' }])
    const place = { named: `/home4${path}` as PlaceText, real: '/host/elsewhere' }
    await two.transaction((tx) => endSharesBelow(tx, placeOf, 4, place))
    expect(await loadShare(two, 'long')).toBeUndefined()
    expect(await loadShare(two, 'other')).toBeDefined()
  })
})

describe.runIf(hasPostgres())('the record of a folder', () => {
  test('is kept, changed and removed under a path that is longer than an index of the database takes', async () => {
    const at = await postgres.server.makeDatabase()
    const place = longPath(15) as PlaceText
    const folder = { place, as: '', quota: 1, grants: [] }
    const read = async () => {
      const store = await open(at, 0)
      const found = store.all(FOLDERS)
      await store.close()
      return found
    }
    const first = await open(at, 0)
    await first.transaction((tx) => tx.insert(FOLDERS, folder))
    expect(await read()).toMatchObject([{ place, quota: 1 }])
    await first.transaction((tx) => tx.replace(FOLDERS, { ...folder, quota: 2 }))
    expect(await read()).toMatchObject([{ place, quota: 2 }])
    await first.transaction((tx) => tx.remove(FOLDERS, place))
    expect(await read()).toEqual([])
    await first.close()
  })
})

/** Of names that do not get shorter by compression. */
function longPath(depth: number): string {
  const names = Array.from({ length: depth }, () => randomBytes(120).toString('hex'))
  return `/${names.join('/')}`
}

/** In homes `/home1` and so on. */
const placeOf: PlaceOf = ({ scope }, vpath) => ({ place: (scope + vpath) as PlaceText, top: null })

function shareOf(n: number): Share {
  const path = `/folder${n}/a`
  const place = `/host${path}`
  const target = { kind: 'file', dev: '1', ino: `${n}`, bornNs: '0', place, notedMs: 0 }
  const rest = { passwordHash: '', token: '', expire: n === 1 ? 1 : 0 }
  return { hash: `h${n}`, path, userID: (n % USERS) + 1, ...rest, ...(n % 2 && { target }) }
}

async function open(at: string, count = COUNT): Promise<Store> {
  const place = { stateDir: tree.base, env: { PGPASSWORD: POSTGRES_PASSWORD } }
  const [users, shares] = [
    Array.from({ length: USERS }, (_, n) => userOf(n + 1, `/home${n + 1}`)),
    [] as Share[],
  ]
  for (let n = 1; n <= count; n++) shares.push(shareOf(n))
  const create = async () => ({ ...emptyDocument(defaultSettings()), users, shares })
  return (await openPostgres(at, place, { create })).store
}
