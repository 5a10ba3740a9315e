// Access rules while they are edited, and what they say about a path. The same reading as the
// server's: in order, the last match wins.

import type { Rule } from '../../../src/api-types.ts'

export interface RuleDraft {
  /** For React and for dragging; not stored. */
  key: number
  allow: boolean
  regex: boolean
  text: string
}

/** Says whether an expression matches; null when it is none. */
export type Matcher = (expression: string, path: string) => boolean | null

let lastKey = 0

export function newRule(): RuleDraft {
  return { key: ++lastKey, allow: false, regex: false, text: '' }
}

export function toDrafts(rules: readonly Rule[]): RuleDraft[] {
  return rules.map((rule) => ({
    key: ++lastKey,
    allow: rule.allow,
    regex: rule.regex,
    text: rule.regex ? (rule.regexp?.raw ?? '') : rule.path,
  }))
}

export function toRules(drafts: readonly RuleDraft[]): Rule[] {
  return drafts.map(({ allow, regex, text }) => ({
    allow,
    regex,
    path: regex ? '' : text,
    regexp: regex ? { raw: text } : null,
  }))
}

export type RuleProblem = 'empty' | 'slash' | 'dots' | 'expression'

/** What keeps a rule from ever matching, or null. Expressions need `matches` to be checked. */
export function problemOf(rule: RuleDraft, matches: Matcher | null): RuleProblem | null {
  if (rule.text === '') return 'empty'
  if (rule.regex) return matches && matches(rule.text, '/') === null ? 'expression' : null
  if (!rule.text.startsWith('/')) return 'slash'
  if (rule.text.split('/').some((part) => part === '.' || part === '..')) return 'dots'
  if (rule.text.length > 1 && rule.text.includes('//')) return 'dots'
  return null
}

/** The verdict on a path and the place of the rule that gave it; -1 when no rule matches. */
export function decide(
  rules: readonly RuleDraft[],
  path: string,
  matches: Matcher,
): { allow: boolean; at: number } {
  let verdict = { allow: true, at: -1 }
  rules.forEach((rule, at) => {
    const hit = rule.regex ? matches(rule.text, path) === true : covers(rule.text, path)
    if (hit) verdict = { allow: rule.allow, at }
  })
  return verdict
}

function covers(rulePath: string, path: string): boolean {
  if (rulePath === '') return false
  if (path === rulePath) return true
  return path.startsWith(rulePath.endsWith('/') ? rulePath : `${rulePath}/`)
}

/** The list with the rule at `from` put at `to`. */
export function moveRule<T>(rules: readonly T[], from: number, to: number): T[] {
  const next = [...rules]
  const [rule] = next.splice(from, 1)
  if (rule !== undefined) next.splice(to, 0, rule)
  return next
}
