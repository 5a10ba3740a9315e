// Every form in which a file is written by WebDAV, as requests that break off.
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'

export interface WriteForm {
  /** Of the file as well, with `.bin` behind it. */
  name: string
  method: 'PUT' | 'PATCH'
  path: string
  headers: Record<string, string>
}

const PATCH_TYPE = 'application/x-sabredav-partialupdate'
/** Below it the parts of `in-parts.bin` are sent. */
export const PARTS = '/remote.php/dav/uploads/admin/u'
/** Below it those of `in-parts-1.bin`, whose target is said at the end. */
export const PARTS_1 = '/remote.php/dav/uploads/admin/u1'
export const PARTS_TARGET = { Destination: '/remote.php/dav/files/admin/in-parts.bin' }

/** For bodies of so many bytes. */
export function writeForms(bytes: number): WriteForm[] {
  const length = { 'Content-Length': String(bytes) }
  const range = { 'Content-Range': `bytes 0-${bytes - 1}/${bytes}` }
  const chunked = { 'Transfer-Encoding': 'chunked' }
  const put = (name: string, headers: Record<string, string>): WriteForm => ({
    name,
    method: 'PUT',
    path: `/dav/${name}.bin`,
    headers,
  })
  const patch = (name: string, range: string): WriteForm => ({
    ...put(name, { ...length, 'X-Update-Range': range, 'Content-Type': PATCH_TYPE }),
    method: 'PATCH',
  })
  return [
    put('put', length),
    put('put-chunked', chunked),
    put('put-expected', { ...chunked, 'X-Expected-Entity-Length': String(bytes) }),
    put('put-summed', { ...length, 'OC-Checksum': 'SHA1:00' }),
    put('put-range', { ...length, ...range }),
    patch('patch-append', 'append'),
    patch('patch-middle', 'bytes=2-'),
    { ...put('in-parts', { ...length, ...PARTS_TARGET }), path: `${PARTS}/2` },
    { ...put('in-parts-1', length), path: `${PARTS_1}/2` },
  ]
}

/** Sends the head of a request and this much of its body, and leaves the connection open. */
export async function sendSome(
  port: number,
  { method, path, headers }: WriteForm,
  own: Record<string, string>,
  body: Buffer,
): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  const lines = Object.entries({ Host: 'x', ...own, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  if ('Transfer-Encoding' in headers) socket.write(`${body.length.toString(16)}\r\n`)
  socket.write(body)
  return socket
}

/** Names of temporary files in a folder. */
export async function hiddenIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('.fb-tmp-'))
}
