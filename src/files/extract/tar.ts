// Entries of a tar: ustar, pax, GNU and old ones.
import { Readable } from 'node:stream'
import { extract, type Header } from 'tar-stream'
import { AppError } from '../../lib/errors.ts'
import type { Output } from './output.ts'
import type { ArchivedEntry } from './wire.ts'

/** Undocumented in its types: https://github.com/mafintosh/tar-stream#extracting */
const OPTIONS: object = { filenameEncoding: 'latin1', allowUnknownFormat: true }

/** Tells of all entries. Throws `damaged` for what is no tar, and where it breaks off. `decode` reads names. */
export async function readTar(
  source: AsyncIterable<Buffer>,
  output: Output,
  decode: (bytes: Buffer) => string,
): Promise<void> {
  const tar = extract(OPTIONS)
  Readable.from(source, { objectMode: false })
    .on('error', (error) => tar.destroy(error))
    .pipe(tar as unknown as NodeJS.WritableStream)
  let isInFile = false
  try {
    for await (const content of tar) {
      const entry = entryOf(content.header, decode)
      await output.entry(entry)
      isInFile = entry.kind === 'file'
      for await (const piece of content) if (isInFile) await output.data(piece as Buffer)
      if (isInFile) await output.end()
      isInFile = false
    }
  } catch (error) {
    if (isInFile) await output.end('damaged')
    throw error instanceof AppError ? error : damaged(error)
  }
}

function damaged(error: unknown): AppError {
  return new AppError('damaged', `tar: ${(error as Error).message}`)
}

function entryOf(header: Header, decode: (bytes: Buffer) => string): ArchivedEntry {
  // Only names of pax are text, and only of entries with pax headers of their own are there any.
  const pax = (header.pax ?? {}) as Record<string, string>
  const textOf = (raw: string | null) => decode(Buffer.from(raw ?? '', 'latin1'))
  const name = pax.path ?? textOf(header.name)
  const isSparse = Object.keys(pax).some((key) => key.startsWith('GNU.sparse.'))
  const type = isSparse ? 'other' : (KINDS[header.type] ?? 'other')
  const kind = type === 'file' && name.endsWith('/') ? 'dir' : type
  const mtimeMs = pax.mtime === undefined ? header.mtime.getTime() : Number(pax.mtime) * 1000
  return {
    name,
    kind,
    mode: header.mode || 0,
    mtimeMs: Number.isFinite(mtimeMs) ? Math.round(mtimeMs) : 0,
    sizeBytes: header.size,
    ...(kind === 'hardlink' && { linkTo: pax.linkpath ?? textOf(header.linkname) }),
  }
}

/** Of old sparse files the type is not known, as of devices. */
const KINDS: Partial<Record<Header['type'], ArchivedEntry['kind']>> = {
  file: 'file',
  'contiguous-file': 'file',
  link: 'hardlink',
  symlink: 'link',
  directory: 'dir',
}
