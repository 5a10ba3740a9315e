// Whether a rule can be evaluated at all.
import { RE2JS } from 're2js'
import type { Rule } from '../api-types.ts'

/** Why the expression of a rule is of no use; null when it is, and for rules that name a path. */
export function faultOf(rule: Rule): string | null {
  if (!rule.regex) return null
  const raw = rule.regexp?.raw ?? ''
  if (raw === '') return 'the expression is empty'
  try {
    RE2JS.compile(raw)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
