// One connection to PostgreSQL, made when it is needed and again after it was lost. The driver is
// loaded with the first one.
import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import type { Client, QueryResult } from 'pg'
import { AppError, errnoOf } from '../../lib/errors.ts'
import type { Address } from './address.ts'

/** How long a server may take to accept a connection. */
const CONNECT_MS = 3_000
/** Rows as lists of columns, all of them texts or null. */
export type Row = readonly (string | null)[]

export interface Target {
  readonly address: Address
  /** Asked for with each connection, as it may change. */
  password(): Promise<string | undefined>
}

interface Open {
  readonly client: Client
  readonly socket: Socket
  /** The question before, as the driver takes one at a time. */
  last: Promise<unknown>
}

export class Connection {
  readonly #target: Target
  readonly #name: string
  readonly #onConnect: (ask: (text: string) => Promise<unknown>) => Promise<unknown>
  readonly #onNotification: (payload: string) => void
  #open: Promise<Open> | undefined
  #isClosed = false

  /**
   * `name` is shown in `pg_stat_activity`; `onConnect` asks what each new connection has to be asked first;
   * `onNotification` is called with what comes by LISTEN.
   */
  constructor(
    target: Target,
    name: string,
    onConnect: (ask: (text: string) => Promise<unknown>) => Promise<unknown> = async () => {},
    onNotification: (payload: string) => void = () => {},
  ) {
    this.#target = target
    this.#name = name
    this.#onConnect = onConnect
    this.#onNotification = onNotification
  }

  get isOpen(): boolean {
    return this.#open !== undefined
  }

  /**
   * Asks one question, or several without values; gives the rows of the last that has any. After a
   * failure of the connection or `timeoutMs` the next question is asked on a new one. Rejects with
   * AppError `records_unavailable` when the server cannot be asked, else with the driver's error.
   */
  async query(text: string, values?: readonly unknown[], timeoutMs = 5_000): Promise<Row[]> {
    if (this.#isClosed) throw unavailable(new Error('the connection is closed'))
    let open: Open | undefined
    try {
      this.#open ??= this.#connect()
      open = await this.#open
      return rowsOf(await withTimeout(askInTurn(open, text, values), timeoutMs))
    } catch (error) {
      const isGone = open === undefined || isLost(error)
      if (isGone) this.drop(open)
      throw isGone ? unavailable(error) : error
    }
  }

  /** Makes the connection before anything is asked. Rejects with AppError `records_unavailable`. */
  async open(): Promise<void> {
    try {
      this.#open ??= this.#connect()
      await this.#open
    } catch (error) {
      this.drop()
      throw unavailable(error)
    }
  }

  /** Breaks the connection, in whatever it is. */
  drop(which?: Open): void {
    const current = this.#open
    if (!current) return
    void current.then(
      (open) => {
        if (which && which !== open) return
        if (this.#open === current) this.#open = undefined
        open.socket.destroy()
      },
      () => {
        if (this.#open === current) this.#open = undefined
      },
    )
    if (!which) this.#open = undefined
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const open = await this.#open?.catch(() => undefined)
    this.#open = undefined
    if (!open) return
    await withTimeout(open.client.end(), 1_000).catch(() => {})
    open.socket.destroy()
  }

  async #connect(): Promise<Open> {
    const { address } = this.#target
    const password = await this.#target.password()
    const ssl = await sslOf(address)
    const { default: pg } = await import('pg')
    const socket = new Socket()
    const { host, port, user, database } = address
    const client = new pg.Client({
      ...{ host, port, user, database, ssl, stream: () => socket },
      password: () => {
        if (password) return password
        throw new AppError('wrong_credentials', 'it asks for a password')
      },
      application_name: this.#name,
      keepAlive: true,
    })
    const open = { client, socket, last: Promise.resolve() }
    // A connection that ends while nobody asks must not end the process.
    client.on('error', () => this.drop(open))
    client.on('end', () => this.drop(open))
    client.on('notification', ({ payload = '' }) => this.#onNotification(payload))
    try {
      await withTimeout(client.connect(), CONNECT_MS)
      await withTimeout(
        this.#onConnect((text) => ask(client, text)),
        CONNECT_MS,
      )
      return open
    } catch (error) {
      socket.destroy()
      throw error
    }
  }
}

function askInTurn(open: Open, text: string, values?: readonly unknown[]): Promise<unknown> {
  const asked = open.last.then(() => ask(open.client, text, values))
  open.last = asked.catch(() => {})
  return asked
}

function ask(client: Client, text: string, values?: readonly unknown[]): Promise<unknown> {
  return client.query({
    text,
    rowMode: 'array',
    ...(values && { values: [...values] }),
    types: TEXT,
  })
}

// int8 is past what a number holds, and times are not for us: everything stays the text it comes as.
const TEXT = { getTypeParser: () => (value: string) => value }

function rowsOf(result: unknown): Row[] {
  const results = (Array.isArray(result) ? result : [result]) as QueryResult[]
  const last = results.findLast(({ fields }) => fields.length > 0)
  return (last?.rows ?? []) as unknown as Row[]
}

class TimeoutError extends Error {}

async function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new TimeoutError(`no answer within ${timeoutMs} ms`)),
      timeoutMs,
    )
  })
  // Whoever loses the race must not end the process.
  promise.catch(() => {})
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

async function sslOf({ sslMode, caFile, host }: Address) {
  if (sslMode === 'disable') return false
  const ca = caFile === '' ? {} : { ca: await readCa(caFile) }
  if (sslMode === 'require' && caFile === '') return { rejectUnauthorized: false }
  // As in libpq, `require` with a file of certificates checks against them.
  if (sslMode !== 'verify-full') return { ...ca, checkServerIdentity: () => undefined }
  return { ...ca, ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) }
}

async function readCa(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new AppError('bad_request', `sslrootcert: ${file} cannot be read (${errnoOf(error)})`, {
      cause: error,
    })
  }
}

/** The SQLSTATE of a failure that the server has told of; empty for any other. */
export function sqlStateOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)
    ? code
    : ''
}

// Connection exceptions, a server that stops or starts, too little of something, a standby, a question or a
// lock that took too long. Deadlocks and the like are here as well: their transaction has not happened.
const LOST = /^(08|53|57P|57014|58|25006|25P0|40|55P03|3D000|28)/

/** The server cannot be asked for now. */
export function isLost(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'records_unavailable'
  const state = sqlStateOf(error)
  if (state !== '') return LOST.test(state)
  return error instanceof TimeoutError || errnoOf(error) !== '' || isDriverFailure(error)
}

// What the driver and TLS say about connections has no SQLSTATE.
function isDriverFailure(error: unknown): boolean {
  return error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError)
}

export function unavailable(cause: unknown): AppError {
  if (cause instanceof AppError && cause.code === 'records_unavailable') return cause
  const why = cause instanceof Error ? cause.message || errnoOf(cause) : 'it is silent'
  return new AppError('records_unavailable', `the database cannot be asked: ${why}`, { cause })
}
