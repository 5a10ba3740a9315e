// First file of the packaged executable: native parts first, because the server loads them.
import { existsSync, readFileSync } from 'node:fs'
import { Module } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { type NativeFile, nativeCandidates, setUpNativeCache } from './native-cache.ts'

const here = dirname(fileURLToPath(import.meta.url))
const inside = join(here, '..')
const nativeFailure = setUpNativeCache({
  files: JSON.parse(readFileSync(join(inside, 'native.json'), 'utf8')) as NativeFile[],
  modules: join(inside, 'node_modules'),
  candidates: nativeCandidates(process.env),
})

/** By their hidden words. */
const DECODERS: Record<string, string> = {
  '__preview-process': './preview.process.cjs',
  '__extract-process': './extract.process.cjs',
}

/**
 * Called by the last line of the bundle with its `require`. The processes that decode are the executable
 * again and need no server around them.
 */
export function start(load: NodeJS.Require): void {
  try {
    const decoder = DECODERS[process.argv[2] ?? '']
    if (decoder !== undefined) load(decoder)
    else startServer(load)
  } catch (error) {
    // The packages' loaders hide the reason deep in their message.
    const reason = nativeFailure() || (error instanceof Error ? error.stack : String(error))
    process.stderr.write(`Error: ${reason}\n`)
    process.exit(1)
  }
}

// Compiling takes a third of a start. Other versions and flags of V8 refuse the code and compile again.
function startServer(load: NodeJS.Require): void {
  const file = join(here, 'main.cjs')
  const code = join(here, 'main.code')
  if (!existsSync(code)) {
    load('./main.cjs')
    return
  }
  const source = Module.wrap(readFileSync(file, 'latin1'))
  const script = new Script(source, { filename: file, cachedData: readFileSync(code) })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, load, module, file, here)
}
