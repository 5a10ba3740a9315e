// The text of a file inside the object about it, as clients of the original read it. It is escaped
// piece by piece while it is sent: ten mebibytes in one go would hold up everybody for seconds.
import { StringDecoder } from 'node:string_decoder'
import type { FileInfo } from '../api-types.ts'
import type { ByteSink } from '../files/archive/byte-sink.ts'
import { MAX_TEXT_BYTES } from '../files/listing/file-type.ts'
import { readText } from '../files/listing/info.ts'
import type { OpenFile, Scope } from '../files/place/scope.ts'
import type { Logger } from '../lib/log.ts'
import type { VPath } from '../lib/vpath.ts'
import type { Ctx } from './env.ts'
import { sendJson, toJson } from './respond.ts'
import { streamAnswer } from './stream-answer.ts'

/** Escaped in about a millisecond. */
const PIECE_BYTES = 64 * 1024
/** More than it holds: so few are made at the same time that others get their turn in between. */
const HELD_BYTES = 16 * 1024 * 1024

/** Answers with `info` and the text as its last field, `content`, unless the file is empty. */
export async function sendWithContent(
  c: Ctx,
  log: Logger,
  info: FileInfo,
  { scope, vpath }: { scope: Scope; vpath: VPath },
): Promise<Response> {
  if (info.size <= PIECE_BYTES) {
    const content = await readText(scope, vpath)
    return sendJson(content === '' ? info : { ...info, content })
  }
  return streamAnswer(c, {
    log,
    what: 'a text',
    heldBytes: HELD_BYTES,
    headers: () => ({ 'Content-Type': 'application/json; charset=utf-8' }),
    write: async (sink) => {
      const file = await scope.openRead(vpath)
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
  // No further than what is text: the file may grow meanwhile.
  for (let position = 0; position < MAX_TEXT_BYTES; ) {
    const wanted = Math.min(piece.length, MAX_TEXT_BYTES - position)
    const { bytesRead } = await handle.read(piece, 0, wanted, position)
    if (bytesRead === 0) break
    position += bytesRead
    await send(decoder.write(piece.subarray(0, bytesRead)))
  }
  await send(decoder.end())
  await sink.write(Buffer.from('"}'))
}
