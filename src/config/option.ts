// What an entry of the table of options is.
import type { ServerOptions } from '../store/document.ts'
import { parseBoolean } from './option-values.ts'

type OptionGroup =
  | 'Listening'
  | 'Files'
  | 'Sign-in'
  | 'Directory (LDAP)'
  | 'Previews'
  | 'Logging'
  | 'Several nodes'
  | 'First start'

export interface Option<T> {
  /** One letter, for `-p`. */
  short?: string
  /** Word for the value in help (`--port NUMBER`); absent for booleans. */
  value?: string
  /** Text to value; throws an Error that says what was expected. */
  parse: (text: string) => T
  /** As it would be typed. */
  default: string
  group: OptionGroup
  help: string
  /** Field of the stored server record this option overrides; `!` in front negates it. */
  stored?: StoredField
  /** A configuration file may have a map for it, which is read as `name=value,…`. */
  isMap?: true
  /** Older spellings of the flag. */
  deprecated?: readonly string[]
  /** Further environment names; the one derived from the key always works. */
  env?: readonly string[]
  /** Its value is never repeated in messages. */
  secret?: true
  /** Not offered to the original's users: marked as ours in the documentation. */
  ours?: true
}

export type StoredField = keyof ServerOptions | `!${keyof ServerOptions}`

type Spec<T> = Omit<Option<T>, 'group'>
type Own = Partial<Omit<Spec<never>, 'parse' | 'value' | 'help'>>

/** An option that is true or false, by default false. */
export function onOff(help: string, own: Own = {}): Spec<boolean> {
  return { parse: parseBoolean, default: 'false', help, ...own }
}

/** An option that takes text, by default empty. */
export function text(value: string, help: string, own: Own = {}): Spec<string> {
  return { value, parse: String, default: '', help, ...own }
}

/** An option whose text means something else. */
export function parsed<T>(
  value: string,
  parse: (text: string) => T,
  byDefault: string,
  help: string,
  own: Own = {},
): Spec<T> {
  return { value, parse, default: byDefault, help, ...own }
}

/** Options under one heading of help. */
export function inGroup<T extends Record<string, Spec<unknown>>>(group: OptionGroup, options: T) {
  const entries = Object.entries(options).map(([key, option]) => [key, { ...option, group }])
  return Object.fromEntries(entries) as { [K in keyof T]: T[K] & { group: OptionGroup } }
}
