// `npm start -- <options>`: builds what is stale, then runs the server with the given options.
import { build } from './build/build.ts'
import { OUT_DIR } from './build/paths.ts'
import { runServer } from './run-server.ts'

const done = await build().catch((error: unknown) => {
  if (!(error instanceof Error && 'errors' in error)) console.error(error)
  process.exit(1)
})
if (done.length > 0) process.stderr.write(`built ${done.join(' and ')}\n`)

// Relative paths among the options mean the folder in which npm was called.
const server = runServer(OUT_DIR, process.argv.slice(2), process.env.INIT_CWD ?? process.cwd())
// In a terminal Ctrl+C reaches the server by itself; a second one would force it to stop at once.
process.on('SIGINT', () => process.stdin.isTTY || server.kill('SIGINT'))
process.on('SIGTERM', () => server.kill('SIGTERM'))
process.on('SIGHUP', () => server.kill('SIGHUP'))
server.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
