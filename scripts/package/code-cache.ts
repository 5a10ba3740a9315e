// What V8 compiles of the server when it starts, made once and taken along in the executable.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Script } from 'node:vm'
import { ROOT } from '../build/paths.ts'

const run = promisify(execFile)

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
  // The executable runs without those flags, which change nothing in the code.
  const code = await readFile(output)
  const plain = new Script('0').createCachedData()
  plain.copy(code, FLAGS_AT, FLAGS_AT, FLAGS_AT + FLAGS_BYTES)
  const { cachedDataRejected } = new Script(source, { cachedData: code })
  if (cachedDataRejected) throw new Error(`V8 does not take ${output}: look at FLAGS_AT`)
  await writeFile(output, code)
}
