import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonError, type JsonNode, JsonText, TooManyError } from '../../web/text/json-scan.ts'

/** The value a tree stands for, for comparing with JSON.parse. */
function build(json: JsonText, node: JsonNode): unknown {
  const children = json.children(node.start, 0, node.count)
  if (node.kind === 'array') return children.map((child) => build(json, child))
  if (node.kind === 'object') {
    return Object.fromEntries(children.map((child) => [child.key, build(json, child)]))
  }
  return JSON.parse(json.text.slice(node.start, node.end))
}

function problem(text: string): JsonError {
  try {
    new JsonText(text)
  } catch (error) {
    if (error instanceof JsonError) return error
    throw error
  }
  throw new Error('was accepted')
}

describe('JSON as a tree', () => {
  it('holds the same values as a parser would give, however written', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2, '\t'), (text, indent) => {
        const parsed: unknown = JSON.parse(text)
        const written = JSON.stringify(parsed, null, indent)
        const json = new JsonText(written)
        expect(build(json, json.root)).toEqual(parsed)
      }),
    )
  })

  it('keeps the order of keys, duplicates and long numbers', () => {
    const json = new JsonText('{"10": 1, "2": 12345678901234567890, "10": 0.10}')
    expect(json.children(json.root.start, 0, 9).map(({ key, text }) => [key, text])).toEqual([
      ['10', '1'],
      ['2', '12345678901234567890'],
      ['10', '0.10'],
    ])
  })

  it('accepts comments, trailing commas and a byte order mark', () => {
    const json = new JsonText('\ufeff// settings\n{"a": [1, 2,], /* b */ "b": {},}\n')
    expect(json.root.count).toBe(2)
    expect(json.children(json.root.start, 0, 2).map((node) => node.count)).toEqual([2, 0])
  })

  it('takes one value per line for a list', () => {
    const json = new JsonText('{"a":1}\n{"a":2}\n\n{"a":3}\n')
    expect(json.isLines).toBe(true)
    expect(json.root).toMatchObject({ kind: 'array', count: 3 })
    expect(json.pathTo(json.text.indexOf('2')).map(({ index }) => index)).toEqual([1, 0])
  })

  it('finds the way to any place in the text', () => {
    const json = new JsonText('{"list": [10, {"deep": "needle"}], "x": 1}')
    const path = json.pathTo(json.text.indexOf('needle'))
    expect(path.map(({ index }) => index)).toEqual([0, 1, 0])
    expect(json.pathTo(json.text.indexOf('"x"')).map(({ index }) => index)).toEqual([1])
  })

  it('says where a broken text stops making sense', () => {
    expect(problem('{\n  "a": 1,\n  b: 2\n}')).toMatchObject({ line: 3, column: 3 })
    expect(problem('[1, 2')).toMatchObject({ offset: 6 - 1 })
    for (const text of ['', '{', '"open', '{"a" 1}', '[1 2]', 'nul', '01', '{"a":}', '/* open']) {
      expect(problem(text), text).toBeInstanceOf(JsonError)
    }
  })

  it('is not brought down by nesting', () => {
    const deep = `${'['.repeat(15_000)}${']'.repeat(15_000)}`
    expect(new JsonText(deep).root.count).toBe(1)
    expect(problem('['.repeat(200_000))).toBeInstanceOf(JsonError)
  })

  it.each([
    ['a list', (items: number) => `{"in": [{"it": [${Array(items).fill('""').join()}]}]}`],
    ['lines', (items: number) => '""\n'.repeat(items)],
  ])('refuses %s of more items than there is memory for', (_, write) => {
    const json = new JsonText(write(1000), 1000)
    expect(json.pathTo(json.text.lastIndexOf('"')).at(-1)?.index).toBe(999)
    expect(() => new JsonText(write(1001), 1000)).toThrow(TooManyError)
  })

  it('cuts long values for showing', () => {
    const json = new JsonText(JSON.stringify(['x'.repeat(100_000)]))
    const [value] = json.children(json.root.start, 0, 1)
    expect(value?.text.length).toBeLessThan(500)
    expect(value?.text.endsWith('…')).toBe(true)
  })
})
