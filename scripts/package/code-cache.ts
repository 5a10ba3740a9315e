// What V8 compiles of the server when it starts, made once and taken along in the executable.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../build/paths.ts'

const run = promisify(execFile)

/**
 * Flags that the executable gives to V8: only such with which it takes what Node has compiled of its own modules, which saves
 * a start 14 ms. Node lets the heap for new objects grow to three times 16 MiB, and never gives back what a burst of requests
 * took. Threads that compile and collect beside the others keep some 2 MB each: two of them, not four, are as fast where
 * there are two processors.
 */
export const V8_FLAGS = ['--max-semi-space-size=8', '--v8-pool-size=2']
/** Where a code cache says which flags of V8 it was made with: four bytes. */
const FLAGS_AT = 12
const FLAGS_BYTES = 4

/** Writes `main.code` beside the main.cjs of a folder that `stage.ts` has made, for the Node that runs this. */
export async function makeCodeCache(folder: string): Promise<void> {
  const file = join(folder, 'main.cjs')
  const source = await readFile(file, 'latin1')
  // src/boot.ts reads it as such, and V8 keeps text of one byte a character in half of the memory.
  if (/[^\0-\x7f]/.test(source)) throw new Error(`${file} has characters beyond ASCII`)
  const output = join(folder, 'main.code')
  // Without chance in the order of tables and in what is forgotten, two builds are the same bytes.
  const flags = ['--hash-seed=1', '--random-seed=1', '--no-flush-bytecode']
  const compile = join(ROOT, 'scripts/package/compile-server.cjs')
  const { NODE_OPTIONS: _, ...env } = process.env
  await run(process.execPath, [...flags, compile, file, output], {
    cwd: tmpdir(),
    env,
    timeout: 60_000,
  })
  // The executable runs with other flags, which change nothing in the code.
  const code = await readFile(output)
  const evaluate = async (script: string, ...words: string[]) => {
    const args = [...V8_FLAGS, '--print', `const { Script } = require('node:vm'); ${script}`]
    return (await run(process.execPath, [...args, ...words], { env })).stdout.trim()
  }
  const plain = await evaluate("new Script('0').createCachedData().toString('hex')")
  Buffer.from(plain, 'hex').copy(code, FLAGS_AT, FLAGS_AT, FLAGS_AT + FLAGS_BYTES)
  await writeFile(output, code)
  const read = 'const [source, code] = process.argv.slice(1).map((file) => fs.readFileSync(file))'
  const check = `${read}; new Script(String(source), { cachedData: code }).cachedDataRejected`
  if ((await evaluate(check, file, output)) !== 'false')
    throw new Error(`V8 does not take ${output}: look at FLAGS_AT`)
}
