// The languages of the interface: one .po file each in locales/.
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ROOT } from './paths.ts'

export const SOURCE_LOCALE = 'en'

/** Locale codes for which `locales/` has a catalogue. */
export function listLocales(): string[] {
  return readdirSync(join(ROOT, 'locales'))
    .filter((name) => name.endsWith('.po'))
    .map((name) => basename(name, '.po'))
    .sort()
}
