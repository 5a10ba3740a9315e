import { expect, test } from 'vitest'
import type { ScannedEntry } from '../../../web/uploads/dropped-files.ts'
import { createResumeIndex, isStillThere, toSummary } from '../../../web/uploads/interrupted.ts'
import type { InterruptedBatch, JournalItem } from '../../../web/uploads/journal.ts'

const item = (sourcePath: string, more: Partial<JournalItem> = {}): JournalItem => ({
  batchID: 'b',
  sourcePath,
  targetPath: sourcePath,
  isDir: false,
  sizeBytes: 3,
  lastModifiedMs: 1000,
  overwrite: false,
  done: false,
  uploadURL: null,
  ...more,
})

const batch = (items: JournalItem[]): InterruptedBatch => ({
  id: 'b',
  userID: 1,
  targetPath: '/in',
  startedAtMs: 5,
  items,
})

const entry = (sourcePath: string, content = 'abc', lastModified = 1000): ScannedEntry => ({
  sourcePath,
  file: new File([content], 'x', { lastModified }),
  unreadable: false,
})

test('a file is found by its path, in the same target alone, and known as another by size and time', () => {
  const batches = [batch([item('a.txt'), item('d/b.txt')])]
  const index = createResumeIndex(batches, '/in')
  expect(index.find(entry('d/b.txt'))?.item.sourcePath).toBe('d/b.txt')
  expect(index.find(entry('b.txt'))).toBe(null)
  expect(index.find(entry('a.txt'))?.changed).toBe(false)
  expect(index.find(entry('a.txt', 'abcd'))?.changed).toBe(true)
  expect(index.find(entry('a.txt', 'abc', 2000))?.changed).toBe(true)
  expect(createResumeIndex(batches, '/other').find(entry('a.txt'))).toBe(null)
})

test('what belongs to a folder that went under another name is looked for there', () => {
  const items = [
    item('trip/a.txt', { targetPath: 'trip (1)/a.txt' }),
    item('trip/deep/b.txt', { targetPath: 'trip (1)/deep (1)/b.txt' }),
    item('other/c.txt'),
  ]
  const index = createResumeIndex([batch(items)], '/in')
  expect(index.placeOf('trip/new.txt')).toBe('trip (1)/new.txt')
  expect(index.placeOf('trip/deep/x/new.txt')).toBe('trip (1)/deep (1)/x/new.txt')
  expect(index.placeOf('other/new.txt')).toBe('other/new.txt')
  expect(index.placeOf('trip')).toBe('trip')
  expect([...index.topFolders(new Set(['trip']))]).toEqual(['trip (1)'])
  expect([...index.topFolders(new Set(['elsewhere']))]).toEqual([])
})

test('of a folder sent twice under different names the newest counts, for its files and new ones', () => {
  const sent = (id: string, startedAtMs: number, place: string): InterruptedBatch => ({
    ...batch([item('trip/a.txt', { targetPath: `${place}/a.txt` })]),
    id,
    startedAtMs,
  })
  const older = sent('older', 1, 'trip')
  const newer = sent('newer', 2, 'trip (1)')
  for (const batches of [
    [older, newer],
    [newer, older],
  ]) {
    const index = createResumeIndex(batches, '/in')
    expect(index.find(entry('trip/a.txt'))?.batchID).toBe('newer')
    expect(index.placeOf('trip/new.txt')).toBe('trip (1)/new.txt')
  }
})

test('a finished file that was deleted or changed since is sent again', () => {
  const done = item('a.txt', { done: true })
  const there = (sizeBytes: number, isDir = false) =>
    new Map([['a.txt', { isDir, sizeBytes, modifiedMs: 90_000 }]])
  expect(isStillThere(done, there(3))).toBe(true)
  expect(isStillThere(done, there(4))).toBe(false)
  expect(isStillThere(done, there(3, true))).toBe(false)
  expect(isStillThere(done, new Map())).toBe(false)
  expect(isStillThere(item('a.txt'), there(3))).toBe(false)
})

test('a file that is there with size and time was sent, whatever this browser heard of it', () => {
  const there = (modifiedMs: number) =>
    new Map([['a.txt', { isDir: false, sizeBytes: 3, modifiedMs }]])
  expect(isStillThere(item('a.txt'), there(1000))).toBe(true)
  expect(isStillThere(item('a.txt', { lastModifiedMs: 2900 }), there(2000))).toBe(true)
  expect(isStillThere(item('a.txt'), there(4000))).toBe(false)
})

test('a folder without files is found, is there when a folder is, and is told apart', () => {
  const folder = item('d/empty', { isDir: true, sizeBytes: 0, lastModifiedMs: 0 })
  const index = createResumeIndex([batch([folder, item('d/a.txt')])], '/in')
  const dropped = { sourcePath: 'd/empty', file: null, unreadable: false }
  expect(index.find(dropped)?.item).toBe(folder)
  expect(index.find(entry('d/empty'))).toBe(null)
  expect(index.emptyFolders(new Set(['d'])).map(({ item }) => item)).toEqual([folder])
  expect(index.emptyFolders(new Set(['e']))).toEqual([])
  const there = { isDir: true, sizeBytes: 0, modifiedMs: 1 }
  expect(isStillThere(folder, new Map([['d/empty', there]]))).toBe(true)
  expect(isStillThere(folder, new Map([['d/empty', { ...there, isDir: false }]]))).toBe(false)
})

test('the notice counts what is left and names the first few', () => {
  const items = ['a', 'd/b', 'c', 'e', 'f'].map((path, n) => item(path, { done: n === 0 }))
  expect(toSummary(batch(items))).toMatchObject({
    files: 5,
    doneFiles: 1,
    leftBytes: 12,
    fromFolder: true,
    names: ['b', 'c', 'e'],
  })
})
