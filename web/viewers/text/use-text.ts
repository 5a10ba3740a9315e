import type { FileEntry } from '../../../src/api-types.ts'
import type { Read } from '../../lib/page/use-read.ts'
import { looksBinary } from '../../text/binary.ts'
import { decodeText } from '../../text/decode.ts'
import type { TextEncoding } from '../../text/encodings.ts'
import type { FileSource } from '../frame/source.ts'
import { useFile } from '../frame/use-file.ts'

/** Larger files are read in windows. */
export const MAX_TEXT_BYTES = 10 * 1024 * 1024

/** Longer Markdown is not rendered, only shown as text. */
export const MAX_MARKDOWN_CHARS = 4_000_000

interface DecodedText {
  text: string
  encoding: TextEncoding
  binary: boolean
}

export function useText(source: FileSource, entry: FileEntry): Read<DecodedText> {
  return useFile(source, entry, async (signal) => {
    const bytes = new Uint8Array(await source.readAll(entry, MAX_TEXT_BYTES, signal))
    const { text, encoding } = decodeText(bytes)
    return { text, encoding, binary: looksBinary(bytes, encoding) }
  })
}
