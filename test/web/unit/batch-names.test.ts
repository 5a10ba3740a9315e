import { describe, expect, it } from 'vitest'
import { batchNames, orderSteps } from '../../../web/prompts/batch-names.ts'

const files = ['a.txt', 'b.tar.gz', 'c'].map((name) => ({ name, isDir: false }))
const taken = new Set(['a.txt', 'b.tar.gz', 'c', 'd.txt'])

describe('renaming several entries', () => {
  it('keeps extensions and numbers with as many digits as needed', () => {
    const many = Array.from({ length: 10 }, (_, i) => ({ name: `x${i}.jpg`, isDir: false }))
    const names = batchNames(many, { kind: 'number', base: 'trip ', start: 1 }, new Set())
    expect(names[0]?.name).toBe('trip 01.jpg')
    expect(names[9]?.name).toBe('trip 10.jpg')
    const added = batchNames(files, { kind: 'add', before: 'x-', after: '-y' }, taken)
    expect(added.map((result) => result.name)).toEqual(['x-a-y.txt', 'x-b-y.tar.gz', 'x-c-y'])
  })

  it('takes what is looked for literally', () => {
    const dots = [{ name: 'a.b.c.txt', isDir: false }]
    const rule = { kind: 'replace', find: '.', replacement: '$&', matchCase: false } as const
    expect(batchNames(dots, rule, new Set())[0]?.name).toBe('a$&b$&c.txt')
  })

  it('says which names are taken, empty or not allowed', () => {
    const problems = (rule: Parameters<typeof batchNames>[1]) =>
      batchNames(files, rule, taken).map((result) => result.problem)
    const replace = (find: string, replacement: string) =>
      problems({ kind: 'replace', find, replacement, matchCase: true })
    expect(replace('a', 'd')).toEqual(['clash', null, null])
    expect(replace('c', '')).toEqual([null, null, 'empty'])
    expect(replace('c', 'x/y')).toEqual([null, null, 'invalid'])
    expect(replace('zzz', 'q')).toEqual([null, null, null])
  })

  it('swaps names through a detour, and chains in the right order', () => {
    const apply = (start: string[], pairs: { from: string; to: string }[]) => {
      const names = new Map(start.map((name) => [name, name]))
      for (const { from, to } of orderSteps(pairs)) {
        expect(names.has(to)).toBe(false)
        const content = names.get(from)
        expect(content).toBeDefined()
        names.delete(from)
        names.set(to, content ?? '')
      }
      return Object.fromEntries(names)
    }
    expect(
      apply(
        ['a', 'b'],
        [
          { from: 'a', to: 'b' },
          { from: 'b', to: 'a' },
        ],
      ),
    ).toEqual({
      b: 'a',
      a: 'b',
    })
    expect(
      apply(
        ['1', '2', '3'],
        [
          { from: '1', to: '2' },
          { from: '2', to: '3' },
          { from: '3', to: '4' },
        ],
      ),
    ).toEqual({
      2: '1',
      3: '2',
      4: '3',
    })
  })
})
