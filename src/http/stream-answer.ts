// Answers that are made while they are sent, so that their length is not known beforehand.
import type { OutgoingHttpHeaders } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ByteSink } from '../files/archive/byte-sink.ts'
import { isAbort } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import type { Ctx } from './env.ts'
import { createResponseSink } from './response-sink.ts'

/** What a walk over a tree holds: some folders and the entries on their way. */
export const WALK_BYTES = 2 * 1024 * 1024

export interface Streaming {
  log: Logger
  /** What breaks off, for the log: `an archive`. */
  what: string
  /** Memory that it holds while it is sent. */
  heldBytes: number
  headers(firstBytes: Uint8Array): OutgoingHttpHeaders
  write(sink: ByteSink): Promise<void>
}

/**
 * Answers 200 with what `write` gives; without a byte there is no type. Throws what `write` throws
 * before its first byte; afterwards the connection breaks, so that nobody takes a part for the whole.
 */
export async function streamAnswer(c: Ctx, streaming: Streaming): Promise<Response> {
  const { outgoing, target } = c.env
  await c.get('admit')(streaming.heldBytes)
  const { signal } = c.req.raw
  const sink = createResponseSink(outgoing, signal, (firstBytes) => {
    outgoing.writeHead(200, { 'X-Accel-Buffering': 'no', ...streaming.headers(firstBytes) })
  })
  try {
    await streaming.write(sink)
    outgoing.end()
  } catch (error) {
    if (!outgoing.headersSent && !signal.aborted) throw error
    outgoing.destroy()
    if (!signal.aborted && !isAbort(error))
      streaming.log.error(`${streaming.what} broke off`, {
        path: target.vpath,
        error: String(error),
      })
  }
  return RESPONSE_ALREADY_SENT
}
