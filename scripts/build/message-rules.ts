// What a catalogue must fulfil: every text translated, explained where it is one word, and with the
// placeholders, tags and plural forms of its English text.
import { type CompiledMessage, compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import type { CatalogueEntry } from './catalogues.ts'

/** Codes of ours for which Intl knows another name. */
const STANDARD: Record<string, string> = { no: 'nb' }

/** True for a text of one word: what it means depends on where it stands. */
export function isBareWord(text: string): boolean {
  const words = text.replaceAll(/\{[^{}]*\}|<[^>]*>/g, '').trim()
  return /\p{L}{2}/u.test(words) && !/\s/.test(text.trim())
}

/**
 * What is wrong with one entry of a catalogue, in words; empty when nothing is. `locale` as in the
 * names of the files.
 */
export function faultsOf(entry: CatalogueEntry, locale: string): string[] {
  const { message = '', translation = '' } = entry
  if (translation === '') return ['is not translated']
  const faults: string[] = []
  const own = partsOf(translation)
  if (own === null) return ['does not parse']
  const source = partsOf(message)
  if (!sameSet(own.names, source?.names))
    faults.push('has other placeholders than the English text')
  if (!sameList(own.tags, source?.tags)) faults.push('has other tags than the English text')
  const wanted = new Intl.PluralRules(STANDARD[locale] ?? locale).resolvedOptions().pluralCategories
  for (const { name, forms } of own.plurals) {
    const lacking = wanted.filter((form) => !forms.includes(form))
    const unknown = forms.filter((form) => !/^\d+$/.test(form) && !wanted.includes(form as 'other'))
    if (lacking.length > 0) faults.push(`lacks the plural ${lacking.join(', ')} of {${name}}`)
    if (unknown.length > 0) faults.push(`has the plural ${unknown.join(', ')} of {${name}}`)
  }
  if (own.plurals.length !== source?.plurals.length)
    faults.push('has other plurals than the English text')
  return faults
}

/** True when nobody could know from the entry what its one word means. */
export function isUnexplained({ message = '', context, comments }: CatalogueEntry): boolean {
  const explained =
    context !== undefined || comments?.some((line) => !line.startsWith('placeholder'))
  return isBareWord(message) && !explained
}

interface Parts {
  /** Of placeholders, each once; the number of a plural belongs to them. */
  names: Set<string>
  /** Tags of rich text in order, opening and closing. */
  tags: string[]
  plurals: { name: string; forms: string[] }[]
}

function partsOf(text: string): Parts | null {
  const parts: Parts = { names: new Set(), tags: text.match(/<\/?\d+\/?>/g) ?? [], plurals: [] }
  try {
    collect(compileMessageOrThrow(text), parts)
  } catch {
    return null
  }
  return parts
}

function collect(message: CompiledMessage, parts: Parts): void {
  for (const token of message) {
    if (typeof token === 'string') continue
    const [name, type, choices] = token
    // `#` within a plural.
    if (name !== '#') parts.names.add(name)
    if (type !== 'plural' || typeof choices !== 'object' || choices === null) continue
    const forms = Object.entries(choices).filter(([form]) => form !== 'offset')
    parts.plurals.push({ name, forms: forms.map(([form]) => form) })
    for (const [, form] of forms) collect(form as CompiledMessage, parts)
  }
}

function sameSet(one: Set<string>, other: Set<string> | undefined): boolean {
  return other !== undefined && one.size === other.size && [...one].every((name) => other.has(name))
}

/** The same tags, in any order: sentences are built in other ways. */
function sameList(one: string[], other: string[] | undefined): boolean {
  return other !== undefined && one.toSorted().join() === other.toSorted().join()
}
