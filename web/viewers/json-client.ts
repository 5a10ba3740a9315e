// The page's side of the JSON worker.

import type { JsonNode } from '../text/json-scan.ts'
import workerUrl from './json.worker.ts?worker'

export type JsonRequest = { id: number } & (
  | { kind: 'open'; data: string | ArrayBuffer }
  | { kind: 'children'; start: number; from: number; to: number }
  | { kind: 'text'; start: number; end: number }
  | { kind: 'find'; wanted: string; after: number }
)

export interface JsonFound {
  offset: number
  /** 1-based. */
  current: number
  total: number
  /** There are more than were counted. */
  more: boolean
  path: { start: number; index: number }[]
}

export interface JsonAnswer {
  id: number
  value: { root: JsonNode; isLines: boolean } | JsonNode[] | JsonFound | string | null
  failed?: { place: { line: number; column: number } | null }
}

/** The text is no JSON; `place` says from where on, null when it failed for another reason. */
export class JsonProblem extends Error {
  override name = 'JsonProblem'
  readonly place: { line: number; column: number } | null

  constructor(place: { line: number; column: number } | null) {
    super('not JSON')
    this.place = place
  }
}

type Body<T> = T extends { id: number } ? Omit<T, 'id'> : never

export class JsonClient {
  readonly #worker = new Worker(workerUrl, { type: 'module' })
  readonly #waiting = new Map<number, (answer: JsonAnswer) => void>()
  #lastId = 0

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<JsonAnswer>) => {
      this.#waiting.get(data.id)?.(data)
      this.#waiting.delete(data.id)
    }
    // Out of memory, or a worker that could not start: whoever waits must hear of it.
    this.#worker.onerror = () => {
      for (const [id, settle] of this.#waiting) settle({ id, value: null, failed: { place: null } })
      this.#waiting.clear()
    }
  }

  close(): void {
    this.#worker.terminate()
    this.#waiting.clear()
  }

  #ask<T>(body: Body<JsonRequest>): Promise<T> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (answer) => {
        if (answer.failed) reject(new JsonProblem(answer.failed.place))
        else resolve(answer.value as T)
      })
      this.#worker.postMessage({ id, ...body })
    })
  }

  /** @throws JsonProblem when the text is no JSON. */
  open(data: string | ArrayBuffer): Promise<{ root: JsonNode; isLines: boolean }> {
    return this.#ask({ kind: 'open', data })
  }

  children(start: number, from: number, to: number): Promise<JsonNode[]> {
    return this.#ask({ kind: 'children', start, from, to })
  }

  /** The text of a value as written. */
  text(node: JsonNode): Promise<string> {
    return this.#ask({ kind: 'text', start: Math.max(0, node.start), end: node.end })
  }

  find(wanted: string, after: number): Promise<JsonFound | null> {
    return this.#ask({ kind: 'find', wanted, after })
  }
}
