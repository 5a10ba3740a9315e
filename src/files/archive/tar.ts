// tar: ustar headers, with PAX records for what they cannot hold. No owners: an archive must not
// tell the accounts of the host. https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html

import type { ByteSink } from './byte-sink.ts'
import type { Content } from './content.ts'

export interface EntryFacts {
  /** Relative, `/` separated. */
  name: string
  /** POSIX st_mode; only the permission bits are kept. */
  mode: number
  mtimeMs: number
}

/** Writes entries one after the other; `end` completes the archive. */
export interface Container {
  folder(entry: EntryFacts): Promise<void>
  file(entry: EntryFacts, content: Content): Promise<void>
  end(): Promise<void>
}

const BLOCK_BYTES = 512
const NAME_BYTES = 100
/** Eleven octal digits: 8 GiB - 1, or the year 2242. */
const MAX_OCTAL = 0o77777777777
const ZEROS = Buffer.alloc(2 * BLOCK_BYTES)

/** What ends a tar. */
export const TAR_END: Buffer = ZEROS

export function createTar(sink: ByteSink): Container {
  return {
    folder: (entry) => sink.write(tarHead({ ...entry, name: `${entry.name}/` }, '5', 0)),
    file: async (entry, content) => {
      await sink.write(tarHead(entry, '0', content.sizeBytes))
      if (content.whole) await sink.write(content.whole)
      else await content.copyTo(sink)
      const padding = tarPadding(content.sizeBytes)
      if (padding.length > 0) await sink.write(padding)
    },
    end: () => sink.write(TAR_END),
  }
}

/** What stands before the content of a file (`0`) or for a folder (`5`), whose name ends in a slash. */
export function tarHead(entry: EntryFacts, type: '0' | '5', sizeBytes: number): Buffer {
  const records: [string, string][] = []
  const name = Buffer.from(entry.name)
  if (name.length > NAME_BYTES || name.length !== entry.name.length)
    records.push(['path', entry.name])
  if (sizeBytes > MAX_OCTAL) records.push(['size', String(sizeBytes)])
  const mtimeS = Math.floor(entry.mtimeMs / 1000)
  if (mtimeS < 0 || mtimeS > MAX_OCTAL) records.push(['mtime', String(mtimeS)])
  const header = ustarHeader(entry, type, Math.min(sizeBytes, MAX_OCTAL))
  if (records.length === 0) return header
  const body = Buffer.from(records.map(([key, value]) => paxRecord(key, value)).join(''))
  const facts = { name: `PaxHeaders/${entry.name}`, mode: 0o644, mtimeMs: entry.mtimeMs }
  return Buffer.concat([
    ustarHeader(facts, 'x', body.length),
    body,
    tarPadding(body.length),
    header,
  ])
}

/** What fills the last block of so many bytes. */
export function tarPadding(sizeBytes: number): Buffer {
  const over = sizeBytes % BLOCK_BYTES
  return ZEROS.subarray(0, over > 0 ? BLOCK_BYTES - over : 0)
}

function ustarHeader(entry: EntryFacts, type: '0' | '5' | 'x', sizeBytes: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES)
  const octal = (value: number, at: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, '0'), at, 'latin1')
  // A longer name is cut here and complete in the PAX record.
  header.set(Buffer.from(entry.name).subarray(0, NAME_BYTES))
  octal(entry.mode & 0o777, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(sizeBytes, 124, 11)
  octal(Math.min(MAX_OCTAL, Math.max(0, Math.floor(entry.mtimeMs / 1000))), 136, 11)
  header.write(type, 156, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  octal(0, 329, 7)
  octal(0, 337, 7)
  // The checksum is summed with blanks in its own place.
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\x00 `, 148, 'latin1')
  return header
}

/** `<length> <key>=<value>\n`, the length counting its own digits. */
function paxRecord(key: string, value: string): string {
  const bytes = Buffer.byteLength(` ${key}=${value}\n`)
  let digits = String(bytes).length
  if (String(bytes + digits).length > digits) digits++
  return `${bytes + digits} ${key}=${value}\n`
}
