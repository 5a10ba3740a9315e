// The text of a file inside the object about it, as clients of the original read it. It is escaped
// piece by piece while it is sent: ten mebibytes in one go would hold up everybody for seconds.
import { StringDecoder } from 'node:string_decoder'
import type { FileInfo } from '../api-types.ts'
import type { ByteSink } from '../files/archive/byte-sink.ts'
import { MAX_TEXT_BYTES } from '../files/listing/file-type.ts'
import { readText } from '../files/listing/info.ts'
import type { OpenFile, Place, Scope } from '../files/place/scope.ts'
import { JSON_TYPE, stream } from './answer.ts'
import { becameShorter } from './file-bytes.ts'
import { sendJson, toJson } from './respond.ts'

/** Escaped in about a millisecond. */
const PIECE_BYTES = 64 * 1024
/** Deliberately high: limits how many are produced at once. */
const MEMORY_BYTES = 16 * 1024 * 1024

/** Answers with `info` and the text as its last field, `content`, unless the file is empty. */
export async function sendWithContent(
  info: FileInfo,
  { scope, place }: { scope: Scope; place: Place },
): Promise<Response> {
  if (info.size <= PIECE_BYTES) {
    const content = await readText(scope, place)
    return sendJson(content === '' ? info : { ...info, content })
  }
  return stream(JSON_TYPE, {
    what: 'a text',
    memoryBytes: MEMORY_BYTES,
    write: async (sink) => {
      // The place is closed by then.
      const file = await scope.openRead(place.vpath)
      try {
        await writeContent(sink, info, file)
      } finally {
        await file.handle.close()
      }
    },
  })
}

async function writeContent(sink: ByteSink, info: FileInfo, { handle }: OpenFile): Promise<void> {
  const decoder = new StringDecoder('utf8')
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  const send = (text: string) => sink.write(Buffer.from(toJson(text).slice(1, -1)))
  await sink.write(Buffer.from(`${toJson(info).slice(0, -1)},"content":"`))
  // The file may have grown past the limit of text.
  let position = 0
  while (position < MAX_TEXT_BYTES) {
    const wanted = Math.min(piece.length, MAX_TEXT_BYTES - position)
    const { bytesRead } = await handle.read(piece, 0, wanted, position)
    if (bytesRead === 0) break
    position += bytesRead
    await send(decoder.write(piece.subarray(0, bytesRead)))
  }
  // Breaks the connection, so that a part is not taken for the whole.
  if (position < info.size) throw becameShorter()
  await send(decoder.end())
  await sink.write(Buffer.from('"}'))
}
