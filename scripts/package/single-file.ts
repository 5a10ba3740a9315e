// Node's single executable applications: the files of a folder become a part of a Node binary.
// https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { inject } from 'postject'
import { FUSE } from './binary-format.ts'
import { filesBelow } from './stage.ts'

const run = promisify(execFile)

interface Options {
  /** Binary of the platform, and one of the same version that runs here. */
  node: string
  host: string
  /** What `stage.ts` has laid out. */
  folder: string
  /** Where files that were compressed before are kept. */
  cache: string
  isMac: boolean
  output: string
}

/** First file of the program, and what it reads at every start: these stay as they are. */
const MAIN = 'server/boot.cjs'
const READ_AT_START = new Set([MAIN, 'server/main.cjs', 'server/main.code'])
/** Compressed already, or sent as they are. */
const AS_THEY_ARE = /^web\//
const LEAST_SAVED = 0.1

/** Writes the executable, and gives the files in it with the names that it knows them by. */
export async function makeSingleFile(options: Options): Promise<Map<string, string>> {
  const { node, host, folder, isMac, output } = options
  const work = await mkdtemp(join(dirname(folder), 'single-file-'))
  try {
    const files = new Map<string, string>()
    const all = filesBelow(folder).map(async (path) => {
      const packed = await compressed(join(folder, path), path, options.cache)
      return [packed ? `${path}.br` : path, packed ?? join(folder, path)] as const
    })
    for (const [name, path] of await Promise.all(all)) files.set(name, path)
    const config = {
      // It is kept in the executable: a relative one is the same on all machines.
      main: MAIN,
      output: join(work, 'blob'),
      disableExperimentalSEAWarning: true,
      // Node lets the heap for new objects grow to three times 16 MiB, and never gives back what a burst of
      // requests took.
      execArgv: ['--max-semi-space-size=8'],
      assets: Object.fromEntries(files),
    }
    const file = join(work, 'config.json')
    await writeFile(file, JSON.stringify(config))
    await run(host, ['--experimental-sea-config', file], { cwd: folder })
    await copyFile(node, output)
    await inject(output, 'NODE_SEA_BLOB', await readFile(config.output), {
      sentinelFuse: FUSE,
      ...(isMac && { machoSegmentName: 'NODE_SEA' }),
    })
    return files
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** The file compressed, in the cache; null for what is not worth it. */
async function compressed(file: string, path: string, cache: string): Promise<string | null> {
  if (READ_AT_START.has(path) || AS_THEY_ARE.test(path)) return null
  const bytes = await readFile(file)
  const packed = join(cache, `${createHash('sha256').update(bytes).digest('hex')}.br`)
  const known = await readFile(packed).catch(() => null)
  const made = known ?? (await promisify(brotliCompress)(bytes, paramsFor(bytes)))
  if (!known) {
    await mkdir(cache, { recursive: true })
    await writeFile(packed, made)
  }
  return made.length > bytes.length * (1 - LEAST_SAVED) ? null : packed
}

function paramsFor(bytes: Buffer) {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  }
}
