// `npm run i18n`: brings locales/*.po in step with the texts in the code. `--check` only reports what
// is missing, unused, without an explanation or broken, and fails when anything is.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { collectMessages, readEntries, readNotes } from './build/catalogues.ts'
import { listLocales, SOURCE_LOCALE } from './build/locales.ts'
import { faultsOf, isUnexplained } from './build/message-rules.ts'
import { ROOT } from './build/paths.ts'

if (process.argv.includes('--check')) await check()
else extract()

function extract(): void {
  const cli = join(ROOT, 'node_modules/@lingui/cli/dist/lingui.js')
  const { status } = spawnSync(process.execPath, [cli, 'extract', '--clean'], {
    cwd: ROOT,
    stdio: 'inherit',
  })
  process.exit(status ?? 1)
}

async function check(): Promise<void> {
  const ids = Object.keys(await collectMessages({ idOnly: false }))
  const known = new Set(ids)
  const problems: string[] = []
  for (const locale of listLocales()) {
    const entries = await readEntries(join(ROOT, 'locales', `${locale}.po`))
    const lacking = ids.filter((id) => entries[id] === undefined)
    const unused = Object.keys(entries).filter((id) => !known.has(id))
    if (lacking.length + unused.length > 0) {
      problems.push(
        `${locale}.po lacks ${lacking.length} messages, ${unused.length} are unused: npm run i18n`,
      )
    }
    for (const entry of Object.values(entries)) {
      const faults = faultsOf(entry, locale)
      if (faults.length > 0) problems.push(`${locale}.po: “${entry.message}” ${faults.join(', ')}`)
      if (locale === SOURCE_LOCALE && isUnexplained(entry)) {
        problems.push(
          `“${entry.message}” is one word: say in locales/notes.json what it means here`,
        )
      }
    }
    if (locale === SOURCE_LOCALE) {
      const texts = new Set(Object.values(entries).map(({ message }) => message))
      const idle = Object.keys(readNotes()).filter((text) => !texts.has(text))
      problems.push(...idle.map((text) => `locales/notes.json: nothing is called “${text}”`))
    }
  }
  if (problems.length > 0) {
    process.stderr.write(`${problems.join('\n')}\n`)
    process.exit(1)
  }
  process.stdout.write(`${ids.length} messages in ${listLocales().length} languages\n`)
}
