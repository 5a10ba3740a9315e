// A whole text file for a viewer, decoded in the encoding it is most likely in.

import { useEffect, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { isAbort } from '../../api/client.ts'
import { looksBinary } from '../../text/binary.ts'
import { decodeText } from '../../text/decode.ts'
import type { TextEncoding } from '../../text/encodings.ts'
import type { FileSource } from '../frame/source.ts'

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
  const [read, setRead] = useState<ReadText>({ state: 'loading' })
  const { path, modified, size } = entry
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same version is not read twice
  useEffect(() => {
    const abort = new AbortController()
    setRead({ state: 'loading' })
    source.readAll(entry, MAX_TEXT_BYTES, abort.signal).then(
      (buffer) => {
        const bytes = new Uint8Array(buffer)
        const { text, encoding } = decodeText(bytes)
        setRead({ state: 'ready', text, encoding, binary: looksBinary(bytes, encoding) })
      },
      (error) => {
        if (isAbort(error) || abort.signal.aborted) return
        setRead({ state: 'failed', error })
      },
    )
    return () => abort.abort()
  }, [source, path, modified, size])
  return read
}
