// The page's side of the table worker: what is asked, and the rows kept at hand.

import { putNewest } from '../../lib/newest.ts'
import { WorkerCalls } from '../../lib/worker-calls.ts'
import type { Delimiter } from '../../text/csv.ts'
import workerUrl from './csv.worker.ts?worker'

export interface CsvSort {
  column: number
  ascending: boolean
}

export type CsvRequest =
  | {
      kind: 'open'
      /** Given the first time; kept for reading it in another way. */
      data?: ArrayBuffer
      encoding?: string
      delimiter?: Delimiter
      header?: boolean
    }
  | { kind: 'arrange'; filter: string; sort: CsvSort | null; locale: string }
  | { kind: 'rows'; from: number; to: number }

export interface CsvFacts {
  encoding: string
  delimiter: Delimiter
  header: boolean
  /** Without the heading. */
  rowCount: number
  headings: string[]
  /** In the file; fewer are shown when they are very many. */
  columnCount: number
  /** Of each column shown, in characters. */
  widths: number[]
}

export interface CsvRow {
  /** Its place in the file, from 1. */
  number: number
  cells: readonly string[]
}

const BLOCK_ROWS = 100
const MAX_BLOCKS = 80

export class CsvClient {
  readonly #calls = new WorkerCalls(workerUrl)
  readonly #blocks = new Map<number, CsvRow[] | 'asked'>()
  readonly #onRows: () => void
  /** Answers to questions about an older arrangement are thrown away. */
  #version = 0

  /** `onRows` is called when rows that were missing have come. */
  constructor(onRows: () => void) {
    this.#onRows = onRows
  }

  close(): void {
    this.#calls.close()
  }

  async open(how: Omit<Extract<CsvRequest, { kind: 'open' }>, 'kind'>): Promise<CsvFacts> {
    this.#forget()
    return this.#calls.ask({ kind: 'open', ...how }, how.data ? [how.data] : [])
  }

  /** Sorts and filters; gives the number of rows left. */
  async arrange(filter: string, sort: CsvSort | null, locale: string): Promise<number> {
    const count = await this.#calls.ask<number>({ kind: 'arrange', filter, sort, locale })
    this.#forget()
    return count
  }

  #forget(): void {
    this.#version += 1
    this.#blocks.clear()
  }

  /** The row at a place of the present arrangement; undefined while it is being fetched. */
  row(at: number): CsvRow | undefined {
    const block = Math.floor(at / BLOCK_ROWS)
    const known = this.#blocks.get(block)
    if (known === undefined) void this.#fetch(block)
    return known === undefined || known === 'asked' ? undefined : known[at % BLOCK_ROWS]
  }

  async #fetch(block: number): Promise<void> {
    const version = this.#version
    this.#blocks.set(block, 'asked')
    const from = block * BLOCK_ROWS
    try {
      const { numbers, cells } = await this.#calls.ask<{ numbers: number[]; cells: string[][] }>({
        kind: 'rows',
        from,
        to: from + BLOCK_ROWS,
      })
      if (version !== this.#version) return
      const rows = cells.map((row, index) => ({ number: numbers[index] ?? 0, cells: row }))
      putNewest(this.#blocks, block, rows, MAX_BLOCKS)
      this.#onRows()
    } catch {
      this.#blocks.delete(block) // asked for again when it next comes into sight
    }
  }
}
