// What a viewer reads of its file: a text, a table, the inside of an archive.

import type { FileEntry } from '../../../src/api-types.ts'
import { type Read, useRead } from '../../lib/page/use-read.ts'
import type { FileSource } from './source.ts'

/**
 * Calls `read` once for each version of the file. The signal aborts when the viewer closes or another
 * version comes: until then `read` may keep what has to be released.
 */
export function useFile<T>(
  source: FileSource,
  entry: FileEntry,
  read: (signal: AbortSignal) => Promise<T>,
): Read<T> {
  return useRead([source, `${entry.path} ${entry.modified} ${entry.size}`], read)
}
