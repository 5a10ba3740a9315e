// A whole text file for a viewer, decoded in the encoding it is most likely in.

import { useMemo } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { looksBinary } from '../../text/binary.ts'
import { decodeText } from '../../text/decode.ts'
import type { TextEncoding } from '../../text/encodings.ts'
import type { FileSource } from '../frame/source.ts'
import { useBytes } from './use-bytes.ts'

/** Larger files are read in windows. */
export const MAX_TEXT_BYTES = 10 * 1024 * 1024

/** Longer Markdown is not rendered, only shown as text. */
export const MAX_MARKDOWN_CHARS = 4_000_000

export type ReadText =
  | { state: 'loading' }
  /** `binary` when the bytes are not those of a text. */
  | { state: 'ready'; text: string; encoding: TextEncoding; binary: boolean }
  | { state: 'failed'; error: unknown }

export function useText(source: FileSource, entry: FileEntry): ReadText {
  const read = useBytes(source, entry, MAX_TEXT_BYTES)
  return useMemo(() => {
    if (read.state !== 'ready') return read
    const bytes = new Uint8Array(read.bytes)
    const { text, encoding } = decodeText(bytes)
    return { state: 'ready', text, encoding, binary: looksBinary(bytes, encoding) }
  }, [read])
}
