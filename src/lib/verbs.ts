// What may be done with a folder and what is in it, as names and as sets of bits.
import type { Verb } from '../api-types.ts'

export const VERBS: readonly Verb[] = [
  'see',
  'download',
  'create',
  'modify',
  'rename',
  'delete',
  'share',
]

/** `pass`: to go through a folder, which is seen itself or on the way to something that is. */
export type Ask = Verb | 'pass'

/** A bit for each. */
export const BITS: Readonly<Record<Ask, number>> = {
  see: 1,
  download: 2,
  create: 4,
  modify: 8,
  rename: 16,
  delete: 32,
  share: 64,
  pass: 128,
}

/** The verbs of an object that says yes or no to some of them, as two sets. */
export function saidBy(words: Partial<Record<Verb, boolean>>): { yes: number; no: number } {
  const said = { yes: 0, no: 0 }
  for (const verb of VERBS) {
    if (words[verb] === true) said.yes |= BITS[verb]
    if (words[verb] === false) said.no |= BITS[verb]
  }
  return said
}

/** The verbs that permissions give, seeing and going through included. */
export function bitsOfPermissions(perm: Partial<Record<Verb, boolean>>): number {
  return saidBy(perm).yes | BITS.see | BITS.pass
}

/** Asks for each verb. */
export function rightsBy(may: (verb: Verb) => boolean): Record<Verb, boolean> {
  return Object.fromEntries(VERBS.map((verb) => [verb, may(verb)])) as Record<Verb, boolean>
}
