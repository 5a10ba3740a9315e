// 7z and rar by bsdtar, which makes a tar of them without having the archive in memory.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { AppError } from '../../lib/errors.ts'
import { residentBytes } from '../../programs/decoder-child.ts'
import type { Output } from './output.ts'
import type { ArchiveFile } from './source.ts'
import { readTar } from './tar.ts'

/** Of what bsdtar takes. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024
const CHECK_MS = 250
const MAX_WORDS = 4096

/**
 * Tells of all entries. The archive is read twice, since bsdtar passes over sums that are wrong when it makes a tar.
 * Throws `damaged`, `encrypted`, and `too_large` for more bytes than asked for and for what takes too much memory.
 */
export async function readByProgram(
  file: ArchiveFile,
  program: string,
  maxBytes: number,
  output: Output,
): Promise<void> {
  const half = Math.floor(file.sizeBytes / 2)
  const progress = (from: number) => (bytes: number) =>
    output.passed(from + Math.floor(Math.min(bytes, file.sizeBytes) / 2))
  await run(file, [program, '-xPOf', '-'], progress(0), async (chunks) => {
    let bytes = 0
    for await (const { length } of chunks) {
      bytes += length
      if (bytes > maxBytes) throw new AppError('too_large', `more than ${maxBytes} bytes`)
    }
  })
  await run(file, [program, '-cPf', '-', '--format=pax', '@-'], progress(half), (chunks) =>
    readTar(chunks, output, (bytes) => bytes.toString('utf8')),
  )
}

async function run(
  { fd }: ArchiveFile,
  [program = '', ...args]: string[],
  onProgress: (bytes: number) => void,
  work: (chunks: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  // With a place in the file of its own, which tells how far it is.
  const own = openSync(`/proc/self/fd/${fd}`, 'r')
  const child = spawn(program, args, {
    stdio: [own, 'pipe', 'pipe'],
    env: { LC_ALL: 'C.UTF-8' },
    cwd: '/',
  })
  let words = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(0, MAX_WORDS)
  })
  let isTooLarge = false
  let place = 0
  const check = async () => {
    const at = placeOf(own)
    if (at !== place) onProgress(at)
    place = at
    if ((await residentBytes(child.pid ?? 0)) <= MAX_MEMORY_BYTES) return
    isTooLarge = true
    child.kill('SIGKILL')
  }
  const checking = setInterval(() => void check(), CHECK_MS)
  const ended = endOf(child)
  let failure: unknown
  try {
    if (child.stdout) await work(child.stdout)
  } catch (error) {
    failure = error
    child.kill('SIGKILL')
  }
  const code = await ended
  clearInterval(checking)
  closeSync(own)
  if (isTooLarge) throw new AppError('too_large', 'it takes too much memory to unpack')
  if (/encrypt|passphrase/i.test(words)) throw new AppError('encrypted', words)
  if (failure instanceof AppError && failure.code === 'too_large') throw failure
  if (failure || code !== 0) throw new AppError('damaged', words || `${failure ?? code}`)
}

function placeOf(fd: number): number {
  return Number(/pos:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? 0)
}

/** Its exit code; null where it was killed or never began. */
async function endOf(child: ChildProcess): Promise<number | null> {
  try {
    await once(child, 'close')
  } catch {
    return null
  }
  return child.exitCode
}
