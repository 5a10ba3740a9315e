// Connections for questions outside of transactions: the one that follows, and further ones while that has too much to
// do. Those are closed again when nobody asks.
import { type Connection, type Row, unavailable } from './connection.ts'

/** A question that has waited for so long has another connection opened. */
const GROW_AFTER_MS = 5
/** A further connection that nobody has asked for so long is closed. */
const IDLE_MS = 10_000
/** After a connection that the server has refused, the others have to do for so long. */
const REFUSED_MS = 10_000
const TIMEOUT_MS = 5_000

interface Question {
  readonly text: string
  readonly values: readonly unknown[] | undefined
  readonly untilMs: number
  resolve(rows: Row[]): void
  reject(error: unknown): void
}

interface Reader {
  readonly connection: Connection
  isAsking: boolean
  idle?: NodeJS.Timeout
}

export class Readers {
  readonly #first: Reader
  readonly #more: Reader[] = []
  readonly #maxMore: number
  readonly #make: () => Connection
  readonly #waiting: Question[] = []
  #timer: NodeJS.Timeout | undefined
  #mayGrowAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  /** `first` is closed by who has made it; at most `maxMore` are made besides. */
  constructor(first: Connection, maxMore: number, make: () => Connection) {
    this.#first = { connection: first, isAsking: false }
    this.#maxMore = maxMore
    this.#make = make
  }

  /** Like Connection.query; the time includes that until a connection is free. */
  query(text: string, values?: readonly unknown[], timeoutMs = TIMEOUT_MS): Promise<Row[]> {
    if (this.#isClosed) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, values, untilMs: performance.now() + timeoutMs, resolve, reject })
      this.#handOut()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const { reject } of this.#waiting.splice(0)) reject(closed())
    const all = this.#more.splice(0)
    for (const { idle } of all) clearTimeout(idle)
    await Promise.all(all.map(({ connection }) => connection.close()))
  }

  #handOut(): void {
    for (const reader of [this.#first, ...this.#more]) {
      if (reader.isAsking) continue
      const question = this.#waiting.shift()
      if (!question) return
      void this.#ask(reader, question)
    }
    if (this.#waiting.length > 0) this.#growLater()
  }

  async #ask(reader: Reader, { text, values, untilMs, resolve, reject }: Question): Promise<void> {
    reader.isAsking = true
    clearTimeout(reader.idle)
    const leftMs = untilMs - performance.now()
    try {
      if (leftMs <= 0) throw unavailable(new Error('it takes too long'))
      resolve(await reader.connection.query(text, values, leftMs))
    } catch (error) {
      reject(error)
    }
    this.#free(reader)
  }

  #free(reader: Reader): void {
    reader.isAsking = false
    if (this.#isClosed) return
    if (reader !== this.#first)
      reader.idle = setTimeout(() => void this.#remove(reader), IDLE_MS).unref()
    this.#handOut()
  }

  #growLater(): void {
    if (this.#timer || this.#more.length >= this.#maxMore) return
    this.#timer = setTimeout(() => {
      void this.#grow().finally(() => {
        this.#timer = undefined
        if (!this.#isClosed) this.#handOut()
      })
    }, GROW_AFTER_MS)
  }

  async #grow(): Promise<void> {
    if (this.#waiting.length === 0 || performance.now() < this.#mayGrowAt) return
    const reader: Reader = { connection: this.#make(), isAsking: true }
    this.#more.push(reader)
    try {
      await reader.connection.open()
      this.#free(reader)
    } catch {
      // The server may have no more to give; what waits is asked by the others.
      this.#mayGrowAt = performance.now() + REFUSED_MS
      await this.#remove(reader)
    }
  }

  async #remove(reader: Reader): Promise<void> {
    const at = this.#more.indexOf(reader)
    if (at >= 0) this.#more.splice(at, 1)
    await reader.connection.close()
  }
}

function closed() {
  return unavailable(new Error('the connection is closed'))
}
