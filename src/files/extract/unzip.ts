// Entries of a zip: where all are plain, by their directory and zlib; other zips by a library.
import { AppError } from '../../lib/errors.ts'
import type { Output } from './output.ts'
import type { ArchiveFile } from './source.ts'
import type { DecoderTask } from './wire.ts'
import { createRanges, damaged, MAX_ENTRIES, openZip, tell } from './zip-content.ts'
import { type DirectoryPlace, entriesOf, findDirectory } from './zip-directory.ts'

const MAX_DIRECTORY_BYTES = 256 * 1024 * 1024

/** Tells of all entries. Throws `damaged`, `too_large`, `invalid_password`, `unsupported`. */
export async function readZip(
  file: ArchiveFile,
  output: Output,
  task: Pick<DecoderTask, 'encoding' | 'password'>,
): Promise<void> {
  const place = await findDirectory(file)
  if (!place) throw damaged('no directory')
  // The library would read it into memory as a whole.
  if (place.count > MAX_ENTRIES || Math.min(place.bytes, file.sizeBytes) > MAX_DIRECTORY_BYTES)
    throw new AppError('too_large', `zip: ${place.count} entries`)
  if (!arePlain(file, place, task.encoding)) {
    const { readByZipLibrary } = await import('./unzip-by-library.ts')
    return readByZipLibrary(file, output, task)
  }
  const zip = openZip(file)
  // Finding them again takes less than the memory for them.
  for (const entry of entriesOf(file, place, task.encoding))
    if (entry) await tell(zip, output, entry)
}

/** True where each is as it is usually written. Nothing is unpacked twice: throws `damaged` for entries that overlap. */
function arePlain(file: ArchiveFile, place: DirectoryPlace, encoding: string): boolean {
  if (!place.isUsual) return false
  const ranges = createRanges()
  for (const entry of entriesOf(file, place, encoding)) {
    if (!entry) return false
    ranges.add(entry)
  }
  ranges.requireApart()
  return true
}
