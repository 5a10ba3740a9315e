// Run by code-cache.ts: `compile-server.cjs <main.cjs> <output>` starts the server of the bundle and
// writes what V8 has compiled once it has answered.
const { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const { get } = require('node:http')
const { createRequire } = require('node:module')
const { tmpdir } = require('node:os')
const { dirname, join } = require('node:path')
const { Script } = require('node:vm')

const [file, output] = process.argv.slice(2)
const script = new Script(readFileSync(file, 'latin1'), { filename: 'main.cjs' })
const folder = mkdtempSync(join(tmpdir(), 'compile-server-'))
mkdirSync(join(folder, 'served'))

for (const stream of [process.stdout, process.stderr]) {
  const { write } = stream
  stream.write = (text, ...rest) => {
    const [, address] = /Listening on (\S+)/.exec(String(text)) ?? []
    if (!address) return write.call(stream, text, ...rest)
    get(`http://${address}/health`, { agent: false }, (answer) => answer.resume().on('end', finish))
  }
}

function finish() {
  writeFileSync(output, script.createCachedData())
  rmSync(folder, { recursive: true })
  process.exit(0)
}

const words = ['-a', '127.0.0.1', '-p', '0', '-d', join(folder, 'filebrowser.db')]
process.argv = [process.execPath, file, '-r', join(folder, 'served'), ...words]
const module_ = { exports: {} }
script.runInThisContext()(module_.exports, createRequire(file), module_, file, dirname(file))
