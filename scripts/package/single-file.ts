// The files of a folder become a part of a Node binary, by pkg as a single executable application of Node:
// https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { CONTENTS, TABLE } from '../../src/inside.ts'
import { V8_FLAGS } from './code-cache.ts'
import { filesBelow } from './stage.ts'
import { hostTarget, type Target } from './targets.ts'

const run = promisify(execFile)

interface Options {
  target: Target
  /** Of Node. */
  version: string
  /** Binary of the platform, and one of the same version that runs here. */
  node: string
  host: string
  /** What `stage.ts` has laid out. */
  folder: string
  /** Where files that were compressed before are kept. */
  cache: string
  output: string
}

/** First file of the program, and what it reads at a start: these stay as they are, each an asset by itself. */
const MAIN = 'server/boot.cjs'
const READ_AT_START = new Set([
  MAIN,
  'server/main.cjs',
  'server/main.code',
  'server/quick.process.cjs',
])
/** Compressed already, or sent as they are. */
const AS_THEY_ARE = /^web\//
const LEAST_SAVED = 0.1

/** Writes the executable, and gives the files in it with the names that it knows them by. */
export async function makeSingleFile(options: Options): Promise<Map<string, string>> {
  const { target, version, node, host, folder, output } = options
  const work = await mkdtemp(join(dirname(folder), 'single-file-'))
  try {
    const files = new Map<string, string>()
    const all = filesBelow(folder).map(async (path) => {
      const packed = await compressed(join(folder, path), path, options.cache)
      return [packed ? `${path}.zst` : path, packed ?? join(folder, path)] as const
    })
    for (const [name, path] of await Promise.all(all)) files.set(name, path)
    await giveBinary(work, target, version, node)
    if (target !== hostTarget()) await giveBinary(work, hostTarget(), version, host)
    const seaConfig = {
      // It is kept in the executable: one that begins in the temporary folder of pkg is the same on all machines.
      main: `../${MAIN}`,
      disableExperimentalSEAWarning: true,
      execArgv: V8_FLAGS,
      assets: await assetsOf(files, work),
    }
    const place = { ...placeOf(target), nodeRange: `node${version}`, output }
    const given = { main: join(folder, MAIN), seaConfig, signature: false, targets: [place] }
    await run(process.execPath, [PKG, JSON.stringify(given)], {
      env: { ...process.env, HOME: work, USERPROFILE: work, TMPDIR: folder, TEMP: folder },
    })
    return files
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** What `src/inside.ts` reads: what a start needs by itself, all else in one. Gives the files of the assets by name. */
async function assetsOf(
  files: ReadonlyMap<string, string>,
  work: string,
): Promise<Record<string, string>> {
  const others = [...files].filter(([name]) => !READ_AT_START.has(name))
  const parts = await Promise.all(others.map(([, path]) => readFile(path)))
  let end = 0
  const table = others.map(([name], i) => {
    const { length = 0 } = parts[i] ?? {}
    const at = end
    end += length
    return [name, [at, length]]
  })
  const [contents, index] = [join(work, CONTENTS), join(work, TABLE)]
  await writeFile(contents, Buffer.concat(parts))
  await writeFile(index, JSON.stringify(table))
  const atStart = [...files].filter(([name]) => READ_AT_START.has(name))
  return { ...Object.fromEntries(atStart), [CONTENTS]: contents, [TABLE]: index }
}

const PKG = join(import.meta.dirname, 'pkg-sea.cjs')

/** A platform by the words of pkg. */
function placeOf({ os, cpu }: Target) {
  return { platform: { linux: 'linux', darwin: 'macos', win32: 'win' }[os], arch: cpu }
}

/** Puts a Node binary where pkg keeps those that it has fetched and checked, so that it fetches none. */
async function giveBinary(
  home: string,
  { os, cpu }: Target,
  version: string,
  binary: string,
): Promise<void> {
  const isWindows = os === 'win32'
  const name = `node-v${version}-${isWindows ? 'win' : os}-${cpu}`
  const kept = join(home, '.pkg-cache', 'sea')
  const file = isWindows ? join(kept, `${name}.exe`) : join(kept, name, 'bin', 'node')
  const archive = join(kept, `${name}.${isWindows ? 'zip' : 'tar.gz'}`)
  await mkdir(dirname(file), { recursive: true })
  await copyFile(binary, file)
  for (const mark of [archive, `${archive}.ok`, `${file}.ok`]) await writeFile(mark, '')
}

/** The file compressed, in the cache; null for what is not worth it. */
async function compressed(file: string, path: string, cache: string): Promise<string | null> {
  if (READ_AT_START.has(path) || AS_THEY_ARE.test(path)) return null
  const bytes = await readFile(file)
  const packed = join(cache, `${createHash('sha256').update(bytes).digest('hex')}.zst`)
  const known = await readFile(packed).catch(() => null)
  const made = known ?? (await promisify(zstdCompress)(bytes, bestFor(bytes)))
  if (!known) {
    await mkdir(cache, { recursive: true })
    await writeFile(packed, made)
  }
  return made.length > bytes.length * (1 - LEAST_SAVED) ? null : packed
}

/** Levels above cost more time and save no byte; the window is larger than any file, and made as small as each. */
function bestFor(bytes: Buffer) {
  const { ZSTD_c_compressionLevel, ZSTD_c_windowLog } = constants
  return {
    params: { [ZSTD_c_compressionLevel]: 19, [ZSTD_c_windowLog]: 25 },
    pledgedSrcSize: bytes.length,
  }
}
