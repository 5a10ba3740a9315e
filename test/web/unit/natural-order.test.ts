import { describe, expect, it } from 'vitest'
import { compareNatural } from '../../../src/lib/name-order.ts'
import {
  fromWire,
  nextChoice,
  sortOrder,
  toSortInput,
  toWire,
} from '../../../web/lib/sorting/sort-entries.ts'
import { cpuMs, leastMs } from '../../support/cpu-time.ts'

const byName = (names: string[]) =>
  [...names].sort((a, b) => compareNatural(a.toLowerCase(), b.toLowerCase()))

describe('natural order', () => {
  it('sorts names as the server does', () => {
    // docs/http-api.md 6.6: a02.txt and a2.txt tie there, so the triple stays apart
    expect(
      byName(['É.txt', 'C.txt', 'b.txt', 'a10.txt', 'a2b', 'a2', 'a02a', 'a02.txt', 'a002', '_x']),
    ).toEqual(['_x', 'a002', 'a02.txt', 'a02a', 'a2', 'a2b', 'a10.txt', 'b.txt', 'C.txt', 'É.txt'])
  })

  it('compares numbers of any length by value', () => {
    expect(byName(['f99999999999999999999999', 'f100000000000000000000000', 'f2'])).toEqual([
      'f2',
      'f99999999999999999999999',
      'f100000000000000000000000',
    ])
  })

  it('puts an emoji behind the private use area, as its bytes are', () => {
    expect(byName(['\u{1f600}', '\ue000'])).toEqual(['\ue000', '\u{1f600}'])
  })
})

const entry = (name: string, isDir = false, size = 0, modified = '2026-01-01T00:00:00Z') => ({
  name,
  isDir,
  size,
  modified,
})
const sorted = (
  entries: ReturnType<typeof entry>[],
  column: 'name' | 'size' | 'modified',
  ascending: boolean,
  locale = 'en',
) =>
  [...sortOrder(toSortInput(entries, locale), { column, ascending })].map((i) => entries[i]?.name)

describe('order on the screen', () => {
  const entries = [
    entry('b.txt', false, 5, '2026-03-01T00:00:00.5+02:00'),
    entry('zoo', true, 4096, '2026-01-05T00:00:00Z'),
    entry('a.txt', false, 5, '2026-02-28T23:00:00Z'),
    entry('Alpha', true, 9000, '2026-01-01T00:00:00Z'),
    entry('c.txt', false, 1, '2025-01-01T00:00:00.123456789Z'),
  ]

  it('keeps folders before files in every order', () => {
    expect(sorted(entries, 'name', false)).toEqual(['zoo', 'Alpha', 'c.txt', 'b.txt', 'a.txt'])
    expect(sorted(entries, 'modified', true)).toEqual(['Alpha', 'zoo', 'c.txt', 'b.txt', 'a.txt'])
  })

  it('orders folders by name when sorting by size, because their own size means nothing', () => {
    expect(sorted(entries, 'size', false)).toEqual(['Alpha', 'zoo', 'a.txt', 'b.txt', 'c.txt'])
  })

  it('says the same on the wire and back', () => {
    expect(toWire({ column: 'name', ascending: true })).toEqual({ by: 'name', asc: false })
    for (const column of ['name', 'size', 'modified'] as const) {
      for (const ascending of [true, false]) {
        expect(fromWire(toWire({ column, ascending }))).toEqual({ column, ascending })
      }
    }
    expect(fromWire({ by: 'nonsense', asc: true })).toEqual({ column: 'name', ascending: true })
  })

  it.each([
    ['en', ['Ähre', 'apfel', 'e\u0301clair', 'école', 'Eis', 'ölig', 'Zug']],
    ['de', ['Ähre', 'apfel', 'e\u0301clair', 'école', 'Eis', 'ölig', 'Zug']],
    ['sv', ['apfel', 'e\u0301clair', 'école', 'Eis', 'Zug', 'Ähre', 'ölig']],
  ])('puts letters with accents where a reader looks for them: %s', (locale, names) => {
    const shuffled = names.toReversed().map((name) => entry(name))
    expect(sorted(shuffled, 'name', true, locale)).toEqual(names)
  })

  it('minds endings last, so that a copy follows what it is of', () => {
    const names = ['note-1.md', 'note-1.txt', 'note-1(1).md', 'note-1(2).md', '.rc', 'v1.2']
    const order = sorted(
      names.map((name) => entry(name)),
      'name',
      true,
    )
    expect(order).toEqual(['.rc', ...names.slice(0, 4), 'v1.2'])
    expect(
      sorted(
        ['v1.10', 'v1.2'].map((name) => entry(name, true)),
        'name',
        true,
      ),
    ).toEqual(['v1.2', 'v1.10'])
  })

  it('goes by the date a picture was taken, those without one last', () => {
    const dates: Record<string, string> = { a: '2024-05-05T14:22:00', b: '2023-01-01T00:00:00' }
    const all = ['c', 'a', 'd', 'b'].map((name) => ({ name, isDir: false, size: 1, modified: '' }))
    const input = toSortInput(all, 'en', ({ name }) => dates[name] ?? '')
    const sorted = (ascending: boolean) =>
      [...sortOrder(input, { column: 'taken', ascending })].map((i) => all[i]?.name).join('')
    expect([sorted(true), sorted(false)]).toEqual(['bacd', 'abcd'])
  })

  it('groups by kind, within a kind by name, and keeps folders by name', () => {
    const kindOf = ({ name }: { name: string }) => name.split('.')[1] ?? ''
    const files = ['b.txt', 'z.jpg', 'c.txt', 'a.jpg'].map((name) => entry(name))
    const all = [...files, entry('zoo', true), entry('Alpha', true)]
    const inOrder = (ascending: boolean) =>
      [...sortOrder(toSortInput(all, 'en', kindOf), { column: 'kind', ascending })].map(
        (i) => all[i]?.name,
      )
    expect(inOrder(true)).toEqual(['Alpha', 'zoo', 'a.jpg', 'z.jpg', 'b.txt', 'c.txt'])
    expect(inOrder(false)).toEqual(['Alpha', 'zoo', 'b.txt', 'c.txt', 'a.jpg', 'z.jpg'])
  })

  it('turns the sorted column and starts another at its beginning', () => {
    expect(nextChoice({ column: 'name', ascending: true }, 'name').ascending).toBe(false)
    expect(nextChoice({ column: 'name', ascending: false }, 'size')).toEqual({
      column: 'size',
      ascending: true,
    })
  })

  it('orders 100,000 entries in less than a second', async () => {
    const many = Array.from({ length: 100_000 }, (_, i) =>
      entry(`file ${(i * 7919) % 100_000}.txt`),
    )
    const takenMs = await leastMs(1000, () =>
      cpuMs(() => {
        const order = sortOrder(toSortInput(many, 'en'), { column: 'name', ascending: true })
        expect(many[order[99_999] as number]?.name).toBe('file 99999.txt')
      }),
    )
    expect(takenMs).toBeLessThan(1000)
  })
})
