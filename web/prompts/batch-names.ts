// New names for several entries at once. Pure: the dialog previews and applies the same result.

import { splitName } from '../lib/paths.ts'

export type BatchRule =
  | { kind: 'replace'; find: string; replacement: string; matchCase: boolean }
  | { kind: 'add'; before: string; after: string }
  | { kind: 'number'; base: string; start: number }

export interface BatchResult {
  name: string
  changed: boolean
  problem: 'empty' | 'invalid' | 'clash' | null
}

function stemAfter(rule: BatchRule, stem: string, index: number, count: number): string {
  switch (rule.kind) {
    case 'replace': {
      if (rule.find === '') return stem
      const literal = rule.find.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      return stem.replace(new RegExp(literal, rule.matchCase ? 'g' : 'gi'), () => rule.replacement)
    }
    case 'add':
      return `${rule.before}${stem}${rule.after}`
    case 'number': {
      const digits = String(rule.start + count - 1).length
      return `${rule.base}${String(rule.start + index).padStart(digits, '0')}`
    }
  }
}

/**
 * The new names in the order of `entries`. Extensions stay. `taken` are the names in the folder,
 * those of the entries themselves included: a name that one of them gives up is free for another.
 */
export function batchNames(
  entries: readonly { name: string; isDir: boolean }[],
  rule: BatchRule,
  taken: ReadonlySet<string>,
): BatchResult[] {
  const names = entries.map(({ name, isDir }, index) => {
    const { stem, extension } = isDir ? { stem: name, extension: '' } : splitName(name)
    return `${stemAfter(rule, stem, index, entries.length)}${extension}`.trim()
  })
  const given = new Set(entries.map((entry) => entry.name))
  const uses = new Map<string, number>()
  for (const name of names) uses.set(name, (uses.get(name) ?? 0) + 1)
  return names.map((name, index) => {
    const changed = name !== entries[index]?.name
    const clash = (uses.get(name) ?? 0) > 1 || (changed && taken.has(name) && !given.has(name))
    const invalid = /[/\0]/.test(name) || name === '.' || name === '..'
    const problem = name === '' ? 'empty' : invalid ? 'invalid' : clash ? 'clash' : null
    return { name, changed, problem }
  })
}

/**
 * Steps in an order in which no name is taken when its turn comes. Where names are swapped in a
 * circle one of them takes a detour over a name nobody has.
 */
export function orderSteps(
  pairs: readonly { from: string; to: string }[],
): { from: string; to: string }[] {
  const waiting = new Map(
    pairs.filter(({ from, to }) => from !== to).map((pair) => [pair.from, pair.to]),
  )
  const steps: { from: string; to: string }[] = []
  while (waiting.size > 0) {
    const free = [...waiting].find(([, to]) => !waiting.has(to))
    if (free !== undefined) {
      steps.push({ from: free[0], to: free[1] })
      waiting.delete(free[0])
      continue
    }
    const [circle] = waiting
    if (circle === undefined) break
    const [from, to] = circle
    const detour = `${from}.renaming-${steps.length}`
    steps.push({ from, to: detour })
    waiting.delete(from)
    waiting.set(detour, to)
  }
  return steps
}
