// Translation catalogues: collects the messages of the interface and compiles locales/*.po in memory.
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createCompiledCatalog } from '@lingui/cli/api'
import { formatter } from '@lingui/format-po'
import { SOURCE_LOCALE } from './locales.ts'
import { transformMacros, usesMacros } from './macros.ts'
import { ROOT } from './paths.ts'

const po = formatter({ lineNumbers: false, origins: true })

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

/** Id to translation of one .po file; untranslated entries are left out. */
export async function readCatalogue(file: string): Promise<Record<string, string>> {
  const locale = basename(file, '.po')
  const parsed = await po.parse(await readFile(file, 'utf8'), {
    locale,
    sourceLocale: SOURCE_LOCALE,
    filename: file,
  })
  const entries = Object.entries(parsed).filter(([, entry]) => entry.translation)
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
