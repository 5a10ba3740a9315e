import { expect, it } from 'vitest'
import { sortByName } from '../src/lib/sort-in-slices.ts'

it.each([
  ['a few', 10],
  ['many', 5_000],
])('%s names come in the order of their bytes in UTF-8', async (_, count) => {
  const odd = ['\u{1f600}', '\uffee', 'é', 'z', 'Z', '', 'a\u{10000}', 'a\uf000']
  const names = [...odd, ...Array.from({ length: count }, (_, i) => `${(i * 7_919) % count}.txt`)]
  for (const some of [names, names.filter((name) => !odd.includes(name))]) {
    const sorted = await sortByName(some.map((name) => ({ name })))
    const expected = some.map((name) => Buffer.from(name)).sort(Buffer.compare)
    expect(sorted.map(({ name }) => name)).toEqual(expected.map(String))
  }
})
