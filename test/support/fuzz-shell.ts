// Strange frames against the shell panel's WebSocket of a server.
import { readdir, readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { startApp, type TestApp } from './app.ts'
import { waitFor, withDeadline } from './deadline.ts'
import { closeFrame, type FrameRun, frameRun, type Piece, PROGRAMS, STAYS } from './fuzz-frames.ts'

const NORMAL = 1000
const CLOSE_OPCODE = 8

interface Received {
  /** The head of the answer to the handshake. */
  head: string
  /** What the server's close frame says; null without one. */
  closeCode: number | null
}

/**
 * Opens `count` connections to one server and sends strange frames over each. Throws, with the seed
 * and the shrunk frames, when a connection ends with another code than it should, a program stays
 * behind or the server is not well afterwards.
 */
export async function fuzzShell(count: number, seed?: number): Promise<void> {
  await using app = await startApp({
    config: { enableExec: true },
    users: [{ username: 'bob', commands: PROGRAMS }],
  })
  const { token } = await app.as('bob')
  await fc.assert(
    fc.asyncProperty(frameRun, (given) => probe(app, token, given)),
    { numRuns: count, ...(seed === undefined ? {} : { seed }) },
  )
  await waitFor('the end of every program', async () => !(await isRunning(STAYS)))
  const health = await fetch(`${app.origin}/health`)
  if (health.status !== 200) throw new Error(`the server is not well: ${health.status}`)
  const failed = [...app.errors, ...app.log.filter((line) => / 5\d\d /.test(line))]
  if (failed.length > 0) throw new Error(`unexpected failures:\n${failed.join('\n')}`)
}

async function probe(app: TestApp, token: string, given: FrameRun): Promise<void> {
  const pieces = given.ending === 'close' ? [...given.pieces, closeFrame(NORMAL)] : given.pieces
  const { head, closeCode } = await send(app.port, token, { ...given, pieces })
  if (given.ending === 'reset') return
  if (!head.startsWith('HTTP/1.1 101 ')) throw new Error(`no WebSocket: ${head}`)
  const codes = expectedCodes(pieces)
  // A client that goes without a word may be gone before the server's.
  if (given.ending === 'end') codes.push(null)
  if (!codes.includes(closeCode))
    throw new Error(`closed with ${closeCode} in place of ${codes.join(' or ')}`)
}

// The first piece that ends the connection decides. A program does so in its own time, so that what
// comes after it may be quicker.
function expectedCodes(pieces: readonly Piece[]): (number | null)[] {
  const codes: (number | null)[] = []
  for (const { ends } of pieces) {
    if (ends === 'command') codes.push(NORMAL)
    if (ends === 'maybe cut') codes.push(null)
    if (typeof ends === 'number') return [...codes, ends]
  }
  return codes
}

async function send(port: number, token: string, given: FrameRun): Promise<Received> {
  const socket = connect(port, '127.0.0.1')
  const parts: Buffer[] = []
  let received: Received = { head: '', closeCode: null }
  let tellOpen = () => {}
  const open = new Promise<void>((resolve) => {
    tellOpen = resolve
  })
  socket.on('data', (part: Buffer) => {
    parts.push(part)
    if (received.closeCode !== null) return
    received = read(Buffer.concat(parts))
    if (received.head !== '') tellOpen()
    if (received.closeCode !== null) socket.end()
  })
  // A reset is an answer, too.
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  const bytes = given.pieces.map((piece) => piece.bytes)
  const hello = Buffer.from(
    'GET /api/command/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
      `X-Auth: ${token}\r\n\r\n`,
  )
  if (given.sending === 'with the handshake') socket.write(Buffer.concat([hello, ...bytes]))
  else {
    socket.write(hello)
    await withDeadline('the handshake', 60_000, Promise.race([open, closed]))
    await write(socket, given.sending === 'together' ? [Buffer.concat(bytes)] : bytes)
  }
  if (given.ending === 'end') socket.end()
  if (given.ending === 'reset') socket.resetAndDestroy()
  await withDeadline('the end of the connection', 60_000, closed)
  return received
}

async function write(socket: Socket, parts: readonly Buffer[]): Promise<void> {
  for (const part of parts) {
    if (socket.writableEnded || socket.destroyed) return
    await new Promise<void>((resolve) => socket.write(part, () => resolve()))
  }
}

/** Head and close code in what a server has sent so far. */
function read(bytes: Buffer): Received {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return { head: '', closeCode: null }
  const head = bytes.toString('latin1', 0, end)
  let at = end + 4
  while (at + 2 <= bytes.length) {
    const short = bytes.readUInt8(at + 1)
    const headBytes = short === 127 ? 10 : short === 126 ? 4 : 2
    if (at + headBytes > bytes.length) break
    const sizeBytes =
      short === 127
        ? Number(bytes.readBigUInt64BE(at + 2))
        : short === 126
          ? bytes.readUInt16BE(at + 2)
          : short
    const content = bytes.subarray(at + headBytes, at + headBytes + sizeBytes)
    if ((bytes.readUInt8(at) & 15) === CLOSE_OPCODE && content.length === sizeBytes)
      return { head, closeCode: sizeBytes >= 2 ? content.readUInt16BE() : NORMAL }
    at += headBytes + sizeBytes
  }
  return { head, closeCode: null }
}

/** Whether a program with this command line runs anywhere on the machine (Linux). */
async function isRunning(line: string): Promise<boolean> {
  const wanted = line.replaceAll(' ', '\0')
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    names.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')),
  )
  return lines.some((given) => given.includes(wanted))
}
