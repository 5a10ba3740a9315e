// Archives of a folder or a selection, written as they are being made, in constant memory.
import { badRequest } from '../../lib/errors.ts'
import { createGate } from '../../lib/gate.ts'
import type { Threads } from '../../programs/threads.ts'
import { MAX_JOBS } from './blocks.ts'
import { type ByteSink, createBatchingSink } from './byte-sink.ts'
import { type Content, readAhead } from './content.ts'
import type { ArchiveEntry } from './entries.ts'
import { type ArchiveFormat, createCompressors } from './formats.ts'
import { createTar } from './tar.ts'
import { createZip } from './zip.ts'
import { createDeflatedZip } from './zip-deflated.ts'

const EXTENSIONS: Record<ArchiveFormat, string> = {
  zip: '.zip',
  tar: '.tar',
  targz: '.tar.gz',
  tarbz2: '.tar.bz2',
  tarxz: '.tar.xz',
  tarlz4: '.tar.lz4',
  tarsz: '.tar.sz',
  tarbr: '.tar.br',
  tarzst: '.tar.zst',
}

const MIB = 1024 * 1024
/** Reading ahead and gathering, which all formats do. */
const CONTAINER_BYTES = 2 * MIB
const COMPRESSOR_BYTES: Record<ArchiveFormat, number> = {
  zip: 0,
  tar: 0,
  targz: 6 * MIB,
  tarbz2: 10 * MIB,
  tarxz: 16 * MIB,
  tarlz4: 14 * MIB,
  tarsz: MIB,
  tarbr: 20 * MIB,
  tarzst: 6 * MIB,
}

/** What an archive of this format holds in memory while it is sent, in bytes. */
export function archiveMemory(format: ArchiveFormat): number {
  return CONTAINER_BYTES + COMPRESSOR_BYTES[format]
}

export interface Host {
  platform: string
  arch: string
}

/** Formats that are not made on a host: liblzma has no part for linux-arm64 in its package. */
export function missingFormats({ platform, arch }: Host = process): ArchiveFormat[] {
  return platform === 'linux' && arch === 'arm64' ? ['tarxz'] : []
}

/**
 * The format a client asks for. Absent, empty and `true` mean zip. Throws 400 when it is unknown, or
 * not made on this host.
 */
export function parseArchiveFormat(algo: string | null, host: Host = process): ArchiveFormat {
  if (algo === null || algo === '' || algo === 'true') return 'zip'
  if (!Object.hasOwn(EXTENSIONS, algo)) throw badRequest('unknown archive format')
  const format = algo as ArchiveFormat
  if (missingFormats(host).includes(format))
    throw badRequest(`${EXTENSIONS[format]} is not made on this platform, .tar.zst and .tar.gz are`)
  return format
}

export function archiveExtension(format: ArchiveFormat): string {
  return EXTENSIONS[format]
}

/** Of the writing of an archive, besides. */
export interface ArchiveOptions {
  /** A zip is packed, not only stored. */
  deflated?: boolean
  progress?: ArchiveProgress
}

/** Told how far it is. */
interface ArchiveProgress {
  /** A file by its name in the archive. */
  at(name: string): void
  bytes(count: number): void
  /** It is in the archive. */
  passed(): void
}

/** See createArchiveWriter. */
export type WriteArchive = ReturnType<typeof createArchiveWriter>

/**
 * Makes the function that writes an archive of `entries` to `sink`. Files that cannot be opened are left out. When one
 * breaks after its header was written, or on abort, it throws and the archive is incomplete: the
 * caller must make that visible. All files are closed when it settles.
 */
export function createArchiveWriter(threads: Threads) {
  const inTurn = createGate(MAX_JOBS)
  const compressorFor = createCompressors(threads, inTurn)
  return async (
    entries: AsyncIterable<ArchiveEntry>,
    format: ArchiveFormat,
    sink: ByteSink,
    signal: AbortSignal,
    { deflated = false, progress }: ArchiveOptions = {},
  ): Promise<void> => {
    const compressor = format === 'zip' || format === 'tar' ? null : compressorFor(format, sink)
    const batches = createBatchingSink(compressor ?? sink)
    const createZipOf = deflated ? (to: ByteSink) => createDeflatedZip(to, inTurn) : createZip
    const container = format === 'zip' ? createZipOf(batches) : createTar(batches)
    try {
      for await (const entry of readAhead(entries, signal)) {
        if (entry.kind === 'dir') {
          await container.folder(entry)
          continue
        }
        progress?.at(entry.name)
        await container.file(entry, progress ? told(entry.content, progress) : entry.content)
        progress?.passed()
      }
      await container.end()
      await batches.end()
      await compressor?.end()
    } catch (error) {
      compressor?.destroy()
      throw error
    }
  }
}

function told(content: Content, { bytes }: ArchiveProgress): Content {
  if (content.whole) {
    bytes(content.sizeBytes)
    return content
  }
  const copyTo = (sink: ByteSink) =>
    content.copyTo({
      write: async (chunk) => {
        await sink.write(chunk)
        bytes(chunk.length)
      },
    })
  return { ...content, copyTo }
}
