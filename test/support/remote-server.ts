// A server elsewhere that files are fetched from, as odd as a test wants it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RemoteServer extends AsyncDisposable {
  /** Like `http://127.0.0.1:40000`. */
  origin: string
  /** As `fetchFrom` has it. */
  host: string
  port: number
  /** What was asked for, each with its `Range` and `If-Range`. */
  asked: { url: string; range: string; ifRange: string; headers: IncomingMessage['headers'] }[]
}

/** Opens one on the loopback address; `answer` may leave an answer open. */
export async function openRemote(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<RemoteServer> {
  const asked: RemoteServer['asked'] = []
  const server = createServer((request, response) => {
    const { url = '', headers } = request
    const { range = '', 'if-range': ifRange = '' } = headers
    asked.push({ url, range, ifRange: String(ifRange), headers })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    port,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Gives bytes, whole or from where a request says on, as long as it means the same content. */
export function giveBytes(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { bytes, etag = '"a"', until }: { bytes: Buffer; etag?: string; until?: number },
): void {
  const [, from] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? []
  const isRest = from !== undefined && headers['if-range'] === etag
  const start = isRest ? Number(from) : 0
  response.writeHead(isRest ? 206 : 200, {
    ETag: etag,
    'Content-Length': bytes.length - start,
    ...(isRest && { 'Content-Range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }),
  })
  if (until === undefined) response.end(bytes.subarray(start))
  // The connection breaks behind what has been sent.
  else response.write(bytes.subarray(start, until), () => response.destroy())
}
