import { describe, expect, it } from 'vitest'
import {
  decide,
  type Matcher,
  moveRule,
  problemOf,
  type RuleDraft,
  toDrafts,
  toRules,
} from '../../../web/settings/users/rule-draft.ts'

const matches: Matcher = (expression, path) => {
  try {
    return new RegExp(expression).test(path)
  } catch {
    return null
  }
}

function rule(allow: boolean, text: string, regex = false): RuleDraft {
  return { key: 0, allow, regex, text }
}

describe('rules', () => {
  it.each([
    ['/uploads', '/uploads', true],
    ['/uploads', '/uploads/file.txt', true],
    ['/uploads', '/uploads_backup/x', false],
    ['/', '/anything', true],
    ['/uploads/', '/uploads/file.txt', true],
    ['/uploads/', '/uploads', false],
    ['/Secret.txt', '/secret.TXT', false],
    ['', '/anything', false],
  ])('path %j covers %j: %s', (text, path, covered) => {
    expect(decide([rule(false, text)], path, matches).allow).toBe(!covered)
  })

  it('let the last match win and say which it was', () => {
    const rules = [rule(false, '/d'), rule(true, '/d/pub'), rule(false, 'x$', true)]
    expect(decide(rules, '/d/a', matches)).toEqual({ allow: false, at: 0 })
    expect(decide(rules, '/d/pub/a', matches)).toEqual({ allow: true, at: 1 })
    expect(decide(rules, '/d/pub/x', matches)).toEqual({ allow: false, at: 2 })
    expect(decide(rules, '/free', matches)).toEqual({ allow: true, at: -1 })
  })

  it.each([
    [rule(true, ''), 'empty'],
    [rule(true, 'no/slash'), 'slash'],
    [rule(true, '/a/../b'), 'dots'],
    [rule(true, '/a//b'), 'dots'],
    [rule(true, '(', true), 'expression'],
    [rule(true, '/', false), null],
    [rule(true, '/..two-dots', false), null],
    [rule(true, '\\.pdf$', true), null],
  ])('%o has the problem %s', (draft, problem) => {
    expect(problemOf(draft, matches)).toBe(problem)
  })

  it('come back from the editor as they went in', () => {
    const wire = [
      { regex: false, allow: true, path: '/a', regexp: null },
      { regex: true, allow: false, path: '', regexp: { raw: '^/b' } },
    ]
    expect(toRules(toDrafts(wire))).toEqual(wire)
  })

  it('move without losing one', () => {
    expect(moveRule(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
    expect(moveRule(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
  })
})
