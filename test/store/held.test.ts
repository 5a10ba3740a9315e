// What a node keeps in memory of accounts: what is asked for, and nothing that nobody asks for any more.
import { expect, test } from 'vitest'
import { API_TOKENS, USERS } from '../../src/store/collections.ts'
import { Held } from '../../src/store/postgres/held.ts'
import { Wants } from '../../src/store/postgres/large.ts'
import {
  createDemandingRecords,
  createTable,
  createTables,
  setEntry,
  type Table,
} from '../../src/store/table.ts'

function opened(ids: number[]) {
  const table = createTable(USERS as never)
  const user = { password: '', scope: '/', perm: { admin: false } }
  for (const id of ids)
    setEntry(table, id, { record: { ...user, id, username: `u${id}` }, order: id })
  const tables = new Map([[USERS.name, table]])
  const held = new Held(tables)
  // Indexes are asked of the database.
  const records = createDemandingRecords(tables, held)
  return { table, held, records, keys: () => [...table.entries.keys()] }
}

test('those that nobody has asked for between two sweeps go, all others stay', () => {
  const { held, records, keys } = opened([1, 2, 3])
  held.sweep()
  expect(keys()).toEqual([])
  const again = opened([1, 2, 3])
  expect(again.records.get(USERS, 1)).toMatchObject({ id: 1 })
  const unpin = again.held.pin(USERS as never, 2)
  again.held.sweep()
  expect(again.keys()).toEqual([1, 2])
  again.held.sweep()
  expect(again.keys()).toEqual([2])
  unpin()
  unpin()
  again.held.sweep()
  expect(again.keys()).toEqual([])
  expect(() => records.get(USERS, 1)).toThrow('users 1 is read and was not loaded')
})

test('one that was asked for and is gone is none, and one that was never asked for is a mistake', () => {
  const { table, held, records } = opened([1])
  held.mark(table, 7)
  expect(records.get(USERS, 7)).toBeUndefined()
  expect(() => records.get(USERS, 8)).toThrow('was not loaded')
  records.get(USERS, 1)
  setEntry(table, 1, undefined)
  expect(records.get(USERS, 1)).toBeUndefined()
  expect(() => records.all(USERS)).toThrow('users is read by Store.large')
  expect(() => records.find(USERS, 'username', 'u1')).toThrow('users is read by Store.large')
})

test('of what belongs to accounts nothing is kept that is not there, and what was asked for by its key stays', () => {
  const tables = createTables([USERS, API_TOKENS] as never)
  const held = new Held(tables)
  const records = createDemandingRecords(tables, held)
  const tokens = tables.get(API_TOKENS.name) as Table
  const token = (id: string) => ({ record: { id, userID: 1, folder: '/' }, order: 0 })
  for (const id of ['used', 'unused']) setEntry(tokens, id, token(id))
  expect(records.get(API_TOKENS, 'used')).toBeDefined()
  expect(records.get(API_TOKENS, 'guessed')).toBeUndefined()
  held.sweep()
  expect([...tokens.entries.keys()]).toEqual(['used'])
  setEntry(tokens, 'guessed', token('guessed'))
  held.letGo(API_TOKENS as never, ['guessed', 'used'])
  expect([...tokens.entries.keys()]).toEqual(['used'])
})

test('whose a name is, is asked for in a change where it is not known, and by who reads in any case', () => {
  const { table } = opened([1])
  const change = new Wants()
  expect(() => change.index(table, 'username', 'u1')).not.toThrow()
  expect(() => change.index(table, 'username', 'u2')).toThrow('has to be loaded')
  const read = new Wants({ asksAlways: true })
  for (const name of ['u1', 'u2'])
    expect(() => read.index(table, 'username', name)).toThrow('has to be loaded')
})
