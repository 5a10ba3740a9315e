// Entries of a tar: ustar, pax, GNU and old ones.
// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13
// https://www.gnu.org/software/tar/manual/html_node/Standard.html
import { AppError } from '../../lib/errors.ts'
import type { Output } from './output.ts'
import type { ArchivedEntry } from './wire.ts'

const BLOCK_BYTES = 512
/** Of what stands in front of an entry. */
const MAX_EXTRA_BYTES = 4 * 1024 * 1024
/** Where the sum of a header stands, which counts as blanks in it. */
const SUM_AT = 148
const SUM_BYTES = 8
const BLANK = 0x20

/**
 * Tells of all entries. A chunk is read before the next is asked for. Throws `damaged` for what is no tar, and where it
 * breaks off. `decode` reads names.
 */
export async function readTar(
  source: AsyncIterable<Buffer>,
  output: Output,
  decode: (bytes: Buffer) => string,
): Promise<void> {
  const reader = createReader(output, decode)
  try {
    for await (const chunk of source) reader.push(chunk)
    if (reader.isAmid()) throw new Error('it breaks off')
  } catch (error) {
    if (reader.isInFile()) output.end('damaged')
    throw error instanceof AppError ? error : damaged((error as Error).message)
  }
}

function damaged(what: string): AppError {
  return new AppError('damaged', `tar: ${what}`)
}

function createReader(output: Output, decode: (bytes: Buffer) => string) {
  const block = Buffer.alloc(BLOCK_BYTES)
  let blockBytes = 0
  /** Of the last header, to come. */
  let contentBytes = 0
  let paddingBytes = 0
  /** What the content is. */
  let isFile = false
  let extra: { type: string; pieces: Buffer[] } | null = null
  const extras = createExtras()

  const begin = (header: Buffer) => {
    const fields = fieldsOf(header)
    if (!fields) return
    const { type } = fields
    if (EXTRA_TYPES.includes(type)) {
      if (fields.sizeBytes > MAX_EXTRA_BYTES) throw damaged('a long header')
      extra = { type, pieces: [] }
      contentBytes = fields.sizeBytes
    } else {
      const entry = entryOf(fields, extras.take(), decode)
      output.entry(entry)
      isFile = entry.kind === 'file'
      // Of folders some tell a size that nothing follows.
      contentBytes = entry.kind === 'dir' ? 0 : entry.sizeBytes
    }
    if (!(contentBytes >= 0)) throw damaged('a size')
    paddingBytes = (BLOCK_BYTES - (contentBytes % BLOCK_BYTES)) % BLOCK_BYTES
    if (contentBytes === 0) end()
  }
  const end = () => {
    if (extra) extras.note(extra.type, Buffer.concat(extra.pieces))
    else if (isFile) output.end()
    extra = null
    isFile = false
  }
  /** Gives how many of the bytes were taken. */
  const take = (bytes: Buffer): number => {
    if (contentBytes > 0) {
      const piece = bytes.subarray(0, contentBytes)
      if (extra) extra.pieces.push(Buffer.from(piece))
      else if (isFile) output.data(piece)
      contentBytes -= piece.length
      if (contentBytes === 0) end()
      return piece.length
    }
    if (paddingBytes > 0) {
      const passed = Math.min(paddingBytes, bytes.length)
      paddingBytes -= passed
      return passed
    }
    const copied = bytes.copy(block, blockBytes)
    blockBytes += copied
    if (blockBytes === BLOCK_BYTES) {
      blockBytes = 0
      begin(block)
    }
    return copied
  }
  return {
    push: (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; ) at += take(chunk.subarray(at))
    },
    isAmid: () => contentBytes > 0 || paddingBytes > 0 || blockBytes > 0,
    isInFile: () => isFile,
  }
}

/** Of headers for the next entry: names and facts of pax, for one or for all, and long names of GNU. */
const EXTRA_TYPES = ['x', 'g', 'L', 'N', 'K']

type Pax = Record<string, string>

interface Extras {
  pax: Pax
  name: Buffer | null
  linkName: Buffer | null
}

function createExtras() {
  let common: Pax = {}
  let own: Pax | null = null
  let name: Buffer | null = null
  let linkName: Buffer | null = null
  return {
    note: (type: string, content: Buffer) => {
      if (type === 'g') common = paxOf(content)
      else if (type === 'x') own = paxOf(content)
      else if (type === 'K') linkName = textIn(content)
      else name = textIn(content)
    },
    /** What holds for the entry that comes. */
    take: (): Extras => {
      const all = { pax: own ? { ...common, ...own } : {}, name, linkName }
      own = name = linkName = null
      return all
    },
  }
}

/** Lines of a length, a blank, a name, `=` and a value. */
function paxOf(content: Buffer): Pax {
  const found: Pax = {}
  for (let at = 0; at < content.length; ) {
    const blank = content.indexOf(BLANK, at)
    const bytes = Number.parseInt(content.toString('latin1', at, Math.max(at, blank)), 10)
    if (!(bytes > 0)) break
    const line = content.toString('utf8', blank + 1, at + bytes - 1)
    const split = line.indexOf('=')
    if (split < 0) break
    found[line.slice(0, split)] = line.slice(split + 1)
    at += bytes
  }
  return found
}

interface Fields {
  name: Buffer
  linkName: Buffer
  type: string
  mode: number
  sizeBytes: number
  mtimeSeconds: number
}

/** Null for a block of zeros, as they stand at the end. */
function fieldsOf(header: Buffer): Fields | null {
  let sum = BLANK * SUM_BYTES
  for (let i = 0; i < SUM_AT; i++) sum += header[i] as number
  for (let i = SUM_AT + SUM_BYTES; i < BLOCK_BYTES; i++) sum += header[i] as number
  if (sum === BLANK * SUM_BYTES) return null
  if (sum !== numberIn(header, SUM_AT, SUM_BYTES)) throw damaged('a header is not what it says')
  const own = textIn(header.subarray(0, 100))
  const isPosix = header.toString('latin1', 257, 263) === 'ustar\0'
  const folder = isPosix ? textIn(header.subarray(345, 500)) : null
  const name = folder?.length ? Buffer.concat([folder, Buffer.from('/'), own]) : own
  return {
    name: Buffer.from(name),
    linkName: Buffer.from(textIn(header.subarray(157, 257))),
    // Old ones have a zero.
    type: header[156] === 0 ? '0' : String.fromCharCode(header[156] as number),
    mode: numberIn(header, 100, 8),
    sizeBytes: numberIn(header, 124, 12),
    mtimeSeconds: numberIn(header, 136, 12),
  }
}

/** Up to the first zero. */
function textIn(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0)
  return end < 0 ? bytes : bytes.subarray(0, end)
}

/** Octal digits, or where the first bit is set, as GNU has it, a number of two's complement. NaN for what is neither. */
function numberIn(header: Buffer, at: number, bytes: number): number {
  const first = header[at] as number
  if ((first & 0x80) === 0) {
    const text = header.toString('latin1', at, at + bytes).replace(/^[ \0]+|[ \0].*$/gs, '')
    return text === '' ? 0 : Number.parseInt(text, 8)
  }
  let value = first === 0xff ? -1 : first & 0x7f
  for (let i = at + 1; i < at + bytes; i++) value = value * 256 + (header[i] as number)
  return value
}

const KINDS: Record<string, ArchivedEntry['kind']> = {
  '0': 'file',
  '7': 'file',
  '1': 'hardlink',
  '2': 'link',
  '5': 'dir',
}

function entryOf(
  fields: Fields,
  { pax, name: longName, linkName }: Extras,
  decode: (bytes: Buffer) => string,
): ArchivedEntry {
  // Only names of pax are text.
  const name = pax.path ?? decode(longName ?? fields.name)
  const isSparse = Object.keys(pax).some((key) => key.startsWith('GNU.sparse.'))
  // Of old sparse files the type is not known, as of devices.
  const type = isSparse ? 'other' : (KINDS[fields.type] ?? 'other')
  const kind = type === 'file' && name.endsWith('/') ? 'dir' : type
  const mtimeMs = Number(pax.mtime ?? fields.mtimeSeconds) * 1000
  return {
    name,
    kind,
    mode: fields.mode || 0,
    mtimeMs: Number.isFinite(mtimeMs) ? Math.round(mtimeMs) : 0,
    sizeBytes: pax.size ? Number.parseInt(pax.size, 10) : fields.sizeBytes,
    ...(kind === 'hardlink' && { linkTo: pax.linkpath ?? decode(linkName ?? fields.linkName) }),
  }
}
