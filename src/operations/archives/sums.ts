// Sums files, as sha256sum and its like write them: made of what is selected, and compared with what is there.
import type { ArchiveEntry } from '../../files/archive/entries.ts'
import { segmentsOf } from '../../files/extract/names.ts'
import type { OpenFile } from '../../files/place/scope.ts'
import type { ChecksumAlgorithm } from '../../files/transfer/checksum.ts'
import type { Course } from '../../files/transfer/course.ts'
import { AppError } from '../../lib/errors.ts'
import { joinVPath, parentOf, ROOT, type VPath } from '../../lib/vpath.ts'
import { type Actor, requireMay } from '../actor.ts'

/** All jobs have one turn, so that a thread is left for requests. */
const OWNER = -1
const MAX_LINE_CHARS = 16 * 1024
const BATCH_BYTES = 64 * 1024

interface ToSum {
  entries: AsyncIterable<ArchiveEntry>
  algorithm: ChecksumAlgorithm
  /** The folder that names begin at. */
  common: VPath
  course: Course
  write(bytes: Buffer): Promise<void>
}

/** Writes a line for each file. What cannot be read is told to `course` and left out. */
export async function writeSums(
  actor: Actor,
  { entries, algorithm, common, course, write }: ToSum,
): Promise<void> {
  let text = ''
  for await (const entry of entries) {
    if (entry.kind === 'dir') continue
    const file = await entry.open()
    if (!file) continue
    course.at(entry.vpath)
    try {
      text += lineOf(await sumOf(actor, file, algorithm, course), nameBelow(common, entry.vpath))
      course.passed(0)
    } catch (error) {
      actor.signal.throwIfAborted()
      if (!(error instanceof AppError)) throw error
      course.failed(entry.vpath, error)
    }
    if (text.length < BATCH_BYTES) continue
    await write(Buffer.from(text))
    text = ''
  }
  await write(Buffer.from(text))
}

async function sumOf(
  { services, signal }: Actor,
  file: OpenFile,
  algorithm: ChecksumAlgorithm,
  course: Course,
): Promise<string> {
  let isTaken = false
  const open = async () => {
    isTaken = true
    return file
  }
  try {
    return await services.checksum({ sizeBytes: file.sizeBytes, open }, algorithm, {
      owner: OWNER,
      signal,
      onRead: (bytes) => course.bytes(bytes),
    })
  } finally {
    if (!isTaken) await file.handle.close()
  }
}

/** Throws what the check of a sums file is refused with before anything is read. */
export async function prepareCheck(actor: Actor, sums: VPath): Promise<void> {
  requireMay(actor, 'see', sums)
  const { kind } = await actor.scope.stat(sums)
  requireMay(actor, 'download', sums)
  if (kind === 'dir') throw new AppError('is_a_folder', `${sums} is no file of sums`)
}

/**
 * Compares files with the sums that a file beside them says. `course` is told of what is missing, `damaged` (another sum) or cannot be read.
 * Throws `unsupported` for what is no file of sums.
 */
export async function checkSums(actor: Actor, sums: VPath, course: Course): Promise<void> {
  await prepareCheck(actor, sums)
  const folder = parentOf(sums)
  let isKnown = false
  for await (const line of linesOf(actor, sums)) {
    const said = saidBy(line)
    if (!said) continue
    isKnown = true
    actor.demand()
    const segments = segmentsOf(said.name)
    const vpath = (segments ?? []).reduce<VPath>((at, segment) => joinVPath(at, segment), folder)
    course.at(vpath)
    try {
      if (!segments?.length) throw new AppError('invalid_name', `${said.name} leads elsewhere`)
      requireMay(actor, 'see', vpath)
      requireMay(actor, 'download', vpath)
      const file = await actor.scope.openRead(vpath)
      const sum = await sumOf(actor, file, said.algorithm, course)
      if (sum !== said.sum) throw new AppError('damaged', `${vpath} has another sum`)
      course.passed(0)
    } catch (error) {
      actor.signal.throwIfAborted()
      if (!(error instanceof AppError)) throw error
      course.failed(vpath, error)
    }
  }
  if (!isKnown) throw new AppError('unsupported', `${sums} is no file of sums`)
}

async function* linesOf({ scope, signal }: Actor, sums: VPath): AsyncGenerator<string, void> {
  const { handle } = await scope.openRead(sums)
  const decoder = new TextDecoder()
  const piece = Buffer.alloc(BATCH_BYTES)
  let rest = ''
  try {
    for (let position = 0; ; ) {
      signal.throwIfAborted()
      const { bytesRead } = await handle.read(piece, 0, piece.length, position)
      if (bytesRead === 0) break
      position += bytesRead
      const text = rest + decoder.decode(piece.subarray(0, bytesRead), { stream: true })
      const lines = text.split('\n')
      // What has no line ends is no file of sums.
      rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARS)
      yield* lines
    }
    yield rest
  } finally {
    await handle.close()
  }
}

/** As it is on the disk. */
function nameBelow(folder: VPath, vpath: VPath): string {
  return vpath.slice(folder === ROOT ? 1 : folder.length + 1)
}

/** With a backslash before it where the name has characters that a line cannot hold. */
function lineOf(sum: string, name: string): string {
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `${escaped === name ? '' : '\\'}${sum}  ${escaped}\n`
}

interface Said {
  sum: string
  algorithm: ChecksumAlgorithm
  name: string
}

const BY_CHARS: Record<number, ChecksumAlgorithm> = {
  32: 'md5',
  40: 'sha1',
  64: 'sha256',
  128: 'sha512',
}

/** Null for a line that is none; also as BSD has them. */
function saidBy(line: string): Said | null {
  const gnu = /^(\\?)([0-9a-f]+) [ *](.+?)\r?$/i.exec(line)
  const bsd = gnu ? null : /^(\\?)(?:MD5|SHA\d+) \((.+)\) = ([0-9a-f]+)\r?$/i.exec(line)
  const [, mark, sum = '', name = ''] = gnu ?? (bsd ? [bsd[0], bsd[1], bsd[3], bsd[2]] : [])
  const algorithm = BY_CHARS[sum.length]
  if (!algorithm) return null
  const plain = mark ? name.replace(/\\([\\nr])/g, (_, c: string) => ESCAPED[c] ?? c) : name
  return { sum: sum.toLowerCase(), algorithm, name: plain }
}

const ESCAPED: Record<string, string> = { n: '\n', r: '\r' }
