// Requests whose body comes in two parts, with whatever happens to the account in between.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { withDeadline } from './deadline.ts'

export interface HeldRequest {
  /** Sends the rest of the body and gives the status of the answer. */
  finish(): Promise<number>
}

/** Sends the head and the first byte of the body; resolves when the server has asked for the body. */
export async function holdRequest(
  port: number,
  line: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<HeldRequest> {
  const socket = connect(port, '127.0.0.1')
  const answer = collect(socket)
  const fields = Object.entries({
    Host: '127.0.0.1',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    Expect: '100-continue',
    ...headers,
  })
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`${line} HTTP/1.1\r\n${head}\r\n`)
  await withDeadline('the server to ask for the body', 60_000, answer.first)
  socket.write(body.slice(0, 1))
  return {
    finish: async () => {
      if (socket.writable) socket.write(body.slice(1))
      const text = await withDeadline(`the answer to ${line}`, 60_000, answer.whole)
      return Number(/HTTP\/1\.1 ([2-5]\d\d) /.exec(text)?.[1] ?? 0)
    },
  }
}

function collect(socket: Socket): { first: Promise<unknown>; whole: Promise<string> } {
  let text = ''
  socket.on('data', (part: Buffer) => {
    text += part.toString('latin1')
  })
  // A reset is an answer, too.
  socket.on('error', () => {})
  return { first: once(socket, 'data'), whole: once(socket, 'close').then(() => text) }
}
