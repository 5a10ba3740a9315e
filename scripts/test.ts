// `npm test`: checks, the packaged executable, and every test but the long ones. The last line is
// `N passed, N failed, N skipped`. `-- unit browser` runs only the named parts.
import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
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

/** Longest a part may take before it counts as hanging: three times what it takes on two idle cores. */
const PART_MS = {
  check: 5 * 60_000,
  package: 10 * 60_000,
  unit: 20 * 60_000,
  bin: 12 * 60_000,
  browser: 50 * 60_000,
}

/** The projects of tests that need no server of their own. */
const UNITS = ['unit', 'alone', 'dom']

const parts: Record<string, () => Promise<Tally>> = {
  check: async () =>
    sum(
      await command('lock file', ['scripts/complete-lock.ts', '--check']),
      await command('import directions', ['scripts/check-imports.ts']),
      await command('sizes of functions, files and folders', ['scripts/check-sizes.ts']),
      await command('catalogues', ['scripts/extract-messages.ts', '--check']),
      await command('lint and format', ['node_modules/@biomejs/biome/bin/biome', 'ci', '.']),
      await command('types', ['node_modules/typescript/bin/tsc', '-p', '.']),
    ),
  package: () => command('executable', ['scripts/package.ts'], PART_MS.package),
  unit: () => vitest(UNITS, PART_MS.unit),
  bin: () => vitest(['bin'], PART_MS.bin),
  browser: () => vitest(['browser', 'measured'], PART_MS.browser),
}

const wanted = process.argv.slice(2).filter((word) => word in parts)
provideSystemTools()
const started = performance.now()
const names = wanted.length > 0 ? wanted : Object.keys(parts)
// What waits for programs and disks leaves time to what works: units need no executable, all else does.
const beside = await Promise.all([['unit'], ['check'], ['package', 'bin']].map(inTurn))
const tallies = [...beside.flat(), ...(await inTurn(['browser']))]
const total = sum(...tallies)
process.stdout.write(`\nin ${Math.round((performance.now() - started) / 1000)} s\n`)
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)
process.exit(total.failed > 0 ? 1 : 0)

/** Runs those of the parts that are wanted, one after the other. */
async function inTurn(some: string[]): Promise<Tally[]> {
  const done: Tally[] = []
  for (const name of some) {
    const part = names.includes(name) ? parts[name] : undefined
    if (part) done.push(await part())
  }
  return done
}

/** One check that passes or fails as a whole. */
async function command(title: string, args: string[], timeout = PART_MS.check): Promise<Tally> {
  const status = await run(args, { timeout })
  process.stdout.write(`${status === 0 ? 'ok' : 'FAILED'}: ${title}\n`)
  return status === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 }
}

async function vitest(projects: string[], timeout: number): Promise<Tally> {
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
  // Threads and programs that tests start from the sources compile each of them once between them.
  const cached = { ...process.env, NODE_COMPILE_CACHE: join(OUT_DIR, 'cache', 'compiled') }
  // A log of ten thousand coloured dots is no log.
  const env = process.stdout.isTTY ? cached : { ...cached, NO_COLOR: '1' }
  const status = await run(args, { env, timeout })
  const report = readReport(file)
  // No report: it crashed, or did not end in time.
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  const failed = Math.max(report.numFailedTests, status === 0 ? 0 : 1)
  const skipped = report.numPendingTests + report.numTodoTests
  return { passed: report.numPassedTests, failed, skipped }
}

/** Runs Node to its end; gives the exit code, null when it was ended. */
async function run(args: string[], options: SpawnOptions): Promise<number | null> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', ...options })
  const [status] = await once(child, 'exit')
  return status
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
