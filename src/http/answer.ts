// What a handler answers with: a status, headers and a body as a value. deliver.ts sends it.
import type { ByteSink } from '../files/archive/byte-sink.ts'
import type { OpenFile } from '../files/place/scope.ts'
import type { Buffers } from '../lib/buffers.ts'

/** Several values become several lines. */
export type AnswerHeaders = Record<string, string | string[]>

/** Where the bytes of a body go. */
export interface Output extends ByteSink {
  /**
   * Settles when the client has taken the bytes, whose memory may be used again then; a client that
   * stalls may do so. Rejects with `ECONNRESET` when it has gone.
   */
  write(chunk: Uint8Array | string): Promise<void>
  /** Like `write`, for the last bytes: when nothing was written before, the head tells their length. */
  end(chunk: Uint8Array | string): Promise<void>
  /** For bytes that pass through memory. */
  buffers: Buffers
}

/** A body that is written while it is sent. */
export interface Streamed {
  /** For the log: `an archive`. */
  what: string
  /** Memory that it takes at most while it is sent; see transfers.ts. */
  memoryBytes: number
  /** What it throws before the first bytes becomes an error answer; afterwards the connection breaks. */
  write(output: Output): Promise<void>
  /** For a proxy that can send it itself: the answer is this file, or the one part that was asked for. */
  file?: OpenFile
  /** Whoever has not taken everything by then is cut off. */
  withinMs?: number
  /** Called once in every case, also when nothing is to be written. */
  close?(): Promise<void> | void
}

/** What a walk over a tree takes: some folders and the entries on their way. */
export const WALK_BYTES = 2 * 1024 * 1024

type AnswerBody = string | Uint8Array | Streamed | null

export interface Answer {
  status: number
  /** Without a first byte, null. */
  headers: AnswerHeaders | ((firstBytes: Uint8Array | null) => AnswerHeaders)
  body: AnswerBody
}

const ANSWER = Symbol('answer')
type Carrier = Response & { [ANSWER]?: Answer }

/** An answer, in the form that Hono passes on. */
export function answer(
  body: AnswerBody,
  headers: Answer['headers'] = {},
  status: number = 200,
): Response {
  const carrier: Carrier = new Response(null, { status })
  carrier[ANSWER] = { status, headers, body }
  return carrier
}

export const JSON_TYPE: AnswerHeaders = { 'Content-Type': 'application/json; charset=utf-8' }

/** Answers 200 with what `body` writes, of a length that is not known. Without a byte there is no type. */
export function stream(
  headers: AnswerHeaders | ((firstBytes: Uint8Array) => AnswerHeaders),
  body: Streamed,
): Response {
  return answer(body, (firstBytes) => ({
    ...(firstBytes !== null && {
      'X-Accel-Buffering': 'no',
      ...(typeof headers === 'function' ? headers(firstBytes) : headers),
    }),
  }))
}

/** What a response is made of, also of one that Hono has made itself. */
export function answerOf(response: Response): Answer | Promise<Answer> {
  return (response as Carrier)[ANSWER] ?? readAnswer(response)
}

async function readAnswer(response: Response): Promise<Answer> {
  const headers: AnswerHeaders = {}
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') headers[titleCase(name)] = value
  }
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers['Set-Cookie'] = cookies
  const body = response.body === null ? null : new Uint8Array(await response.arrayBuffer())
  return { status: response.status, headers, body }
}

export function isStreamed(body: AnswerBody): body is Streamed {
  return body !== null && typeof body === 'object' && !(body instanceof Uint8Array)
}

// As all names are spelled here, so that none is sent twice.
function titleCase(name: string): string {
  return name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase())
}
