// Requests for the application without a socket.
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'

/** What the server would have read off a connection from this machine. */
export async function incomingOf(path: string, init: RequestInit = {}): Promise<IncomingMessage> {
  const request = new Request('http://127.0.0.1/', init)
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: '127.0.0.1' })
  const incoming = new IncomingMessage(socket)
  incoming.method = request.method
  incoming.url = path
  incoming.headers = { host: '127.0.0.1', ...Object.fromEntries(request.headers) }
  incoming.rawHeaders = Object.entries(incoming.headers).flat().map(String)
  const body = Buffer.from(await request.arrayBuffer())
  if (body.length > 0) {
    incoming.headers['content-length'] ??= String(body.length)
    incoming.push(body)
  }
  incoming.push(null)
  incoming.complete = true
  return incoming
}
