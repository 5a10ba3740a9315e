// Archives as users meet them: written by the server's code, opened by the usual programs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstat, open, readdir, readFile, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createArchiveWriter } from '../../src/files/archive/archive.ts'
import type { ByteSink } from '../../src/files/archive/byte-sink.ts'
import { archiveEntries, commonFolder } from '../../src/files/archive/entries.ts'
import type { ArchiveFormat } from '../../src/files/archive/formats.ts'
import { createScope, type Scope } from '../../src/files/place/scope.ts'
import type { VPath } from '../../src/lib/vpath.ts'
import { createThreads } from '../../src/programs/threads.ts'
import { needProgram } from './programs.ts'
import { VOLUME } from './scope.ts'

export const FORMATS = [
  'zip',
  'tar',
  'targz',
  'tarbz2',
  'tarxz',
  'tarlz4',
  'tarsz',
  'tarbr',
  'tarzst',
] as const satisfies readonly ArchiveFormat[]

export function openScope(root: string, allow: (vpath: VPath) => boolean = () => true): Scope {
  const followExternalSymlinks = false
  return createScope({
    volume: VOLUME,
    root,
    may: allow,
    followExternalSymlinks,
    fileMode: 0o640,
    dirMode: 0o750,
  })
}

const writeArchive = createArchiveWriter(createThreads())
const NEVER = new AbortController().signal

/** Writes an archive of `roots` (default everything) to `sink`. */
export function archiveTo(
  sink: ByteSink,
  scope: Scope,
  format: ArchiveFormat,
  { roots = ['/'], signal = NEVER }: { roots?: string[]; signal?: AbortSignal } = {},
): Promise<void> {
  const vpaths = roots as VPath[]
  const entries = archiveEntries(scope, vpaths, commonFolder(vpaths), signal)
  return writeArchive(entries, format, sink, signal)
}

/** Like archiveTo, into a file. */
export async function archiveToFile(
  file: string,
  ...rest: Parameters<typeof archiveTo> extends [unknown, ...infer R] ? R : never
): Promise<void> {
  const handle = await open(file, 'w')
  try {
    const write = async (chunk: Uint8Array) => {
      for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten
    }
    await archiveTo({ write }, ...rest)
  } finally {
    await handle.close()
  }
}

export const UNSNAPPY = fileURLToPath(new URL('./unsnappy.py', import.meta.url))

/** The program that takes a tar out of each compression, as `[program, ...arguments]`. */
export const DECOMPRESSORS: Record<Exclude<ArchiveFormat, 'zip' | 'tar'>, [string, ...string[]]> = {
  targz: ['gzip', '-dc'],
  tarbz2: ['bzip2', '-dc'],
  tarxz: ['xz', '-dc'],
  tarlz4: ['lz4', '-dc'],
  tarsz: ['/usr/bin/python3', UNSNAPPY],
  tarbr: ['brotli', '-dc'],
  tarzst: ['zstd', '-dcq'],
}

/** Unpacks an archive into an existing folder; throws with the program's words when it complains. */
export async function unpack(format: ArchiveFormat, file: string, into: string): Promise<void> {
  if (format === 'zip') return run(['unzip', '-qq', '-o', '-^', file, '-d', into])
  if (format === 'tar') return run(['tar', '-xf', file, '-C', into])
  const tar = `${file}.plain`
  await run(DECOMPRESSORS[format], file, tar)
  await run(['tar', '-xf', tar, '-C', into])
}

/** Runs a program, its input and output bound to files where given; skips the test without it. */
export async function run(
  [program, ...args]: [string, ...string[]],
  stdin?: string,
  stdout?: string,
): Promise<void> {
  needProgram(program)
  const input = stdin === undefined ? null : await open(stdin, 'r')
  const output = stdout === undefined ? null : await open(stdout, 'w')
  try {
    const child = spawn(program, args, {
      stdio: [input?.fd ?? 'ignore', output?.fd ?? 'ignore', 'pipe'],
    })
    let complaint = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      complaint += chunk.toString()
    })
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${complaint}`)
  } finally {
    await input?.close()
    await output?.close()
  }
}

export type TreeFacts = Record<
  string,
  { kind: string; mode: string; seconds: number; content?: string; target?: string }
>

/** Everything below a folder, for comparison: modes, times to the second, contents. */
export async function describeTree(root: string): Promise<TreeFacts> {
  const facts: TreeFacts = {}
  for (const name of (await readdir(root, { recursive: true })).sort()) {
    const path = join(root, name)
    const found = await lstat(path)
    const kind = found.isDirectory() ? 'dir' : found.isFile() ? 'file' : 'other'
    const mode = (found.mode & 0o777).toString(8)
    facts[name] = { kind, mode, seconds: Math.floor(found.mtimeMs / 1000) }
    if (kind === 'file') Object.assign(facts[name], { content: await readFile(path, 'base64') })
    if (found.isSymbolicLink()) Object.assign(facts[name], { target: await readlink(path) })
  }
  return facts
}

/** Bytes of a file. */
export async function sizeOf(file: string): Promise<number> {
  return (await stat(file)).size
}
