// Translation catalogues: collects the messages of the interface and compiles locales/*.po in memory.
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createCompiledCatalog } from '@lingui/cli/api'
import type { CatalogFormatter, MessageType } from '@lingui/conf'
import { formatter } from '@lingui/format-po'
import { SOURCE_LOCALE } from './locales.ts'
import { transformMacros, usesMacros } from './macros.ts'
import { ROOT } from './paths.ts'

const po = formatter({ lineNumbers: false, origins: true })

export type CatalogueEntry = Pick<MessageType, 'message' | 'translation' | 'context' | 'comments'>

const NOTES = join(ROOT, 'locales/notes.json')

/** What translators must know about a text, by the text: single words mean little alone. */
export function readNotes(): Record<string, string> {
  return JSON.parse(readFileSync(NOTES, 'utf8')) as Record<string, string>
}

/** Writes and reads .po files; the notes stand above their texts as comments. */
export function catalogueFormat(): CatalogFormatter {
  const notes = readNotes()
  return {
    ...po,
    serialize: (catalogue, context) =>
      po.serialize(
        Object.fromEntries(
          Object.entries(catalogue).map(([id, entry]) => {
            const note = entry.context === undefined ? notes[entry.message ?? ''] : undefined
            const comments = note === undefined ? entry.comments : [...(entry.comments ?? []), note]
            return [id, { ...entry, ...(comments && { comments }) }]
          }),
        ),
        context,
      ),
  }
}

/** Every message used below web/, id to English text. */
export async function collectMessages(options: {
  idOnly: boolean
}): Promise<Record<string, string>> {
  const files = readdirSync(join(ROOT, 'web'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  const found = await Promise.all(
    files.map(async (file) => {
      const source = await readFile(file, 'utf8')
      return usesMacros(source) ? (await transformMacros(file, source, options)).messages : {}
    }),
  )
  return Object.assign({}, ...found) as Record<string, string>
}

/** Id to entry of one .po file. */
export async function readEntries(file: string): Promise<Record<string, CatalogueEntry>> {
  return po.parse(await readFile(file, 'utf8'), {
    locale: basename(file, '.po'),
    sourceLocale: SOURCE_LOCALE,
    filename: file,
  })
}

/** Id to translation of one .po file; untranslated entries are left out. */
export async function readCatalogue(file: string): Promise<Record<string, string>> {
  const entries = Object.entries(await readEntries(file)).filter(([, entry]) => entry.translation)
  return Object.fromEntries(entries.map(([id, entry]) => [id, entry.translation ?? '']))
}

/**
 * The compiled catalogue of a .po file as an ES module `export const messages`. Messages without a
 * translation get their English text; entries no longer used are left out.
 */
export async function compileCatalogue(
  file: string,
  messages: Record<string, string>,
): Promise<string> {
  const locale = basename(file, '.po')
  // The English texts in the code are the reference: en.po may lag behind, the bundle may not.
  const translations = locale === SOURCE_LOCALE ? {} : await readCatalogue(file)
  const merged = Object.fromEntries(
    Object.entries(messages).map(([id, text]) => [id, translations[id] || text]),
  )
  const { source, errors } = createCompiledCatalog(locale, merged, { namespace: 'es' })
  if (errors.length > 0) {
    const list = errors.map((error) => `${error.source}: ${error.error.message}`).join('\n')
    throw new Error(`${file} has messages that do not parse:\n${list}`)
  }
  return source
}
