import { WorkerCalls, WorkerFailure } from '../../lib/worker-calls.ts'
import type { JsonNode } from '../../text/json-scan.ts'
import workerUrl from './json.worker.ts?worker'

export type JsonQuestion =
  | { kind: 'open'; data: string | ArrayBuffer }
  | { kind: 'children'; start: number; from: number; to: number }
  | { kind: 'text'; start: number; end: number }
  | { kind: 'find'; wanted: string; after: number }

interface JsonFound {
  offset: number
  /** 1-based. */
  current: number
  total: number
  /** There are more than were counted. */
  more: boolean
  path: { start: number; index: number }[]
}

export interface JsonFailure {
  place: { line: number; column: number } | null
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

export class JsonClient {
  readonly #calls = new WorkerCalls(workerUrl)

  close(): void {
    this.#calls.close()
  }

  async #ask<T>(question: JsonQuestion): Promise<T> {
    try {
      return await this.#calls.ask<T>(question)
    } catch (error) {
      const reason = error instanceof WorkerFailure ? error.reason : null
      throw new JsonProblem((reason as JsonFailure | null)?.place ?? null)
    }
  }

  /** @throws JsonProblem when the text is no JSON. */
  open(data: string | ArrayBuffer): Promise<{ root: JsonNode; isLines: boolean }> {
    return this.#ask({ kind: 'open', data })
  }

  children(start: number, from: number, to: number): Promise<JsonNode[]> {
    return this.#ask({ kind: 'children', start, from, to })
  }

  text(node: JsonNode): Promise<string> {
    return this.#ask({ kind: 'text', start: Math.max(0, node.start), end: node.end })
  }

  find(wanted: string, after: number): Promise<JsonFound | null> {
    return this.#ask({ kind: 'find', wanted, after })
  }
}
