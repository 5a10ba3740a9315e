// `npm run test:security`: the regression tests of the security advisories. With `-- --prove` each
// defence of scripts/security-weakenings.ts is taken away in a copy of the sources, and the tests
// about it must fail there. `-- --prove WORD` does so with those of which file or title holds the word.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OUT_DIR, ROOT } from './build/paths.ts'
import { WEAKENINGS, type Weakening } from './security-weakenings.ts'

const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const COPIED = ['src', 'test', 'scripts', 'package.json', 'tsconfig.json', 'vitest.config.ts']
/** Longest a file of tests may take; without its defence one may also wait for ever. */
const RUN_MS = 3 * 60_000

if (process.argv.includes('--prove')) process.exit(prove())
process.exit(
  spawnSync(process.execPath, [VITEST, 'run', '--project', 'unit', 'test/security'], {
    cwd: ROOT,
    stdio: 'inherit',
  }).status ?? 1,
)

function prove(): number {
  const copy = mkdtempSync(join(tmpdir(), 'filebrowser-prove-'))
  try {
    for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
    symlinkSync(OUT_DIR, join(copy, 'dist'))
    const chosen = chosenWeakenings()
    const unnoticed = chosen.filter((weakening) => !isNoticed(copy, weakening))
    process.stdout.write(
      `${chosen.length - unnoticed.length} noticed, ${unnoticed.length} not noticed\n`,
    )
    return unnoticed.length > 0 ? 1 : 0
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function chosenWeakenings(): Weakening[] {
  const words = process.argv.slice(2).filter((word) => !word.startsWith('-'))
  if (words.length === 0) return WEAKENINGS
  return WEAKENINGS.filter(({ title, file, about }) =>
    words.some((word) => [title, file, about].some((text) => text.includes(word))),
  )
}

/** Runs the tests about a defence with the defence and without it: they must pass, then fail. */
function isNoticed(copy: string, weakening: Weakening): boolean {
  const { title, file, from, to } = weakening
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  const parts = source.split(from)
  if (parts.length !== 2) return say(weakening, `stands ${parts.length - 1} times in ${file}`)
  const before = failures(copy, weakening)
  if (before.total === 0) return say(weakening, 'has no test')
  if (before.failed > 0) return say(weakening, 'fails with the defence in place')
  try {
    writeFileSync(path, parts.join(to))
    const after = failures(copy, weakening)
    if (after.failed === 0) return say(weakening, 'was not noticed')
    process.stdout.write(`${weakening.about}: ${title}: ${after.failed} tests fail\n`)
    return true
  } finally {
    writeFileSync(path, source)
  }
}

function say({ about, title }: Weakening, problem: string): false {
  process.stdout.write(`${about}: ${title}: ${problem.toUpperCase()}\n`)
  return false
}

function failures(copy: string, { test, about }: Weakening): { total: number; failed: number } {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  const args = [
    ...['run', '--project', 'unit', '--retry', '0', '--bail', '1'],
    ...[`test/security/${test}.test.ts`, '-t', about],
    ...['--reporter=json', `--outputFile=${report}`],
  ]
  spawnSync(process.execPath, [VITEST, ...args], { cwd: copy, stdio: 'ignore', timeout: RUN_MS })
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8')) as {
    numPassedTests: number
    numFailedTests: number
  }
  return { total: numPassedTests + numFailedTests, failed: numFailedTests }
}
