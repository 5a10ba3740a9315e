// Stand-ins for the classes of fetch inside the server bundle. Node loads its own at their first use, which
// takes as much of the processor as everything else of a start, and what the server answers needs little of them.

type HeaderPairs = Iterable<readonly [string, string]>
type HeaderInit = HeaderPairs | Record<string, string> | null | undefined

const NAME = /^[!#$%&'*+.^_`|~\w-]+$/

/** True for ours and for Node's. */
function isOf(value: unknown, kind: string): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] === kind
  )
}

/** As the Fetch standard has them, without the guards of requests. */
export class Headers implements Iterable<[string, string]> {
  readonly #lines = new Map<string, string[]>()

  constructor(init?: HeaderInit) {
    if (!init) return
    const pairs = Symbol.iterator in init ? (init as HeaderPairs) : Object.entries(init)
    for (const [name, value] of pairs) this.append(name, value)
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isOf(value, 'Headers')
  }

  get [Symbol.toStringTag](): string {
    return 'Headers'
  }

  append(name: string, value: string): void {
    const key = keyOf(name)
    const lines = this.#lines.get(key)
    if (lines) lines.push(lineOf(value))
    else this.#lines.set(key, [lineOf(value)])
  }

  set(name: string, value: string): void {
    this.#lines.set(keyOf(name), [lineOf(value)])
  }

  get(name: string): string | null {
    return this.#lines.get(keyOf(name))?.join(', ') ?? null
  }

  has(name: string): boolean {
    return this.#lines.has(keyOf(name))
  }

  delete(name: string): void {
    this.#lines.delete(keyOf(name))
  }

  getSetCookie(): string[] {
    return [...(this.#lines.get('set-cookie') ?? [])]
  }

  forEach(act: (value: string, name: string, headers: Headers) => void, self?: unknown): void {
    for (const [name, value] of this) act.call(self, value, name, this)
  }

  *entries(): IterableIterator<[string, string]> {
    const all = [...this.#lines]
    if (all.length > 1) all.sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [name, lines] of all) {
      if (name !== 'set-cookie') yield [name, lines.join(', ')]
      else for (const line of lines) yield [name, line]
    }
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this.entries()) yield name
  }

  *values(): IterableIterator<string> {
    for (const [, value] of this.entries()) yield value
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries()
  }
}

function keyOf(name: string): string {
  if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is no name of a header`)
  return name.toLowerCase()
}

function lineOf(value: unknown): string {
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')
  if (/[\0\r\n]|[^\0-\xff]/.test(text)) throw new TypeError('no value of a header')
  return text
}

interface Init {
  status?: number
  statusText?: string
  headers?: HeaderInit | Headers
}
type Body = string | Uint8Array | ReadableStream<Uint8Array> | null

/** What the server answers: a status, headers, and text, bytes, a stream or nothing. */
export class Response {
  readonly status: number
  readonly statusText: string
  readonly #content: Body
  // Made when it is asked for: most answers bring theirs in another way.
  #headers: Headers | null
  #stream: ReadableStream<Uint8Array> | null = null

  constructor(body?: Body, init?: Init) {
    const status = init?.status ?? 200
    if (!Number.isInteger(status) || status < 200 || status > 599)
      throw new RangeError(`${status} is no status of an answer`)
    this.status = status
    this.statusText = init?.statusText ?? ''
    this.#headers = init?.headers ? new Headers(init.headers) : null
    this.#content = body ?? null
    if (typeof body === 'string' && !this.headers.has('content-type'))
      this.headers.set('content-type', 'text/plain;charset=UTF-8')
  }

  get headers(): Headers {
    this.#headers ??= new Headers()
    return this.#headers
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isOf(value, 'Response')
  }

  get [Symbol.toStringTag](): string {
    return 'Response'
  }

  get ok(): boolean {
    return this.status < 300
  }

  get body(): ReadableStream<Uint8Array> | null {
    const content = this.#content
    if (content === null) return null
    if (typeof content === 'object' && 'getReader' in content) return content
    this.#stream ??= new ReadableStream<Uint8Array>({
      start(controller) {
        if (content.length > 0) controller.enqueue(bytesOf(content))
        controller.close()
      },
    })
    return this.#stream
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const chunks: Uint8Array[] = []
    if (this.body) for await (const chunk of this.body) chunks.push(chunk)
    const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
    let filled = 0
    for (const chunk of chunks) {
      bytes.set(chunk, filled)
      filled += chunk.length
    }
    return bytes.buffer
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.arrayBuffer())
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content
}

type Construct = new (...words: never[]) => object

/** Node's own, from its first instance on: those that the server makes are for opening WebSockets. */
export const Request: Construct = class {
  constructor(...words: never[]) {
    const real = globalThis.Request
    Object.setPrototypeOf(Request.prototype, real.prototype)
    // biome-ignore lint/correctness/noConstructorReturn: what is made is an instance of the real class.
    return Reflect.construct(real, words, new.target)
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isOf(value, 'Request')
  }
}

/** In place of those of `node:http2`, which nobody speaks here: the adapter asks whether a request is such a one. */
export class Http2ServerRequest {}
export const constants = { NGHTTP2_NO_ERROR: 0 }
