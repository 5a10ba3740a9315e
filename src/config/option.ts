// What an entry of the table of options is.
import type { ServerOptions } from '../store/document.ts'

type OptionGroup = 'Listening' | 'Files' | 'Sign-in' | 'Previews' | 'Logging' | 'First start'

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

/** The entry, under the type of its value. */
export function option<T>(spec: Option<T>): Option<T> {
  return spec
}
