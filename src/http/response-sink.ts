// Bytes pushed into a response that has no known length.
import type { ServerResponse } from 'node:http'
import type { ByteSink } from '../files/archive/byte-sink.ts'

/**
 * A sink that writes to the client. `start` sends the head and is called before the first bytes, so
 * that what fails earlier still gets a status. A write settles when the client has taken the bytes
 * or has gone (`ECONNRESET`), which `signal` tells; a client that stalls may do so, and one that has
 * vanished is found out by the kernel (see server.ts). After a failure the socket may still hold
 * the chunk: its memory is not to be reused then.
 */
export function createResponseSink(
  outgoing: ServerResponse,
  signal: AbortSignal,
  start: (firstBytes: Uint8Array) => void,
): ByteSink {
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => {
        const leave = () => reject(clientGone())
        if (signal.aborted || isGone(outgoing)) return leave()
        if (!outgoing.headersSent) start(chunk)
        // A response that waits behind another on its connection is never told of the end.
        signal.addEventListener('abort', leave, { once: true })
        outgoing.write(chunk, (error) => {
          signal.removeEventListener('abort', leave)
          if (error) reject(clientGone(error))
          else resolve()
        })
      }),
  }
}

/**
 * Writes a chunk and waits until the socket has taken it. Rejects (`ECONNRESET`) when the client has
 * gone, also while the answer waits behind another on its connection: Node never calls back then,
 * but drops the chunk, so its memory is free again.
 */
export function writeChunk(outgoing: ServerResponse, chunk: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (isGone(outgoing)) return reject(clientGone())
    const leave = () => reject(clientGone())
    outgoing.once('close', leave)
    outgoing.write(chunk, (error) => {
      outgoing.off('close', leave)
      if (error) reject(clientGone(error))
      else resolve()
    })
  })
}

/**
 * True when nothing written will arrive any more. A write to such a response may never call back:
 * Node keeps what comes after the client's half-close for a socket that will not come.
 */
export function isGone(outgoing: ServerResponse): boolean {
  return outgoing.destroyed || outgoing.socket?.writable === false
}

/**
 * The failure that stands for a client that left. `cause`: a socket fails in many ways, as ECANCELED when
 * it is closed on a write that waits, and all mean this.
 */
export function clientGone(cause?: Error): Error {
  return Object.assign(new Error('the client went away', { cause }), { code: 'ECONNRESET' })
}
