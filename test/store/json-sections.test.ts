// A JSON file in pieces: what is read of it is what reading it at once gives.
import { writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ParseError } from '../../src/lib/parse.ts'
import { findSections, objectTexts, readObjectOf } from '../../src/store/json-sections.ts'
import { makeTree } from '../support/tree.ts'

test('holds what it holds as a whole, however it is written', async () => {
  await using tree = await makeTree({})
  const file = tree.at('a.json')
  const value = fc.jsonValue({ maxDepth: 3 })
  const object = fc.dictionary(fc.string({ unit: 'binary' }), value)
  const indent = fc.constantFrom(undefined, 1, '\t')
  await fc.assert(
    fc.asyncProperty(object, indent, async (whole, space) => {
      const text = JSON.stringify(whole, null, space)
      await writeFile(file, text)
      expect(JSON.stringify(await readObjectOf(file))).toBe(JSON.stringify(JSON.parse(text)))
    }),
    { numRuns: 200 },
  )
})

test('has a key __proto__ like any other', async () => {
  await using tree = await makeTree({ 'a.json': '{"__proto__": [1], "b": 2}' })
  const whole = await readObjectOf(tree.at('a.json'))
  expect(Object.entries(whole)).toEqual([
    ['__proto__', [1]],
    ['b', 2],
  ])
  expect(Object.getPrototypeOf(whole)).toBe(Object.prototype)
})

test('may be larger than what is read at a time, and so may an item', async () => {
  await using tree = await makeTree({})
  const file = tree.at('a.json')
  const items = Array.from({ length: 3_000 }, (_, n) => ({
    n,
    text: '\u{1f600}"\\,]'.repeat(n % 400),
  }))
  const whole = { first: 1, items: [...items, 'x'.repeat(3_000_000)], last: [] }
  await writeFile(file, JSON.stringify(whole))
  expect(await readObjectOf(file)).toEqual(whole)
})

test('is written in pieces as it is at once', async () => {
  const list = fc.array(fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(null)))
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), list)
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value, { minKeys: 1 }), (whole) => {
      expect([...objectTexts(whole)].join('')).toBe(`${JSON.stringify(whole, null, 1)}\n`)
    }),
  )
  const items = Array.from({ length: 2_500 }, (_, n) => ({ n }))
  const whole = { items, none: [] }
  expect([...objectTexts(whole)].join('')).toBe(`${JSON.stringify(whole, null, 1)}\n`)
})

test('that ends too early is refused', async () => {
  await using tree = await makeTree({ 'a.json': '{"a": [1, 2], "b": {' })
  await expect(findSections(tree.at('a.json'))).rejects.toBeInstanceOf(ParseError)
})
