// `npm test`: checks, the packaged executable, and every test but the long ones. The last line is
// `N passed, N failed, N skipped`. `-- unit browser` runs only the named parts.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OUT_DIR, ROOT } from './build/paths.ts'
import { provideSystemTools } from './system-tools.ts'

interface Tally {
  passed: number
  failed: number
  skipped: number
}

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  numFailedTestSuites: number
}

/** Longest a part may take before it counts as hanging; on an idle machine all take some 22 minutes. */
const PART_MS = {
  check: 5 * 60_000,
  package: 10 * 60_000,
  unit: 12 * 60_000,
  bin: 12 * 60_000,
  browser: 30 * 60_000,
}

const parts: Record<string, () => Tally> = {
  check: () =>
    sum(
      command('lock file', ['scripts/complete-lock.ts', '--check']),
      command('import directions', ['scripts/check-imports.ts']),
      command('catalogues', ['scripts/extract-messages.ts', '--check']),
      command('lint and format', ['node_modules/@biomejs/biome/bin/biome', 'ci', '.']),
      command('types', ['node_modules/typescript/bin/tsc', '-p', '.']),
    ),
  package: () => command('executable', ['scripts/package.ts'], PART_MS.package),
  unit: () => vitest(['unit', 'dom'], PART_MS.unit),
  bin: () => vitest(['bin'], PART_MS.bin),
  browser: () => vitest(['browser', 'measured'], PART_MS.browser),
}

const wanted = process.argv.slice(2).filter((word) => word in parts)
provideSystemTools()
const started = performance.now()
const total: Tally = { passed: 0, failed: 0, skipped: 0 }
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
  const tally = parts[name]?.() ?? total
  total.passed += tally.passed
  total.failed += tally.failed
  total.skipped += tally.skipped
}
process.stdout.write(`\nin ${Math.round((performance.now() - started) / 1000)} s\n`)
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)
process.exit(total.failed > 0 ? 1 : 0)

/** One check that passes or fails as a whole. */
function command(title: string, args: string[], timeout = PART_MS.check): Tally {
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit', timeout })
  process.stdout.write(`${status === 0 ? 'ok' : 'FAILED'}: ${title}\n`)
  return status === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 }
}

function vitest(projects: string[], timeout: number): Tally {
  const folder = join(OUT_DIR, 'test')
  const file = join(folder, `${projects[0]}.json`)
  mkdirSync(folder, { recursive: true })
  rmSync(file, { force: true })
  const args = [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--passWithNoTests',
    ...projects.flatMap((name) => ['--project', name]),
    ...['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`],
  ]
  // A log of ten thousand coloured dots is no log.
  const env = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' }
  const { status } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env,
    stdio: 'inherit',
    timeout,
  })
  const report = readReport(file)
  // No report: it crashed, or did not end in time.
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  const failed = Math.max(report.numFailedTests, status === 0 ? 0 : 1)
  const skipped = report.numPendingTests + report.numTodoTests
  return { passed: report.numPassedTests, failed, skipped }
}

function readReport(file: string): VitestReport | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as VitestReport
  } catch {
    return null
  }
}

function sum(...tallies: Tally[]): Tally {
  return tallies.reduce((a, b) => ({
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  }))
}
