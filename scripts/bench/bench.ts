// `npm run bench`: measures dist/filebrowser and writes sections of docs/performance.md. Beside nginx and the usual tools
// of the disk it runs the benchmark that lies beside the project (../shared/bench, or FILEBROWSER_BENCH), which gets
// the words that follow: `npm run bench -- --pairs 5 --only download,listing`. `page` and `growth` as the first word
// measure the page in Chromium, and 10 and 100 times as much of everything, alone.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { VERSIONS_NAME } from '../../src/files/volume/temp-name.ts'
import { TRASH_NAME } from '../../src/keep/stores.ts'
import { memoryFolder } from '../../test/support/tree.ts'
import { OUT_DIR, ROOT } from '../build/paths.ts'
import { describe, type Original, type Report } from './describe.ts'
import { writeSection } from './page-sections.ts'

const harness = join(process.env.FILEBROWSER_BENCH ?? join(ROOT, '../shared/bench'), 'bench.mjs')
const executable = join(OUT_DIR, 'filebrowser')
const SERVER =
  '-a 127.0.0.1 -p {port} -r {root} -d {db} --cacheDir {cache} --username admin --password {hash}'

const words = process.argv.slice(2)
const [first] = words
if (first === 'growth') await (await import('./growth.ts')).measureGrowth()
else if (first === 'page') await (await import('./page.ts')).measurePage()
else {
  await measureBeside(words)
  await (await import('./page.ts')).measurePage()
}

async function measureBeside(given: string[]): Promise<void> {
  for (const file of [harness, executable]) {
    if (existsSync(file)) continue
    process.stderr.write(`bench cannot run here: ${file} is not there\n`)
    process.exit(2)
  }
  const [, , load = 0] = loadavg()
  const report = await measureCases(given)
  const original = JSON.parse(
    await readFile(join(import.meta.dirname, 'original.json'), 'utf8'),
  ) as Original
  const heading = 'Beside nginx, the disk and the original'
  await writeSection(heading, describe(report, original, load))
}

/** One after the other: what the trash and versions keep of each would fill the memory. */
async function measureCases(given: readonly string[]): Promise<Report> {
  const { values } = parseArgs({
    args: [...given],
    options: { only: { type: 'string' } },
    strict: false,
  })
  const { cases } = (await import(join(dirname(harness), 'lib/cases.mjs'))) as {
    cases: { id: string }[]
  }
  const picked =
    typeof values.only === 'string' ? values.only.split(',') : cases.map(({ id }) => id)
  const folder = await mkdtemp(join(tmpdir(), 'filebrowser-bench-'))
  const dir = await mkdtemp(join(memoryFolder() ?? tmpdir(), 'filebrowser-bench-'))
  let whole: Report | undefined
  try {
    for (const id of picked) {
      const output = join(folder, `${id}.json`)
      const server = ['--server', `new=${executable} ${SERVER}`]
      await run([harness, ...server, ...given, '--dir', dir, '--json', output, '--only', id])
      const report = JSON.parse(await readFile(output, 'utf8')) as Report
      whole = { ...report, cases: { ...whole?.cases, ...report.cases } }
      for (const served of await readdir(dir, { withFileTypes: true }))
        for (const kept of served.isDirectory() ? [TRASH_NAME, VERSIONS_NAME] : [])
          await rm(join(dir, served.name, kept), { recursive: true, force: true })
    }
  } finally {
    for (const made of [folder, dir]) await rm(made, { recursive: true, force: true })
  }
  if (!whole) throw new Error('there is nothing to be measured')
  return whole
}

async function run(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`the benchmark ended with ${code}`)
}
