// Which choice each "for all" button and the preset mean for one clash. Pure; the dialog and the
// tests use the same functions.

import type { Clash, ClashChoice, ConflictProps } from '../../operations/transfer-types.ts'

/** `older` replaces what is older and skips the rest; `resume` sends what is larger here. */
export type BulkRule = 'older' | 'replace' | 'rename' | 'skip' | 'resume'

type NewerSide = 'incoming' | 'existing' | null

// Archives, FAT and some servers keep times in steps of two seconds.
const SAME_TIME_MS = 2000

/** Which side changed last; null when equal or unknown. */
export function newerSide({ incoming, existing }: Clash): NewerSide {
  if (incoming.modifiedMs === null || existing.modifiedMs === null) return null
  const apartMs = incoming.modifiedMs - existing.modifiedMs
  if (Math.abs(apartMs) < SAME_TIME_MS) return null
  return apartMs > 0 ? 'incoming' : 'existing'
}

/** True when both sides look like the same file: nothing would be gained by sending it. */
export function isSameFile({ incoming, existing }: Clash): boolean {
  if (incoming.isDir || existing.isDir) return false
  if (incoming.sizeBytes === null || incoming.sizeBytes !== existing.sizeBytes) return false
  if (incoming.modifiedMs === null || existing.modifiedMs === null) return false
  return Math.abs(incoming.modifiedMs - existing.modifiedMs) < SAME_TIME_MS
}

/** A file cannot take a folder's place, nor a folder a file's. */
export function canReplace(clash: Clash, allowReplace: boolean): boolean {
  return allowReplace && clash.incoming.isDir === clash.existing.isDir
}

/** What is chosen before anyone touched the dialog: the newer file wins, nothing else is lost. */
export function presetChoice(clash: Clash, allowReplace: boolean): ClashChoice {
  const replace = canReplace(clash, allowReplace) ? 'replace' : 'rename'
  if (clash.incoming.isDir || clash.existing.isDir) return 'rename'
  if (isSameFile(clash)) return 'skip'
  const newer = newerSide(clash)
  if (newer === 'incoming') return replace
  return newer === 'existing' ? 'skip' : 'rename'
}

export function bulkChoice(rule: BulkRule, clash: Clash, allowReplace: boolean): ClashChoice {
  if (rule === 'skip' || rule === 'rename') return rule
  const replace = canReplace(clash, allowReplace) ? 'replace' : 'rename'
  if (rule === 'replace') return replace
  if (rule === 'older') return newerSide(clash) === 'incoming' ? replace : 'skip'
  const { incoming, existing } = clash
  if (incoming.sizeBytes === null || existing.sizeBytes === null) return 'skip'
  return incoming.sizeBytes > existing.sizeBytes && replace === 'replace' ? 'replace' : 'skip'
}

export function presetChoices(props: ConflictProps): Map<string, ClashChoice> {
  return new Map(props.clashes.map((clash) => [clash.id, presetChoice(clash, props.allowReplace)]))
}

export function countChoices(choices: ReadonlyMap<string, ClashChoice>) {
  const counts = { replace: 0, rename: 0, skip: 0 }
  for (const choice of choices.values()) counts[choice]++
  return counts
}

/** The rule whose outcome is exactly what is chosen now, to light its button; null when mixed. */
export function matchingRule(
  props: ConflictProps,
  choices: ReadonlyMap<string, ClashChoice>,
): BulkRule | null {
  const rules: BulkRule[] = ['replace', 'rename', 'skip', 'older', 'resume']
  const fits = (rule: BulkRule) =>
    props.clashes.every(
      (clash) => choices.get(clash.id) === bulkChoice(rule, clash, props.allowReplace),
    )
  return rules.find((rule) => (rule !== 'resume' || props.allowResume) && fits(rule)) ?? null
}
