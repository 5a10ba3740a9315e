// `npm run i18n`: brings locales/*.po in step with the texts in the code. `--check` only reports:
// missing or outdated entries, and with `--complete` entries without a translation.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { collectMessages, readCatalogue } from './build/catalogues.ts'
import { listLocales, SOURCE_LOCALE } from './build/locales.ts'
import { ROOT } from './build/paths.ts'

/** Words that are the same in many languages; anything else equal to English is not translated. */
const SAME_EVERYWHERE =
  /^(\W|\d|\{[^}]*\}|OK|ZIP|TAR|PDF|EPUB|CSV|JSON|URL|QR|SHA-\d+|MD5|UTF-\d+|[KMGTP]i?B)*$/

if (process.argv.includes('--check')) await check(process.argv.includes('--complete'))
else extract()

function extract(): void {
  const cli = join(ROOT, 'node_modules/@lingui/cli/dist/lingui.js')
  const { status } = spawnSync(process.execPath, [cli, 'extract', '--clean'], {
    cwd: ROOT,
    stdio: 'inherit',
  })
  process.exit(status ?? 1)
}

async function check(complete: boolean): Promise<void> {
  const messages = await collectMessages({ idOnly: false })
  const ids = Object.keys(messages)
  const problems: string[] = []
  for (const locale of listLocales()) {
    const translations = await readCatalogue(join(ROOT, 'locales', `${locale}.po`))
    if (locale === SOURCE_LOCALE) {
      const lacking = ids.filter((id) => translations[id] === undefined)
      const outdated = Object.keys(translations).filter((id) => messages[id] === undefined)
      if (lacking.length + outdated.length > 0) {
        problems.push(
          `${locale}.po lacks ${lacking.length} messages, ${outdated.length} are outdated: npm run i18n`,
        )
      }
      continue
    }
    if (!complete) continue
    const open = ids.filter((id) => {
      const text = translations[id]
      return !text || (text === messages[id] && !SAME_EVERYWHERE.test(text))
    })
    if (open.length > 0) problems.push(`${locale}.po: ${open.length} messages are not translated`)
  }
  if (problems.length > 0) {
    process.stderr.write(`${problems.join('\n')}\n`)
    process.exit(1)
  }
  process.stdout.write(`${ids.length} messages in ${listLocales().length} languages\n`)
}
