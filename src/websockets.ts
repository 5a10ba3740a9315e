// WebSockets. The library and Node's crypto, which it needs, take a tenth of a start: they are loaded for the first one.
import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws'

/** What the adapter of HTTP knows as the server of `ws`. */
export interface WebSockets extends EventEmitter {
  readonly options: ServerOptions
  handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    done: (client: WebSocket, request: IncomingMessage) => void,
  ): void
  /** Those that are open. */
  clients(): Iterable<WebSocket>
  close(): void
}

/** Takes connections that were upgraded; `options` are those of `ws`. */
export function createWebSockets(options: ServerOptions): WebSockets {
  const events = new EventEmitter()
  let made: WebSocketServer | undefined
  const make = () => {
    const server = new WebSocketServer(options)
    server.on('headers', (...given) => events.emit('headers', ...given))
    return server
  }
  return Object.assign(events, {
    options,
    handleUpgrade(...upgrade: Parameters<WebSockets['handleUpgrade']>) {
      made ??= make()
      made.handleUpgrade(...upgrade)
    },
    clients: () => made?.clients ?? [],
    close: () => made?.close(),
  })
}
