// A proxy before the program, as many installations have one, that can be told to answer by itself.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Program } from './program.ts'

export interface Gateway extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`: give it to the browser in place of the program's. */
  origin: string
  /**
   * Asked about every request: a status answers it without the program hearing of it, null lets it
   * through, `'lost'`, `'cut'` and `'half'` let it through and lose the answer: the page waits for it,
   * or the connection breaks before it or in the middle.
   */
  refuse: (request: IncomingMessage) => number | 'lost' | 'cut' | 'half' | null
  /** Method and path of every request of the page, those let through and the others. */
  seen: { method: string; path: string; refused: boolean }[]
}

export async function startGateway(program: Program): Promise<Gateway> {
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    const status = gateway.refuse(incoming)
    gateway.seen.push({ method, path: url, refused: status !== null })
    if (typeof status === 'number') {
      incoming.resume()
      outgoing.writeHead(status, { 'Content-Type': 'text/plain' }).end('the gateway says no')
      return
    }
    const onward = request(
      { host: '127.0.0.1', port: program.port, method, path: url, headers },
      (answer) => {
        if (status === 'lost') return answer.resume()
        if (status === 'cut') return outgoing.destroy()
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        if (status !== 'half') return answer.pipe(outgoing)
        answer.once('data', (chunk: Buffer) =>
          outgoing.write(chunk.subarray(0, chunk.length / 2), () => outgoing.destroy()),
        )
      },
    )
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  const gateway: Gateway = {
    origin: '',
    refuse: () => null,
    seen: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  gateway.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return gateway
}
