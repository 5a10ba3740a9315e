// Frames nobody would send over the shell panel's WebSocket, written byte by byte: a client library
// would refuse most of them.
import fc from 'fast-check'

/** One or more frames of RFC 6455 and what a server owes for them. */
export interface Piece {
  bytes: Buffer
  /**
   * The close code that ends the connection; null when it goes on, `command` when a program is
   * started or refused, which ends it with 1000 in its own time, `maybe cut` when the server may
   * break it off without a word.
   */
  ends: number | 'command' | 'maybe cut' | null
}

export interface FrameRun {
  pieces: Piece[]
  /** How they get to the server: in the packet of the handshake, in one packet, or in one each. */
  sending: 'with the handshake' | 'together' | 'apart'
  /** What the client does last. */
  ending: 'close' | 'end' | 'reset'
}

/** The programs that may run; the first stays until it is ended, the last does not exist. */
export const PROGRAMS = ['sleep', 'echo', 'no-such-program']
/** A program that stays, to be found by its argument. */
export const STAYS = `sleep 3000.${process.pid}`

/** What src/server.ts takes in one message. */
const MAX_MESSAGE_BYTES = 128 * 1024
const OPCODES = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 }
const PROTOCOL_ERROR = 1002
const NOT_UTF8 = 1007
const TOO_BIG = 1009

interface FrameParts {
  last?: boolean
  /** The three reserved bits. */
  reserved?: number
  masked?: boolean
  /** Another length than that of the content. */
  announcedBytes?: bigint
}

function frame(opcode: number, content: Uint8Array | string, parts: FrameParts = {}): Buffer {
  const { last = true, reserved = 0, masked = true } = parts
  const bytes = Buffer.from(content as string)
  const length = parts.announcedBytes ?? BigInt(bytes.length)
  const long = length > 65_535n ? 8 : length > 125n ? 2 : 0
  const head = Buffer.alloc(2 + long)
  head[0] = (last ? 0x80 : 0) | (reserved << 4) | opcode
  head[1] = (masked ? 0x80 : 0) | (long === 8 ? 127 : long === 2 ? 126 : Number(length))
  if (long === 8) head.writeBigUInt64BE(length, 2)
  if (long === 2) head.writeUInt16BE(Number(length), 2)
  // A mask of zeros leaves the content as it is.
  return Buffer.concat([head, masked ? Buffer.alloc(4) : Buffer.alloc(0), bytes])
}

function text(line: string): Piece {
  return { bytes: frame(OPCODES.text, line), ends: line.trim() === '' ? null : 'command' }
}

/** The client's own close frame; a code that may not be sent is an error of its own. */
export function closeFrame(code: number): Piece {
  const content = Buffer.alloc(2)
  content.writeUInt16BE(code)
  const isAllowed =
    (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || code >= 3000
  return {
    bytes: frame(OPCODES.close, content),
    ends: isAllowed && code < 5000 ? code : PROTOCOL_ERROR,
  }
}

const HUGE: Piece[] = [
  { bytes: frame(OPCODES.text, 'x'.repeat(MAX_MESSAGE_BYTES + 1)), ends: TOO_BIG },
  { bytes: frame(OPCODES.binary, Buffer.alloc(MAX_MESSAGE_BYTES + 1)), ends: TOO_BIG },
  { bytes: frame(OPCODES.text, '', { announcedBytes: 1n << 62n }), ends: TOO_BIG },
  { bytes: frame(OPCODES.binary, 'x', { announcedBytes: 1n << 31n }), ends: TOO_BIG },
  {
    bytes: Buffer.concat([
      frame(OPCODES.text, 'x'.repeat(MAX_MESSAGE_BYTES), { last: false }),
      frame(OPCODES.more, 'x'),
    ]),
    ends: TOO_BIG,
  },
  { bytes: frame(OPCODES.text, `echo ${'a '.repeat(60_000)}`), ends: 'command' },
  { bytes: frame(OPCODES.text, '\\"'.repeat(60_000)), ends: 'command' },
  { bytes: frame(OPCODES.text, ' '.repeat(MAX_MESSAGE_BYTES)), ends: null },
  { bytes: frame(OPCODES.binary, Buffer.alloc(MAX_MESSAGE_BYTES, 0xff)), ends: null },
]

const BROKEN: Piece[] = [
  ...[3, 7, 11, 15].map((opcode) => ({ bytes: frame(opcode, 'x'), ends: PROTOCOL_ERROR })),
  ...[1, 2, 4].map((reserved) => ({
    bytes: frame(OPCODES.text, 'echo a', { reserved }),
    ends: PROTOCOL_ERROR,
  })),
  { bytes: frame(OPCODES.text, 'echo a', { masked: false }), ends: PROTOCOL_ERROR },
  { bytes: frame(OPCODES.more, 'echo a'), ends: PROTOCOL_ERROR },
  { bytes: frame(OPCODES.ping, 'x'.repeat(126)), ends: PROTOCOL_ERROR },
  { bytes: frame(OPCODES.ping, 'x', { last: false }), ends: PROTOCOL_ERROR },
  { bytes: frame(OPCODES.close, 'x'), ends: PROTOCOL_ERROR },
  { bytes: frame(OPCODES.close, Buffer.from([3, 232, 0xff])), ends: NOT_UTF8 },
  {
    bytes: Buffer.concat([
      frame(OPCODES.text, 'echo', { last: false }),
      frame(OPCODES.text, 'echo'),
    ]),
    ends: PROTOCOL_ERROR,
  },
  ...[[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]].map((bytes) => ({
    bytes: frame(OPCODES.text, Buffer.from([0x65, ...bytes, 0x20])),
    ends: NOT_UTF8,
  })),
]

const FLOODS: Piece[] = [
  { bytes: Buffer.concat(Array(3_000).fill(frame(OPCODES.ping, 'x'))), ends: 'maybe cut' },
  { bytes: Buffer.concat(Array(3_000).fill(frame(OPCODES.text, ''))), ends: null },
  { bytes: Buffer.concat(Array(500).fill(frame(OPCODES.text, 'echo a'))), ends: 'command' },
  {
    bytes: Buffer.concat([
      frame(OPCODES.text, '', { last: false }),
      ...Array(3_000).fill(frame(OPCODES.more, '', { last: false })),
      frame(OPCODES.more, ''),
    ]),
    ends: null,
  },
]

const line = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(STAYS, 'echo hi', 'echo "a', 'no-such-program', 'rm x') },
  { weight: 1, arbitrary: fc.constantFrom('', ' \n', '\0', 'echo a\0b', '{"command":"echo"}') },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)

const quiet: fc.Arbitrary<Piece> = fc.oneof(
  fc
    .uint8Array({ maxLength: 300 })
    .map((bytes) => ({ bytes: frame(OPCODES.binary, bytes), ends: null })),
  fc
    .tuple(fc.constantFrom(OPCODES.ping, OPCODES.pong), fc.uint8Array({ maxLength: 125 }))
    .map(([opcode, bytes]) => ({ bytes: frame(opcode, bytes), ends: null })),
  fc.constantFrom('', ' ', '\r\n').map(text),
)

const inParts: fc.Arbitrary<Piece> = fc.tuple(line, fc.nat()).map(([given, at]) => {
  const bytes = Buffer.from(given)
  const cut = bytes.length === 0 ? 0 : at % bytes.length
  return {
    bytes: Buffer.concat([
      frame(OPCODES.text, bytes.subarray(0, cut), { last: false }),
      frame(OPCODES.ping, 'between'),
      frame(OPCODES.more, bytes.subarray(cut)),
    ]),
    ends: text(given).ends,
  }
})

const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 8, arbitrary: quiet },
  { weight: 4, arbitrary: line.map(text) },
  { weight: 2, arbitrary: inParts },
  { weight: 3, arbitrary: fc.constantFrom(...BROKEN) },
  { weight: 1, arbitrary: fc.constantFrom(...HUGE) },
  { weight: 1, arbitrary: fc.constantFrom(...FLOODS) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1000, 1001, 1005, 999, 3000, 4999, 5000).map(closeFrame),
  },
)

/** Everything a client sends over one connection. */
export const frameRun: fc.Arbitrary<FrameRun> = fc
  .record({
    pieces: fc.array(piece, { maxLength: 8 }),
    sending: fc.constantFrom('with the handshake', 'together', 'apart'),
    ending: fc.constantFrom('close', 'close', 'end', 'reset'),
  })
  .map((run) => ({ ...run, [fc.toStringMethod]: () => describe(run) }))

// For the report of a failure: a megabyte of zeros tells nobody anything.
function describe({ pieces, sending, ending }: FrameRun): string {
  const shown = pieces.map(
    ({ bytes, ends }) => `${bytes.length} bytes ${bytes.toString('hex', 0, 24)} (${ends})`,
  )
  return JSON.stringify({ sending, pieces: shown, ending })
}
