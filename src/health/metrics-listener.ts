// The address at which Prometheus asks, and balancers whether to send requests: it answers for as long as the process
// lives. Nobody signs in there, so it is never open to the world.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import { AppError, errnoOf } from '../lib/errors.ts'
import type { Metrics } from './metrics.ts'
import { type Reason, readyAnswer } from './readiness.ts'

/** Whoever asks gets the same; this many at a time are enough. */
const MAX_CONNECTIONS = 20
const HEAD_TIMEOUT_MS = 10_000

interface MetricsListener {
  /** As it is bound: `127.0.0.1:9100`. */
  address: string
  close(): Promise<void>
}

/** Answers `GET /metrics`, `GET /ready` and nothing else. Throws AppError with a text for the operator. */
export async function listenForMetrics(
  { address, port }: { address: string; port: number },
  metrics: Pick<Metrics, 'text' | 'contentType'>,
  reasons: () => Promise<Reason[]>,
): Promise<MetricsListener> {
  const respond = async ({ method, url }: IncomingMessage, response: ServerResponse) => {
    const asked = method === 'GET' || method === 'HEAD' ? url : undefined
    const send = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body)
    if (asked === '/metrics') send(200, metrics.contentType, await metrics.text())
    else if (asked === '/ready') {
      const { status, body } = readyAnswer(await reasons())
      send(status, 'application/json; charset=utf-8', body)
    } else response.writeHead(404).end()
  }
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  server.maxConnections = MAX_CONNECTIONS
  server.headersTimeout = HEAD_TIMEOUT_MS
  server.requestTimeout = HEAD_TIMEOUT_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const reason =
        errnoOf(error) === 'EADDRINUSE' ? 'the port is in use by another program' : errnoOf(error)
      const text = `--metrics: cannot listen on ${address}:${port}: ${reason}`
      reject(new AppError('bad_request', text, { cause: error }))
    })
    server.listen(port, address, resolve)
  })
  const bound = server.address()
  const boundPort = typeof bound === 'object' && bound !== null ? bound.port : port
  return {
    address: `${isIPv6(address) ? `[${address}]` : address}:${boundPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
