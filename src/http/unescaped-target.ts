// Old clients send UTF-8 unescaped in the request line. Node's parser refuses such a line, so its
// bytes are escaped here and the connection is offered to the server again, for that one request.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { ErrorCode } from '../api-types.ts'

/** Rest of a request line up to its end; longer ones are refused like any other broken request. */
const REQUEST_LINE = /^[A-Z]{3,20} \/[^\r\n]{0,8192} HTTP\/1\.[01]\r\n/

const MALFORMED: readonly [string, ErrorCode] = ['400 Bad Request', 'bad_request']
/** Status line and reason by the parser's own code; all others are malformed. */
const REFUSALS: Record<string, readonly [string, ErrorCode]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'bad_request'],
}

interface ParserError extends Error {
  code?: string
  rawPacket?: Buffer
}

/**
 * Admits such requests when they open a connection, which then closes after the answer. All other
 * malformed requests are answered 400, 408 or 431 with their reason, and cut off.
 */
export function admitUnescapedTargets(server: Server): void {
  server.on('clientError', (error: ParserError, socket: Socket) => {
    const packet = error.code === 'HPE_INVALID_URL' ? error.rawPacket : undefined
    // Only the first bytes of a connection: nothing before them could be read in two ways.
    const escaped = packet && socket.bytesRead === packet.length ? escapeLine(packet) : null
    const event = 'setSecureContext' in server ? 'secureConnection' : 'connection'
    if (escaped) server.emit(event, replay(socket, escaped))
    else refuse(socket, error)
  })
}

function escapeLine(packet: Buffer): Buffer | null {
  const line = REQUEST_LINE.exec(packet.toString('latin1'))?.[0]
  if (line === undefined || !/[\u0080-\u00ff]/.test(line)) return null
  const head = line.replace(
    /[\u0080-\u00ff]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return Buffer.concat([
    Buffer.from(`${head}Connection: close\r\n`, 'latin1'),
    packet.subarray(line.length),
  ])
}

// A stream that first gives the escaped packet, then whatever the socket still brings.
function replay(socket: Socket, first: Buffer): Duplex {
  socket.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close')
  socket.removeAllListeners('error').removeAllListeners('drain').removeAllListeners('timeout')
  const stream = new Duplex({
    read: () => socket.resume(),
    write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  socket.on('data', (chunk) => {
    if (!stream.push(chunk)) socket.pause()
  })
  socket.on('end', () => stream.push(null))
  socket.on('close', () => stream.destroy())
  socket.on('error', (error) => stream.destroy(error))
  stream.push(first)
  return Object.assign(stream, { remoteAddress: socket.remoteAddress })
}

function refuse(socket: Socket, error: ParserError): void {
  if (!socket.writable || socket.destroyed) return void socket.destroy()
  const [status, code] = REFUSALS[error.code ?? ''] ?? MALFORMED
  socket.end(
    `HTTP/1.1 ${status}\r\nX-Error-Code: ${code}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  )
}
