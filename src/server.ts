// Listens on TCP, TLS or a unix socket, carries WebSockets, and stops without cutting answers off.
import { chmod, lstat, readFile, unlink } from 'node:fs/promises'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { connect, isIPv4 } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import { createAdaptorServer, type HttpBindings, type WebSocketServerLike } from '@hono/node-server'
import type { WebSocket } from 'ws'
import type { Config } from './config/config.ts'
import { continueWhenRead, inTurn, limitConnections } from './http/connections.ts'
import { COMMAND, parseTarget } from './http/request-path.ts'
import { admitUnescapedTargets } from './http/unescaped-target.ts'
import { AppError, errnoOf, unless } from './lib/errors.ts'
import type { Logger } from './lib/log.ts'
import { createWebSockets, type WebSockets } from './websockets.ts'

/** Time for a client to send its request head; bodies may take as long as they need. */
const HEADERS_TIMEOUT_MS = 60_000
/** Longer than the usual 60 s of reverse proxies, so that they never reuse a connection we close. */
const KEEP_ALIVE_MS = 75_000
/**
 * A client that vanished without a word (power, network) is found out by the kernel: after this long
 * without traffic it asks the other side again and again. One that is there may take its time, such
 * as a player that is paused for hours: nothing else limits an answer or a body.
 */
const PROBE_AFTER_MS = 60_000
/** A request without a body needs no stream of it. */
const CONNECTION_OPTIONS = {
  keepAlive: true,
  keepAliveInitialDelay: PROBE_AFTER_MS,
  optimizeEmptyRequests: true,
}
/** WebSockets are asked by frames, since behind a proxy the connection itself stays. */
const PING_MS = 30_000
const MAX_UNANSWERED_PINGS = 4
/** A command line, which is in memory until it is complete. */
const MAX_WEBSOCKET_MESSAGE_BYTES = 128 * 1024
const IDLE_SWEEP_MS = 100
/** Connections that wait to be accepted, as many as Node lets by itself. */
const BACKLOG = 511
/**
 * What is left of the body of a request that was answered early, such as a refused upload, is read
 * and thrown away, so that the client gets to see the answer and can use the connection again
 * (docs/http-api.md 8.3). Past this much, or when nothing has come for a while, the connection is cut.
 */
const MAX_LEFTOVER_BYTES = 32 * 1024 * 1024
const LEFTOVER_IDLE_MS = 10_000
const LEFTOVER_LOOK_MS = 250
/** WebSocket close code: the server goes away. */
const GOING_AWAY = 1001

interface ListenOptions {
  config: Config
  fetch: (request: Request, env: HttpBindings) => Response | Promise<Response>
  log: Logger
  /** How often the client of a WebSocket is asked whether it is still there. */
  pingMs?: number
  /** How many connections may be open; by default as many as files may be, halved. */
  connections?: number
}

export interface RunningServer {
  /** For the log: `127.0.0.1:8080`, or the path of the socket. */
  address: string
  /** The port really used; 0 for a socket. */
  port: number
  tls: boolean
  /** Reads certificate and key again; a bad pair leaves the old one in use. */
  reloadCertificate(): Promise<void>
  /** From now on each connection ends with its next answer; new ones are still taken. */
  drain(): void
  /**
   * Stops accepting, lets running answers finish for `drainMs`, then cuts them off. Resolves to
   * true when nothing had to be cut.
   */
  close(drainMs: number): Promise<boolean>
}

/** Starts listening. Throws AppError with a text for the operator when that is not possible. */
export async function listen(options: ListenOptions): Promise<RunningServer> {
  const { config, fetch, log, pingMs = PING_MS, connections } = options
  const tls = config.socket === '' && config.cert !== ''
  const websockets = createWebSockets({
    noServer: true,
    maxPayload: MAX_WEBSOCKET_MESSAGE_BYTES,
    handleProtocols: () => false,
  })
  const secure = tls ? await readCertificate(config) : undefined
  const server = createAdaptorServer({
    fetch: fetch as (request: Request) => Response | Promise<Response>,
    // It would cut the connection half a second after the answer; see readLeftovers.
    autoCleanupIncoming: false,
    // The bundle has its own; see web-classes.ts.
    overrideGlobalObjects: false,
    websocket: { server: websockets as unknown as WebSocketServerLike },
    // HTTP/1.0 clients may leave out the Host header; its value decides nothing here.
    hostname: 'localhost',
    createServer: ((options: object, listener: RequestListener) =>
      secure
        ? createTlsServer(options, inTurn(refuseTwoHosts(listener)))
        : createServer(options, inTurn(refuseTwoHosts(listener)))) as typeof createServer,
    serverOptions: {
      ...CONNECTION_OPTIONS,
      shouldUpgradeCallback: (request: IncomingMessage) => {
        const opens = opensWebSocket(request, config)
        if (opens) keepPlace(request.socket)
        return opens
      },
      // No ALPN for h2: WebSockets and direct streaming are HTTP/1.1.
      ...(secure && { ...secure, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] }),
    },
  }) as Server
  server.headersTimeout = HEADERS_TIMEOUT_MS
  server.requestTimeout = 0
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.prependListener('request', admitOldClients)
  server.prependListener('request', endAfterOffer)
  server.prependListener('request', readLeftovers)
  admitUnescapedTargets(server)
  continueWhenRead(server)
  const keepPlace = limitConnections(
    server,
    secure ? 'secureConnection' : 'connection',
    connections,
  )
  let isDraining = false
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    // Answers that end before or during the stop tell the client not to reuse the connection.
    if (isDraining || !server.listening) response.setHeader('Connection', 'close')
  })

  if (config.socket === '') await listenTcp(server, config)
  else await listenSocket(server, config)
  const pinging = setInterval(endSilentClients(websockets), pingMs).unref()

  return {
    ...addressOf(server, config),
    tls,
    async reloadCertificate() {
      if (!tls) return
      try {
        ;(server as unknown as TlsServer).setSecureContext(await readCertificate(config))
        log.info('The certificate was read again')
      } catch (error) {
        log.error(`The old certificate stays in use: ${(error as Error).message}`)
      }
    },
    drain: () => {
      isDraining = true
    },
    async close(drainMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const client of websockets.clients()) client.close(GOING_AWAY, 'the server stops')
      // Connections that were busy become idle one by one.
      const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS)
      server.closeIdleConnections()
      const drained = await within(drainMs, closed)
      clearInterval(sweep)
      for (const client of websockets.clients()) client.terminate()
      clearInterval(pinging)
      if (!drained) {
        server.closeAllConnections()
        await within(1000, closed)
      }
      return drained
    },
  }
}

// Called at intervals. While frames wait to be sent a ping would wait behind them, and the kernel
// finds out whether they arrive.
function endSilentClients(websockets: WebSockets): () => void {
  const unanswered = new WeakMap<WebSocket, number>()
  return () => {
    for (const client of websockets.clients()) {
      if (client.bufferedAmount > 0) continue
      const pings = unanswered.get(client)
      if (pings === undefined) client.on('pong', () => unanswered.set(client, 0))
      if (pings === MAX_UNANSWERED_PINGS) client.terminate()
      else {
        unanswered.set(client, (pings ?? 0) + 1)
        client.ping()
      }
    }
  }
}

// "A server MAY ignore a received Upgrade header field" (RFC 9110 7.8). Java's client and curl offer
// HTTP/2 with each request, proxies pass the header on: those are ordinary requests.
function opensWebSocket(
  { headers, rawHeaders, method, url = '/' }: IncomingMessage,
  config: Config,
): boolean {
  if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false
  if (hasTwoHosts(rawHeaders)) return false
  return parseTarget(url, config.baseURL, method).key === COMMAND
}

// Node loses what follows such a request in the same packet, so nothing may follow it.
function endAfterOffer({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.upgrade !== undefined) response.setHeader('Connection', 'close')
}

// "A server MUST respond with a 400 (Bad Request) status code to any HTTP/1.1 request message that lacks
// a Host header field and to any request message that contains more than one" (RFC 9112 3.2). Of several
// Node takes the first; a proxy in front may have checked another.
function refuseTwoHosts(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (!hasTwoHosts(request.rawHeaders)) return listener(request, response)
    response.writeHead(400, {
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Error-Code': 'bad_request',
      Connection: 'close',
    })
    response.end('400 Bad Request\n')
  }
}

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts++
  return hosts > 1
}

// HTTP/1.0 needs no Host, but the URL parser further in does.
function admitOldClients(request: IncomingMessage): void {
  if (request.httpVersion === '1.0') request.headers.host ??= 'localhost'
}

// Polls the socket's count: Node has no event for bytes that nobody reads.
function readLeftovers(request: IncomingMessage, response: ServerResponse): void {
  const { headers } = request
  // No body (RFC 9112 6.3).
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
  response.once('finish', () => {
    if (request.complete || request.destroyed) return
    request.resume()
    // The end of a body that has come as a whole is read next.
    setImmediate(() => {
      if (!request.complete) watchLeftovers(request)
    })
  })
}

function watchLeftovers(request: IncomingMessage): void {
  const { socket } = request
  const startBytes = socket.bytesRead
  let seenBytes = startBytes
  let cutAt = performance.now() + LEFTOVER_IDLE_MS
  const looking = setInterval(() => {
    const { bytesRead } = socket
    if (bytesRead > seenBytes) cutAt = performance.now() + LEFTOVER_IDLE_MS
    seenBytes = bytesRead
    const isTooMuch = bytesRead - startBytes > MAX_LEFTOVER_BYTES
    if (request.complete || socket.destroyed) clearInterval(looking)
    else if (isTooMuch || performance.now() > cutAt) socket.destroySoon()
  }, LEFTOVER_LOOK_MS)
  looking.unref()
}

function within(ms: number, done: Promise<void>): Promise<boolean> {
  return Promise.race([done.then(() => true), delay(ms, false, { ref: false })])
}

async function readCertificate({ cert, key }: Config): Promise<{ cert: Buffer; key: Buffer }> {
  const [certPem, keyPem] = await Promise.all([readPem(cert), readPem(key)])
  try {
    createSecureContext({ cert: certPem, key: keyPem })
  } catch (error) {
    throw new AppError(
      'bad_request',
      `${cert} and ${key} are no usable pair: ${(error as Error).message}`,
    )
  }
  return { cert: certPem, key: keyPem }
}

async function readPem(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    throw new AppError('bad_request', `cannot read ${file}: ${errnoOf(error)}`, { cause: error })
  }
}

/**
 * The last step of `listen`, under the name that Node keeps for it. The steps before look an address up like a name, with
 * patterns that take 3 ms to compile, and load clusters and what starts processes: a twelfth of a start.
 */
interface Binding {
  _listen2(address: string, port: number, family: 4, backlog: number): void
}

async function listenTcp(server: Server, { address, port }: Config): Promise<void> {
  try {
    await started(server, () => {
      if (address === '') server.listen(port)
      else if (isIPv4(address)) (server as unknown as Binding)._listen2(address, port, 4, BACKLOG)
      else server.listen(port, address)
    })
  } catch (error) {
    throw listenError(error, `${hostText(address)}:${port}`, port)
  }
}

function listenError(error: unknown, where: string, port: number): AppError {
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} is in use by another program; choose another one with -p`,
    EACCES: `port ${port} may not be used without more rights; choose one above 1023 with -p`,
    EADDRNOTAVAIL: 'this machine does not have that address',
    ENOTFOUND: 'the name is not known',
  }
  const errno = errnoOf(error)
  const reason = reasons[errno] ?? (errno || (error as Error).message)
  return new AppError('bad_request', `cannot listen on ${where}: ${reason}`, { cause: error })
}

async function listenSocket(server: Server, { socket, socketPerm }: Config): Promise<void> {
  await removeStaleSocket(socket)
  try {
    await started(server, () => {
      // Nobody may connect before the mode is set; bind happens inside this call.
      const before = process.umask(0o177)
      try {
        server.listen({ path: socket })
      } finally {
        process.umask(before)
      }
    })
  } catch (error) {
    throw new AppError('bad_request', `cannot listen on ${socket}: ${errnoOf(error)}`, {
      cause: error,
    })
  }
  await chmod(socket, socketPerm)
}

/** Removes a socket file that nobody listens on; a live one or another kind of file is an error. */
async function removeStaleSocket(path: string): Promise<void> {
  const info = await lstat(path).catch(unless('ENOENT'))
  if (!info) return
  if (!info.isSocket())
    throw new AppError('exists', `cannot listen on ${path}: a file that is not a socket is there`)
  const alive = await new Promise<boolean>((resolve) => {
    const probe = connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', (error) => resolve(errnoOf(error) !== 'ECONNREFUSED'))
  })
  if (alive) throw new AppError('exists', `cannot listen on ${path}: another program listens there`)
  await unlink(path)
}

function started(server: Server, start: () => void): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.once('listening', () => {
      server.off('error', reject)
      resolve()
    })
    start()
  })
}

function addressOf(server: Server, config: Config): { address: string; port: number } {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') return { address: config.socket, port: 0 }
  return { address: `${hostText(bound.address)}:${bound.port}`, port: bound.port }
}

function hostText(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}
