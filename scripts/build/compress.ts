// Brotli siblings of everything that shrinks, made once at build time.
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { CACHE_DIR } from './paths.ts'

const SHRINKS = /\.(js|mjs|css|svg|html|json|wasm|txt|webmanifest|ttf|pfb|bcmap)$/
const SMALLEST_BYTES = 600

/** Writes `name.br` beside every file below `dir` for which that saves a tenth. */
export async function compressAll(dir: string): Promise<void> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && SHRINKS.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  await Promise.all(files.map(compressFile))
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file)
  if (bytes.length < SMALLEST_BYTES) return
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  const brotli = await cached(bytes, () => promisify(brotliCompress)(bytes, { params }))
  if (brotli.length <= bytes.length * 0.9) await writeFile(`${file}.br`, brotli)
}

/** Brotli at its best level takes seconds for the editor; most files did not change since last time. */
async function cached(bytes: Buffer, make: () => Promise<Buffer>): Promise<Buffer> {
  const key = createHash('sha256').update(bytes).digest('hex')
  const file = join(CACHE_DIR, 'compressed', `${key}.br`)
  const known = await readFile(file).catch(() => null)
  if (known) return known
  const made = await make()
  await mkdir(dirname(file), { recursive: true })
  // Untranslated catalogues are equal byte for byte and are compressed at the same time.
  const temporary = `${file}.${randomUUID()}`
  await writeFile(temporary, made)
  await rename(temporary, file)
  return made
}
