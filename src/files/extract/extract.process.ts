// The decoder process: a task on stdin, an archive as descriptor 3, what is in it on stdout, nothing else. A process and
// not a thread, so that a decoder that crashes or swells takes only itself along. Ends when stdin does.
import { writevSync } from 'node:fs'
import { setPriority } from 'node:os'
import { AppError } from '../../lib/errors.ts'
import { behind } from '../disks/write-fully.ts'
import { kindOf, unpacked } from './decompress.ts'
import { createOutput, type Output } from './output.ts'
import type { ArchiveFile } from './source.ts'
import { readTar } from './tar.ts'
import type { DecoderTask } from './wire.ts'

/** It waits rather than requests. */
const NICE = 10
const STDOUT_FD = 1
const ARCHIVE_FD = 3
/** Of 7z and rar, which the library has in memory as a whole. */
const MAX_LIBRARY_BYTES = 256 * 1024 * 1024
/** What split archives are called. */
const PART = /\.(?:\d{3}|part\d+\.rar|r\d\d)$/i

async function unpack(file: ArchiveFile, output: Output, task: DecoderTask): Promise<void> {
  const kind = await kindOf(file)
  // Each for itself: loading one takes longer than a small archive.
  if (kind === 'zip') return (await import('./unzip.ts')).readZip(file, output, task)
  if (kind === '7z' || kind === 'rar') return unpackForeign(file, output, task)
  await readTar(unpacked(file, kind), output, (bytes) => textOf(bytes, task))
}

async function unpackForeign(
  file: ArchiveFile,
  output: Output,
  { bsdtar, maxBytes }: DecoderTask,
): Promise<void> {
  try {
    if (file.sizeBytes <= MAX_LIBRARY_BYTES)
      await (await import('./by-library.ts')).readByLibrary(file, output)
    else if (bsdtar === '') throw new AppError('too_large', 'without bsdtar up to 256 MiB')
    else await (await import('./by-program.ts')).readByProgram(file, bsdtar, maxBytes, output)
  } catch (error) {
    const isPart = error instanceof AppError && error.code === 'damaged' && PART.test(file.name)
    throw isPart ? new AppError('unsupported', 'it is a part of a split archive') : error
  }
}

/** Names of a tar are bytes: UTF-8 but for old ones. */
function textOf(bytes: Buffer, { encoding }: DecoderTask): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder(encoding === '' ? 'windows-1252' : encoding).decode(bytes)
  }
}

async function start(text: string): Promise<void> {
  const task = JSON.parse(text) as DecoderTask
  const output = createOutput(write)
  const { name, sizeBytes } = task
  const file = { fd: ARCHIVE_FD, name, sizeBytes, onRead: output.read }
  try {
    await unpack(file, output, task)
    output.over(null)
  } catch (error) {
    const code = error instanceof AppError ? error.code : 'damaged'
    output.over(code, (error as Error).message)
  }
  process.exit(0)
}

/** Waits for the server, which the stream of this process would not. */
function write(buffers: readonly Uint8Array[]): void {
  try {
    for (let left = buffers; left.length > 0; ) left = behind(left, writevSync(STDOUT_FD, left))
  } catch {
    process.exit(0)
  }
}

function listen(): void {
  try {
    setPriority(NICE)
  } catch {
    // Some sandboxes do not allow it.
  }
  // Libraries must not write into what the server reads.
  console.log = () => {}
  let text = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (chunk: string) => {
    const isWhole = text.includes('\n')
    text += chunk
    if (!isWhole && text.includes('\n')) void start(text)
  })
  process.stdin.on('end', () => process.exit(0))
}

listen()
