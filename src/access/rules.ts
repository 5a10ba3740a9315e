// What may be seen of a tree: rules and hidden names. Pure; no disk, no HTTP.
import { RE2JS } from 're2js'
import type { Permissions, Rule } from '../api-types.ts'
import { badRequest } from '../lib/errors.ts'
import { memo } from '../lib/memo.ts'
import type { VPath } from '../lib/vpath.ts'
import { faultOf } from '../store/rules.ts'

/** True when a path may be seen. */
export type PathTest = (vpath: VPath) => boolean

const ALLOW_ALL: PathTest = () => true

/**
 * Compiles rules, the global ones before the user's, into one test: the last that matches decides, and a path
 * that none matches is allowed. A path rule covers all below it, in any case where the file system ignores case
 * (GHSA-fgm5-pw99-w2p7); an expression that RE2 cannot compile denies everything, or allows nothing.
 */
export function compileRules(rules: readonly Rule[], foldCase: boolean): PathTest {
  if (rules.length === 0) return ALLOW_ALL
  const tests = rules.map((rule) => ({ allow: rule.allow, matches: compileRule(rule, foldCase) }))
  return (vpath) => {
    const folded = foldCase ? foldName(vpath) : vpath
    for (let i = tests.length - 1; i >= 0; i--) {
      const test = tests[i]
      if (test?.matches(vpath, folded)) return test.allow
    }
    return true
  }
}

/**
 * One spelling for all that a disk without case takes for the same name: APFS and ext4 fold as Unicode
 * says (`ſ` is an s, `ß` is ss), compare without regard to composition, and skip characters that
 * show nothing. It may join a few more than they do, never fewer.
 */
export function foldName(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase()
  const shown = text.normalize('NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  // Lower first: `ẞ` has no other upper case, but its lower case has one.
  return shown.toLowerCase().toUpperCase().toLowerCase().normalize('NFD')
}

/** Hides names that start with a dot, and everything below them. */
export const notHidden: PathTest = (vpath) => !vpath.includes('/.')

/** Both must allow it. */
export function bothAllow(a: PathTest, b: PathTest): PathTest {
  if (a === ALLOW_ALL) return b
  if (b === ALLOW_ALL) return a
  return (vpath) => a(vpath) && b(vpath)
}

/** Refuses rules that could not be evaluated. Throws AppError `bad_request` with the reason. */
export function checkRules(rules: readonly Rule[]): void {
  for (const [i, rule] of rules.entries()) {
    const fault = faultOf(rule)
    if (fault !== null) throw badRequest(`rule ${i + 1}: ${fault}`)
  }
}

/** Sharing hands out content, so it needs the right to download it. */
export function checkPermissions(perm: Permissions): void {
  if (perm.share && !perm.download)
    throw badRequest('permission to share requires permission to download')
}

type Matcher = (vpath: string, folded: string) => boolean

function compileRule(rule: Rule, foldCase: boolean): Matcher {
  if (!rule.regex) return compilePathRule(rule.path, foldCase)
  return foldCase ? foldedExpression(rule) : exactExpression(rule)
}

const exactExpression = memo((rule: Rule) => compileExpression(rule, 0))
const foldedExpression = memo((rule: Rule) => compileExpression(rule, RE2JS.CASE_INSENSITIVE))

function compileExpression({ regexp, allow }: Rule, flags: number): Matcher {
  try {
    const expression = RE2JS.compile(regexp?.raw ?? '', flags)
    return (vpath) => expression.test(vpath)
  } catch {
    return () => !allow
  }
}

function compilePathRule(path: string, foldCase: boolean): Matcher {
  const own = foldCase ? foldName(path) : path
  const below = own.endsWith('/') ? own : `${own}/`
  return (_vpath, folded) => folded === own || folded.startsWith(below)
}
