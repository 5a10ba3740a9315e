import { expect, it } from 'vitest'
import type { JsonNode } from '../../../web/text/json-scan.ts'
import { JsonRows } from '../../../web/viewers/json/json-rows.ts'

function node(count: number, key: string | null = null): JsonNode {
  return { kind: count > 0 ? 'object' : 'number', key, start: 0, end: 0, count, text: '' }
}

it('gives no rows that were asked for before others, however late they come', async () => {
  const late = Promise.withResolvers<JsonNode[]>()
  const rows = new JsonRows({ children: () => late.promise })
  rows.setRoot(node(2))
  const open = rows.list()
  rows.toggle('', false)
  const closed = await rows.list()
  expect(closed?.map(({ id, expanded }) => [id, expanded])).toEqual([['', false]])
  late.resolve([node(0, 'a'), node(0, 'b')])
  expect(await open).toBeNull()
  rows.toggle('', true)
  expect((await rows.list())?.map(({ id }) => id)).toEqual(['', '/0', '/1'])
})

it('keeps no items of a text that another one replaced while they were on their way', async () => {
  const late = Promise.withResolvers<JsonNode[]>()
  const answers = [late.promise, Promise.resolve([node(0, 'new')])]
  const rows = new JsonRows({ children: () => answers.shift() ?? Promise.resolve([]) })
  rows.setRoot(node(1))
  const old = rows.list()
  rows.setRoot(node(1))
  const fresh = await rows.list()
  late.resolve([node(0, 'old')])
  await old
  for (const list of [fresh, await rows.list()]) expect(list?.[1]?.label?.text).toBe('new')
})
