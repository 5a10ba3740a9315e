// Measures our zip and tar writers beside yazl and tar-stream: `node scripts/measure-archives.ts [rounds]`.
// All read the same files and take turns within a round, so that a busy machine changes the ratios of
// their CPU seconds little. docs/dependencies.md has the figures that decided.
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { createArchiveWriter } from '../src/files/archive/archive.ts'
import type { ArchiveEntry } from '../src/files/archive/entries.ts'
import type { ArchiveFormat } from '../src/files/archive/formats.ts'
import { createThreads } from '../src/programs/threads.ts'

interface Source {
  name: string
  path: string
  sizeBytes: number
}

/** Writes an archive of the files and gives its bytes. */
type Writer = (files: readonly Source[]) => Promise<number>

const MIB = 1024 * 1024
const MTIME = new Date('2026-01-02T03:04:05Z')
const MODE = 0o644

const require = createRequire(import.meta.url)
// What the bundler would do: yazl's checksum by zlib.
require.cache[require.resolve('buffer-crc32')] = {
  exports: { unsigned: (bytes: Buffer, before = 0) => crc32(bytes, before) },
} as NodeJS.Module
const { ZipFile } = require('yazl') as typeof import('yazl')
const tar = require('tar-stream') as {
  pack(): AsyncIterable<Buffer> & {
    entry(header: object, done?: (error?: Error) => void): NodeJS.WritableStream
    entry(header: object, body: Buffer, done?: (error?: Error) => void): void
    finalize(): void
  }
}

function ours(format: ArchiveFormat): Writer {
  return async (files) => {
    let bytes = 0
    const write = async (chunk: Uint8Array) => {
      bytes += chunk.length
    }
    async function* entries(): AsyncGenerator<ArchiveEntry> {
      for (const { name, path, sizeBytes } of files) {
        const opened = async () => ({
          handle: await open(path),
          ...{ sizeBytes, mode: MODE, mtimeMs: MTIME.getTime(), vpath: `/${name}` },
        })
        yield { kind: 'file', name, vpath: `/${name}`, open: opened } as never
      }
    }
    await createArchiveWriter(createThreads())(
      entries(),
      format,
      { write },
      new AbortController().signal,
    )
    return bytes
  }
}

function yazl(compressionLevel: number): Writer {
  return async (files) => {
    const zip = new ZipFile()
    for (const { name, path } of files) {
      zip.addReadStreamLazy(name, { mtime: MTIME, mode: MODE, compressionLevel }, (give) =>
        give(null, createReadStream(path, { highWaterMark: MIB / 4 })),
      )
    }
    zip.end()
    return count(zip.outputStream as unknown as AsyncIterable<Buffer>)
  }
}

const tarStream: Writer = async (files) => {
  const pack = tar.pack()
  const counted = count(pack)
  for (const { name, path, sizeBytes } of files) {
    const header = { name, size: sizeBytes, mtime: MTIME, mode: MODE }
    if (sizeBytes <= MIB / 4) {
      const body = await readFile(path)
      await new Promise<void>((done) => pack.entry(header, body, () => done()))
    } else {
      const entry = pack.entry(header)
      await pipeline(createReadStream(path, { highWaterMark: MIB / 4 }), entry)
    }
  }
  pack.finalize()
  return counted
}

async function count(chunks: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0
  for await (const chunk of chunks) bytes += chunk.length
  return bytes
}

async function makeFiles(folder: string, sizes: readonly number[]): Promise<Source[]> {
  await mkdir(folder)
  const noise = randomBytes(MIB)
  // Half of it noise, half of it text: deflate finds something to do.
  const block = Buffer.concat([noise, Buffer.alloc(MIB, 'words that come again and again, ')])
  return Promise.all(
    sizes.map(async (sizeBytes, n) => {
      const path = join(folder, `file ${n} ä.bin`)
      const handle = await open(path, 'w')
      for (let left = sizeBytes; left > 0; left -= block.length)
        await handle.write(block.subarray(0, Math.min(left, block.length)))
      await handle.close()
      return { name: `file ${n} ä.bin`, path, sizeBytes }
    }),
  )
}

const rounds = Number(process.argv[2] ?? 3)
const base = await mkdtemp(join(tmpdir(), 'filebrowser-archives-'))
const writers: Record<string, Writer> = {
  'zip, ours': ours('zip'),
  'zip, yazl': yazl(0),
  'zip deflated, yazl': yazl(6),
  'tar, ours': ours('tar'),
  'tar, tar-stream': tarStream,
}
try {
  const cases = {
    '10,000 files of 4 KiB': await makeFiles(join(base, 'small'), Array(10_000).fill(4096)),
    '1 file of 1 GiB': await makeFiles(join(base, 'large'), [1024 * MIB]),
    'mixed, 2,000 files of 1 KiB to 1 MiB': await makeFiles(
      join(base, 'mixed'),
      Array.from({ length: 2_000 }, (_, n) => 1024 << (n % 11)),
    ),
  }
  for (const [title, files] of Object.entries(cases)) {
    const seconds = new Map<string, { cpu: number[]; wall: number[] }>()
    const gib = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / 1024 ** 3
    for (let round = 0; round < rounds; round++) {
      for (const [name, write] of Object.entries(writers)) {
        const before = process.cpuUsage()
        const started = performance.now()
        const bytes = await write(files)
        if (bytes < gib * 2 ** 28) throw new Error(`${name} wrote ${bytes} bytes`)
        const { user, system } = process.cpuUsage(before)
        const all = seconds.get(name) ?? { cpu: [], wall: [] }
        seconds.set(name, all)
        all.cpu.push((user + system) / 1e6)
        all.wall.push((performance.now() - started) / 1000)
      }
    }
    process.stdout.write(`${title} (${gib.toFixed(2)} GiB)\n`)
    for (const [name, { cpu, wall }] of seconds) {
      const [c, w] = [median(cpu), median(wall)]
      process.stdout.write(
        `  ${name.padEnd(20)} ${c.toFixed(2)} s CPU, ${(c / gib).toFixed(2)} s/GiB, ${((gib * 1024) / w).toFixed(0)} MB/s\n`,
      )
    }
  }
} finally {
  await rm(base, { recursive: true })
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
