import { expect, test } from 'vitest'
import type { Clash, ConflictProps } from '../../../web/operations/transfer-types.ts'
import {
  bulkChoice,
  isSameFile,
  matchingRule,
  presetChoice,
} from '../../../web/prompts/transfer/clash-rules.ts'
import {
  applyChoices,
  compare,
  type ExistingTree,
  type PlacedEntry,
  toClash,
} from '../../../web/uploads/clashes.ts'

const DAY_MS = 86_400_000

function entry(sourcePath: string, sizeBytes = 1, lastModified = 5 * DAY_MS): PlacedEntry {
  const name = sourcePath.slice(sourcePath.lastIndexOf('/') + 1)
  const file = new File([new Uint8Array(sizeBytes)], name, { lastModified })
  return { sourcePath, place: sourcePath, file, unreadable: false }
}

const emptyFolder = (sourcePath: string): PlacedEntry => ({
  sourcePath,
  place: sourcePath,
  file: null,
  unreadable: false,
})

function tree(entries: Record<string, 'dir' | number>): ExistingTree {
  return new Map(
    Object.entries(entries).map(([path, value]) => [
      path,
      { isDir: value === 'dir', sizeBytes: value === 'dir' ? 4096 : value, modifiedMs: DAY_MS },
    ]),
  )
}

function clash(incoming: Partial<Clash['incoming']>, existing: Partial<Clash['existing']>): Clash {
  const side = { isDir: false, sizeBytes: 10, modifiedMs: DAY_MS }
  return {
    id: 'a.txt',
    name: 'a.txt',
    location: '',
    incoming: { ...side, ...incoming },
    existing: { ...side, ...existing },
  }
}

test('equal folders merge and only files inside them clash', () => {
  const existing = tree({ trip: 'dir', 'trip/a.jpg': 3, 'trip/empty': 'dir' })
  const { clean, clashing } = compare(
    [entry('trip/a.jpg'), entry('trip/b.jpg'), emptyFolder('trip/empty'), entry('c.jpg')],
    existing,
  )
  expect(clean.map(({ targetPath }) => targetPath)).toEqual(['trip/b.jpg', 'c.jpg'])
  expect([...clashing.keys()]).toEqual(['trip/a.jpg'])
})

test('a file in the way of a folder is one clash for everything below it', () => {
  const existing = tree({ trip: 7 })
  const { clean, clashing } = compare([entry('trip/a'), entry('trip/deep/b')], existing)
  expect(clean).toEqual([])
  const below = clashing.get('trip') ?? []
  expect(below.map(({ sourcePath }) => sourcePath)).toEqual(['trip/a', 'trip/deep/b'])
  expect(toClash('trip', below, existing)).toMatchObject({
    name: 'trip',
    incoming: { isDir: true },
    existing: { isDir: false, sizeBytes: 7 },
  })
  const planned = applyChoices(clashing, new Map([['trip', 'rename']]), existing, [])
  expect(planned.map(({ targetPath }) => targetPath)).toEqual(['trip(1)/a', 'trip(1)/deep/b'])
})

test('keeping both takes the first free number, also beside others of the same upload', () => {
  const existing = tree({ 'a.txt': 1, 'a(1).txt': 1, d: 'dir', 'd/b.tar': 1 })
  const { clean, clashing } = compare(
    [entry('a.txt'), entry('a(2).txt'), entry('d/b.tar')],
    existing,
  )
  const planned = applyChoices(
    clashing,
    new Map([
      ['a.txt', 'rename'],
      ['d/b.tar', 'rename'],
    ]),
    existing,
    clean,
  )
  expect(planned.map(({ targetPath, overwrite }) => [targetPath, overwrite])).toEqual([
    ['a(3).txt', false],
    ['d/b(1).tar', false],
  ])
})

test('skipped files are not uploaded and replaced ones may overwrite', () => {
  const existing = tree({ a: 1, b: 1 })
  const { clashing } = compare([entry('a'), entry('b')], existing)
  const planned = applyChoices(
    clashing,
    new Map([
      ['a', 'skip'],
      ['b', 'replace'],
    ]),
    existing,
    [],
  )
  expect(planned.map(({ targetPath, overwrite }) => [targetPath, overwrite])).toEqual([['b', true]])
})

test('names that differ in case or Unicode form are left to the server', () => {
  const { clean } = compare(
    [entry('A.TXT'), entry('e\u0301.txt')],
    tree({ 'a.txt': 1, 'é.txt': 1 }),
  )
  expect(clean).toHaveLength(2)
})

test('the newer file wins at first; equal files are skipped; unknown ages keep both', () => {
  const newer = clash({ modifiedMs: 3 * DAY_MS }, {})
  const older = clash({}, { modifiedMs: 3 * DAY_MS })
  expect(presetChoice(newer, true)).toBe('replace')
  expect(presetChoice(newer, false)).toBe('rename')
  expect(presetChoice(older, true)).toBe('skip')
  expect(presetChoice(clash({}, {}), true)).toBe('skip')
  expect(presetChoice(clash({ modifiedMs: null }, {}), true)).toBe('rename')
  expect(presetChoice(clash({ isDir: true }, {}), true)).toBe('rename')
})

test('times within two seconds count as equal', () => {
  expect(isSameFile(clash({ modifiedMs: DAY_MS + 1500 }, {}))).toBe(true)
  expect(isSameFile(clash({ modifiedMs: DAY_MS + 2500 }, {}))).toBe(false)
  expect(isSameFile(clash({ sizeBytes: 11 }, {}))).toBe(false)
})

test('resume sends what is larger here and skips the rest', () => {
  expect(bulkChoice('resume', clash({ sizeBytes: 20 }, {}), true)).toBe('replace')
  expect(bulkChoice('resume', clash({ sizeBytes: 5 }, {}), true)).toBe('skip')
})

test('replacing a folder by a file is never chosen', () => {
  const mixed = clash({}, { isDir: true })
  expect(bulkChoice('replace', mixed, true)).toBe('rename')
  expect(
    bulkChoice(
      'older',
      { ...mixed, incoming: { ...mixed.incoming, modifiedMs: 9 * DAY_MS } },
      true,
    ),
  ).toBe('rename')
})

test('the button of a rule lights only while every choice follows it', () => {
  const props: ConflictProps = {
    clashes: [clash({ modifiedMs: 3 * DAY_MS }, {}), { ...clash({}, {}), id: 'b' }],
    targetName: 'x',
    kind: 'upload',
    allowResume: true,
    allowReplace: true,
    otherCount: 0,
  }
  const choices = new Map<string, 'replace' | 'skip'>([
    ['a.txt', 'replace'],
    ['b', 'skip'],
  ])
  expect(matchingRule(props, choices)).toBe('older')
  choices.set('b', 'replace')
  expect(matchingRule(props, choices)).toBe('replace')
  choices.set('a.txt', 'skip')
  expect(matchingRule(props, choices)).toBe(null)
})
