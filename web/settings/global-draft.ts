// The settings of the instance while they are edited: lists of words and lines are texts meanwhile.

import type { SecondFactorPolicy, SettingsRecord } from '../../src/api-types.ts'
import { matchLocale } from '../lib/i18n.ts'
import { formatChunkSize, parseChunkSize } from './chunk-size.ts'
import { withImplied } from './users/permission-fields.tsx'
import { type RuleDraft, toDrafts, toRules } from './users/rule-draft.ts'

export interface GlobalDraft
  extends Omit<
    SettingsRecord,
    | 'rules'
    | 'shell'
    | 'commands'
    | 'tus'
    | 'minimumPasswordLength'
    | 'secondFactor'
    | 'keepAge'
    | 'keepSize'
  > {
  secondFactor: string
  keepAge: string
  keepSize: string
  rules: RuleDraft[]
  shell: string
  /** Hook name to command lines. */
  commands: Record<string, string>
  chunkSize: string
  retryCount: number | null
  minimumPasswordLength: number | null
}

export function globalDraftOf(settings: SettingsRecord): GlobalDraft {
  const { rules, shell, commands, tus, ...rest } = settings
  return {
    ...rest,
    secondFactor: rest.secondFactor ?? 'optional',
    keepAge: rest.keepAge ?? '',
    keepSize: rest.keepSize ?? '',
    defaults: {
      ...rest.defaults,
      locale: matchLocale(rest.defaults.locale) ?? rest.defaults.locale,
    },
    webhooks: rest.webhooks ?? [],
    rules: toDrafts(rules),
    shell: shell.join(' '),
    commands: Object.fromEntries(
      Object.entries(commands).map(([name, lines]) => [name, lines.join('\n')]),
    ),
    chunkSize: formatChunkSize(tus.chunkSize),
    retryCount: tus.retryCount,
  }
}

/** The record to send; everything is in it, as the server replaces all of it. */
export function settingsOf(draft: GlobalDraft): SettingsRecord {
  const { rules, shell, commands, chunkSize, retryCount, minimumPasswordLength, ...rest } = draft
  const words = (text: string) => text.split(/\s+/).filter(Boolean)
  const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '')
  return {
    ...rest,
    secondFactor: rest.secondFactor as SecondFactorPolicy,
    minimumPasswordLength: minimumPasswordLength ?? 1,
    defaults: { ...rest.defaults, perm: withImplied(rest.defaults.perm) },
    rules: toRules(rules),
    shell: words(shell),
    commands: Object.fromEntries(
      Object.entries(commands)
        .map(([name, text]) => [name, lines(text)] as const)
        .filter(([, list]) => list.length > 0),
    ),
    tus: { chunkSize: parseChunkSize(chunkSize), retryCount: retryCount ?? 0 },
  }
}
