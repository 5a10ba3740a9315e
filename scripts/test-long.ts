// `npm run test:long`: the tests that take minutes or gigabytes (test/long), on the packaged
// executable. Writes a dated report to dist/reports/; docs/reports keeps those that somebody looked
// through. `npm run test:long -- faults` runs the files of that name alone.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { build } from './build/build.ts'
import { OUT_DIR, PACKAGE, ROOT } from './build/paths.ts'
import { provideSystemTools } from './system-tools.ts'

interface Assertion {
  fullName: string
  status: string
  duration?: number
  meta?: { figures?: Record<string, string | number> }
  failureMessages?: string[]
}

interface Report {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  testResults: { name: string; assertionResults: Assertion[] }[]
}

provideSystemTools()
await build()
run(['scripts/package.ts'])
const only = process.argv.slice(2)
const file = join(OUT_DIR, 'test', 'long.json')
mkdirSync(join(OUT_DIR, 'test'), { recursive: true })
const args = [
  'run',
  '--project',
  'long',
  '--passWithNoTests',
  '--reporter=verbose',
  '--reporter=json',
  ...only,
]
const status = run([
  join(ROOT, 'node_modules/vitest/vitest.mjs'),
  ...args,
  `--outputFile.json=${file}`,
])
const report = JSON.parse(readFileSync(file, 'utf8')) as Report
const day = new Date().toISOString().slice(0, 10)
const target = join(OUT_DIR, 'reports', `${[day, 'long', ...only].join('-')}.md`)
mkdirSync(join(OUT_DIR, 'reports'), { recursive: true })
writeFileSync(target, describe(report, day))
process.stdout.write(`${target}\n`)
const { numPassedTests, numFailedTests, numPendingTests } = report
process.stdout.write(
  `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped\n`,
)
process.exit(status)

function run(words: string[]): number {
  return spawnSync(process.execPath, words, { cwd: ROOT, stdio: 'inherit' }).status ?? 1
}

/** A table of tests with the figures they noted (`task.meta.figures`). */
function describe(results: Report, date: string): string {
  const machine = `${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} cores, ${Math.round(totalmem() / 1e9)} GB`
  const rows = results.testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ fullName, status: outcome, duration, meta }) => {
      const figures = Object.entries(meta?.figures ?? {}).map(
        ([name, value]) => `${name}: ${value}`,
      )
      const seconds = ((duration ?? 0) / 1000).toFixed(1)
      return `| ${fullName.trim()} | ${outcome} | ${seconds} s | ${figures.join('; ')} |`
    }),
  )
  return [
    `# Long tests${only.length > 0 ? ` (${only.join(', ')})` : ''}, ${date}`,
    '',
    `Version ${PACKAGE.version}, Node ${process.versions.node}, ${process.platform}-${process.arch}, ${machine}.`,
    '',
    '| Test | Result | Time | Figures |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
