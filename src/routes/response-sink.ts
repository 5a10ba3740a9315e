// Bytes pushed into a response that has no known length.
import type { ServerResponse } from 'node:http'
import type { ByteSink } from '../files/byte-sink.ts'

/**
 * A sink that writes to the client. `start` sends the head and is called before the first bytes, so
 * that what fails earlier still gets a status. A write settles when the client has taken the bytes
 * or has gone (`ECONNRESET`); a client that stalls is ended by the server's socket timeout.
 */
export function createResponseSink(
  outgoing: ServerResponse,
  start: (firstBytes: Uint8Array) => void,
): ByteSink {
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => {
        if (outgoing.destroyed || outgoing.socket?.destroyed) {
          reject(Object.assign(new Error('the client went away'), { code: 'ECONNRESET' }))
          return
        }
        if (!outgoing.headersSent) start(chunk)
        outgoing.write(chunk, (error) => (error ? reject(error) : resolve()))
      }),
  }
}
