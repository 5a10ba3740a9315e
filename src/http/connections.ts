// Limits of connections: one answer at a time each, and how many are open.
import { readFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Requests of one connection that may wait for the answers before theirs (RFC 9112 9.3.2). */
const MAX_WAITING = 8
/** And of all connections together. */
const MAX_ALL_WAITING = 400
/** More connections than this serve nobody; where few files may be open, half of those. */
const MAX_CONNECTIONS = 8_000
const FEW_CONNECTIONS = 100

/** What a connection is doing: the requests that wait for the one that is being answered. */
interface Line {
  isBusy: boolean
  waiting: [IncomingMessage, ServerResponse][]
}

/**
 * Passes requests to `listener` one at a time for each connection, in their order: an answer that
 * nobody reads would otherwise keep all those behind it in memory. A client that sends more ahead
 * than may wait loses the connection.
 */
export function inTurn(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Duplex, Line>()
  let allWaiting = 0
  const lineOf = (socket: Duplex): Line => {
    const known = lines.get(socket)
    if (known) return known
    const line: Line = { isBusy: false, waiting: [] }
    lines.set(socket, line)
    socket.once('close', () => {
      allWaiting -= line.waiting.length
      line.waiting = []
    })
    return line
  }
  const start = (line: Line, request: IncomingMessage, response: ServerResponse) => {
    line.isBusy = true
    response.once('close', () => {
      line.isBusy = false
      const next = line.waiting.shift()
      if (!next) return
      allWaiting--
      start(line, ...next)
    })
    listener(request as never, response as never)
  }
  return (request, response) => {
    const { socket } = request
    if (socket.destroyed) return
    const line = lineOf(socket)
    if (!line.isBusy) return start(line, request, response)
    if (line.waiting.length >= MAX_WAITING || allWaiting >= MAX_ALL_WAITING)
      return void socket.destroy()
    line.waiting.push([request, response])
    allWaiting++
  }
}

/**
 * Keeps a place for who comes next: past `limit` connections the one that has been without a request
 * for longest is closed, and only when all are being answered the newcomer is. `event` is the one that
 * tells of a connection that is ready for requests. The result keeps the place of one that is used in
 * another way from now on. (A listener for upgrades would keep those from being refused.)
 */
export function limitConnections(
  server: Server,
  event: 'connection' | 'secureConnection',
  limit: number = connectionLimit(),
): (socket: Duplex) => void {
  // With the number of requests that are not answered yet.
  const open = new Map<Duplex, number>()
  // In the order in which they began to wait.
  const idle = new Set<Duplex>()
  server.prependListener(event, (socket: Duplex) => {
    open.set(socket, 0)
    idle.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      idle.delete(socket)
    })
    if (open.size <= limit) return
    const [oldest = socket] = idle
    idle.delete(oldest)
    open.delete(oldest)
    oldest.destroy()
  })
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket)
    open.set(socket, (open.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (open.get(socket) ?? 0) - 1
      if (left < 0) return
      open.set(socket, left)
      if (left === 0) idle.add(socket)
    })
  })
  return (socket) => void idle.delete(socket)
}

/** Half of the files that may be open, since each connection may ask for one. */
function connectionLimit(): number {
  let files = 2 * MAX_CONNECTIONS
  try {
    // Node has raised the soft limit to the hard one by now.
    const limits = readFileSync('/proc/self/limits', 'utf8')
    files = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? files)
  } catch {
    // Linux only.
  }
  return Math.max(FEW_CONNECTIONS, Math.min(MAX_CONNECTIONS, Math.floor(files / 2)))
}

/**
 * Asks a client that waits for it (RFC 9110 10.1.1) for its body when somebody reads that: a request that is refused by
 * its head is spared of it.
 */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const read = request._read
    request._read = (bytes) => {
      request._read = read
      if (!response.headersSent) response.writeContinue()
      read.call(request, bytes)
    }
    server.emit('request', request, response)
  })
}
