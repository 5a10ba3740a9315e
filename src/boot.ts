// First file of the packaged executable, and of each of its threads: loads what lies inside.
import { isBuiltin } from 'node:module'
import { Script } from 'node:vm'
import { readInside } from './inside.ts'
import {
  nativeCandidates,
  type PackedPackages,
  UnpackError,
  unpackedPackages,
} from './native-cache.ts'
import { growHeapBy, USUAL_GROWTH_PERCENT } from './programs/heap-growth.ts'

type Body = (
  exports: unknown,
  require: NodeJS.Require,
  module: { exports: unknown },
  filename: string,
  dirname: string,
) => void

/** By their hidden words. */
const DECODERS: Record<string, string> = {
  '__preview-process': 'preview.process.cjs',
  '__extract-process': 'extract.process.cjs',
}
/** Commands whose bundle holds what they need. */
const QUICK = new Set(['version', 'healthcheck'])
/** No folder of any system: what asks for it is inside. */
const FOLDER = '/filebrowser/server'

/**
 * Called by the last line of the bundle with a `require` for what Node itself has, and with the file of a
 * thread, which is empty for the program. The processes that decode are the executable again and need no
 * server around them.
 */
export function start(builtin: NodeJS.Require, thread: string): void {
  const load = makeRequire(builtin)
  if (thread !== '') {
    load(`./${thread}`)
    return
  }
  const word = process.argv[2] ?? ''
  const decoder = DECODERS[word]
  try {
    load(`./${decoder ?? (QUICK.has(word) ? 'quick.process.cjs' : 'main.cjs')}`)
    if (decoder) growHeapBy(USUAL_GROWTH_PERCENT)
  } catch (error) {
    const reason =
      error instanceof UnpackError ? error.message : error instanceof Error ? error.stack : error
    process.stderr.write(`Error: ${reason}\n`)
    process.exit(1)
  }
}

/** What each file inside is given as its `require`. */
function makeRequire(builtin: NodeJS.Require): NodeJS.Require {
  const packages = unpackedPackages({
    packed: () => JSON.parse(inside('packages.json').toString()) as PackedPackages,
    read: (path) => inside(`node_modules/${path}`),
    candidates: nativeCandidates(process.env),
  })
  const loaded = new Map<string, { exports: unknown }>()
  const load = (name: string): unknown => {
    const known = loaded.get(name)
    if (known) return known.exports
    if (isBuiltin(name)) {
      const exports = builtin(name)
      loaded.set(name, { exports })
      return exports
    }
    if (!name.startsWith('./')) return packages.load(name)
    const module = { exports: {} }
    loaded.set(name, module)
    const file = name.slice(2)
    const body = compile(file).runInThisContext() as Body
    body(module.exports, require, module, `${FOLDER}/${file}`, FOLDER)
    return module.exports
  }
  const require = Object.assign(load, { resolve: packages.resolve }) as NodeJS.Require
  return require
}

// Compiling takes a third of a start. Other versions and flags of V8 refuse the code and compile again.
function compile(file: string): Script {
  // ASCII, and wrapped as Node wraps modules: putting text around it here would hold the server twice in memory.
  const source = inside(`server/${file}`).toString('latin1')
  const cachedData = (file === 'main.cjs' && readInside('server/main.code')) || undefined
  return new Script(source, { filename: file, ...(cachedData && { cachedData }) })
}

function inside(path: string): Buffer {
  const bytes = readInside(path)
  if (!bytes) throw new Error(`the executable lacks ${path}`)
  return bytes
}
