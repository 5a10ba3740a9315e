// A connection to the directory, encrypted where it has to be, before any word of LDAP that matters is sent on it.
// StartTLS stands here because a client that reads on with the same buffer takes what was sent before the encryption
// for an answer from within.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { BlockList, connect as connectTcp, isIP, isIPv6, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { LdapConfig } from '../../config/options-ldap.ts'
import { LOOPBACK_BLOCKS, PRIVATE_BLOCKS } from '../../lib/address-blocks.ts'

/** Until the connection stands, encryption included, milliseconds. */
export const CONNECT_MS = 5_000

/** Opens a connection that passwords may be sent on. Rejects with what is wrong. */
export async function openConnection(config: LdapConfig): Promise<Socket> {
  const url = new URL(config['ldap.url'])
  const isTls = url.protocol === 'ldaps:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (isTls ? 636 : 389)
  const ca = config['ldap.ca'] === '' ? undefined : await readFile(config['ldap.ca'])
  const signal = AbortSignal.timeout(CONNECT_MS)
  const secure = { host, ...(isIP(host) === 0 && { servername: host }), ...(ca && { ca }) }
  const open: Socket[] = []
  const keep = <T extends Socket>(socket: T): T => {
    // What fails later is told by whoever waits for it.
    socket.on('error', () => {})
    open.push(socket)
    return socket
  }
  try {
    if (isTls) return await encrypted(keep(connectTls({ ...secure, port })), signal)
    const plain = keep(connectTcp({ host, port }))
    await once(plain, 'connect', { signal })
    if (!config['ldap.startTLS']) {
      demandNear(plain, config)
      return plain
    }
    await startTls(plain, signal)
    return await encrypted(keep(connectTls({ ...secure, socket: plain })), signal)
  } catch (error) {
    for (const socket of open) socket.destroy()
    if (signal.aborted) throw new Error(`no connection within ${CONNECT_MS / 1000} s`)
    throw error
  }
}

async function encrypted(socket: TLSSocket, signal: AbortSignal): Promise<TLSSocket> {
  await once(socket, 'secureConnect', { signal })
  return socket
}

// What the name has led to, as names may lead anywhere.
function demandNear(socket: Socket, config: LdapConfig): void {
  const address = socket.remoteAddress ?? ''
  if (config['ldap.plaintext'] || isNear(address)) return
  throw new Error(
    `${address} is not a private address: use ldaps:// or ldap.startTLS, or say ldap.plaintext to send passwords unencrypted`,
  )
}

/** True for addresses of this machine and of networks that are nobody else's. */
export function isNear(address: string): boolean {
  const near = new BlockList()
  for (const block of [...LOOPBACK_BLOCKS, ...PRIVATE_BLOCKS]) {
    const [net = '', bits] = block.split('/')
    near.addSubnet(net, Number(bits), isIPv6(net) ? 'ipv6' : 'ipv4')
  }
  return isIP(address) !== 0 && near.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

const START_TLS_OID = '1.3.6.1.4.1.1466.20037'
/** An extended request (RFC 4511, 4.14.1) with message id 1. */
const START_TLS = Buffer.concat([
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, START_TLS_OID.length]),
  Buffer.from(START_TLS_OID),
])
/** An answer has some forty bytes, and a sentence at most. */
const MAX_ANSWER_BYTES = 4_096

async function startTls(socket: Socket, signal: AbortSignal): Promise<void> {
  socket.write(START_TLS)
  let answer = Buffer.alloc(0)
  for (;;) {
    const [chunk] = (await once(socket, 'data', { signal })) as [Buffer]
    answer = Buffer.concat([answer, chunk])
    const message = elementAt(answer, 0)
    if (message && answer.length >= message.end) break
    if (answer.length > MAX_ANSWER_BYTES) throw new Error('no answer to StartTLS')
  }
  if (!isSuccess(answer)) throw new Error('the directory refuses StartTLS')
}

/** True for exactly one message: an extended response with message id 1 and result 0. */
function isSuccess(answer: Buffer): boolean {
  const message = elementAt(answer, 0)
  if (message?.tag !== 0x30 || message.end !== answer.length) return false
  const id = elementAt(answer, message.start)
  if (id?.tag !== 0x02 || answer.readUIntBE(id.start, 1) !== 1) return false
  const response = elementAt(answer, id.end)
  if (response?.tag !== 0x78) return false
  const result = elementAt(answer, response.start)
  return result?.tag === 0x0a && result.end === result.start + 1 && answer[result.start] === 0
}

/** Tag and extent of a BER element (X.690, 8.1); null while its head is not there. */
function elementAt(bytes: Buffer, at: number): { tag: number; start: number; end: number } | null {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined) return null
  if (first < 0x80) return { tag, start: at + 2, end: at + 2 + first }
  const size = first & 0x7f
  if (size === 0 || size > 4) throw new Error('no answer to StartTLS')
  const start = at + 2 + size
  if (bytes.length < start) return null
  return { tag, start, end: start + bytes.readUIntBE(at + 2, size) }
}
