// `npm run dev -- <options>`: rebuilds on change; a change of src/ restarts the server, a change of
// web/ reloads the open pages (build/live-reload.js; the server reads the built files from disk).
import { once } from 'node:events'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { build } from './build/build.ts'
import { ROOT } from './build/paths.ts'
import { runServer } from './run-server.ts'

/** Editors write a file in several steps; one build answers them all. */
const SETTLE_MS = 80

const outDir = join(ROOT, 'dist', 'dev')
const args = process.argv.slice(2)
const cwd = process.env.INIT_CWD ?? process.cwd()

await rebuild()
let server = runServer(outDir, args, cwd)
let stopping = false
process.on('SIGINT', stop)
process.on('SIGTERM', stop)

let timer: NodeJS.Timeout | undefined
let running: Promise<void> = Promise.resolve()
for (const folder of ['src', 'web', 'locales', 'scripts/build']) {
  watch(join(ROOT, folder), { recursive: true }, () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(onChange)
    }, SETTLE_MS)
  })
}

async function onChange(): Promise<void> {
  const done = await rebuild()
  if (!done.includes('server') || stopping) return
  const exited = server.exitCode === null ? once(server, 'exit') : undefined
  server.kill('SIGTERM')
  await exited
  server = runServer(outDir, args, cwd)
}

async function rebuild(): Promise<string[]> {
  const started = performance.now()
  try {
    const done = await build({ dev: true, outDir })
    const ms = Math.round(performance.now() - started)
    if (done.length > 0) process.stderr.write(`built ${done.join(' and ')} in ${ms} ms\n`)
    return done
  } catch (error) {
    // esbuild has printed what is wrong; the next change tries again.
    if (!(error instanceof Error && 'errors' in error)) console.error(error)
    return []
  }
}

function stop(): void {
  stopping = true
  server.kill('SIGTERM')
  server.on('exit', () => process.exit(0))
  if (server.exitCode !== null) process.exit(0)
}
