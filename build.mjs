// Builds the server bundle and the web interface into dist/ (or OUT_DIR). `--dev`: no minifying, no
// compression, source maps. Plain JavaScript, so that an old Node can say what is wrong.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `build.mjs needs the pinned Node (this is ${process.versions.node}): run "npm run build".\n`,
  )
  process.exit(1)
}

const { build } = await import('./scripts/build/build.ts')
const dev = process.argv.includes('--dev')
const started = performance.now()
try {
  const done = await build({ dev, force: process.argv.includes('--force') })
  const ms = Math.round(performance.now() - started)
  process.stdout.write(
    `${done.length > 0 ? `built ${done.join(', ')}` : 'up to date'} in ${ms} ms\n`,
  )
} catch (error) {
  // esbuild has already printed its own messages.
  if (!(error instanceof Error && 'errors' in error))
    process.stderr.write(`${error?.stack ?? error}\n`)
  process.exit(1)
}
