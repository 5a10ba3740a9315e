// Requests written byte by byte, for what a client library would refuse to send.
import { once } from 'node:events'
import { connect } from 'node:net'
import { withDeadline } from './deadline.ts'

/** Sends the bytes and gives everything that came back until the server closed; '' for nothing. */
export async function sendRaw(port: number, text: string, keepOpen = false): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (part: Buffer) => {
    answer += part.toString('latin1')
  })
  // A reset is an answer, too.
  socket.on('error', () => {})
  if (keepOpen) socket.write(text, 'latin1')
  else socket.end(text, 'latin1')
  await withDeadline(`the answer to ${text.slice(0, 60)}`, 60_000, once(socket, 'close'))
  return answer
}

/** The status lines in an answer, one per response on the connection. */
export function statusesOf(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}
