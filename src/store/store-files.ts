// The files of the engine: the document and the logs of one store. They remember
// what was read and written, so that a change by others is read once.
import { readFileSync, statSync } from 'node:fs'
import { readFile, rm, stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Adapter, Low } from 'lowdb'
import { AppError, unless } from '../lib/errors.ts'
import { ParseError } from '../lib/parse.ts'
import type { Collection } from './collection.ts'
import { SCHEMA_VERSION } from './document.ts'
import {
  addRecord,
  admitDocument,
  composeDocument,
  damagedText,
  type Head,
  type ParsedDocument,
  parseRecord,
  parseText,
  requiredOf,
} from './document-file.ts'
import { replaceFile } from './durable-file.ts'
import { cutLists, itemsOf, LARGE_FILE_BYTES, objectTexts, readObjectOf } from './json-sections.ts'
import { appendToLog } from './log.ts'
import { applyLines, linesOf, type ReadLines, readLines } from './record-log.ts'
import { type Before, createTable, replaceTable, type Table, type Tables } from './table.ts'

/** A log is written anew when it has this many lines, and two for each record. */
const MIN_STALE_LINES = 1_000

export interface Log {
  readonly file: string
  readonly table: Table
  /** Of the file when it was last read or written. */
  signature: string
  /** Position behind the last line that counts. */
  end: number
  /** Lines in the file, about. */
  lines: number
}

export interface ReadFiles {
  doc: (ParsedDocument & { signature: string }) | null
  logs: { log: Log; signature: string; isWhole: boolean; read: ReadLines }[]
}

/** Lists of the document that are not in memory yet. */
interface Late {
  readonly names: readonly string[]
  /** Reads a part of them at each step. */
  readonly parts: Generator<void>
  failure?: unknown
}

interface Prepared {
  head: Head
  content: object
}

/** Where the records of a `short` collection are kept. */
export function logFileOf(file: string, { name }: Collection): string {
  return `${file}.${name}`
}

/** All but `read` is to be called under the lock, or at the start. */
export class StoreFiles {
  readonly logs: readonly Log[]
  readonly #file: string
  readonly #tables: Tables
  readonly #db: Low<object | null>
  #head: Head = { version: SCHEMA_VERSION, commits: {}, requires: [], unknown: {} }
  #signature = 'not read yet'
  /** The first reading has nobody to hold up, and the threads of the pool would have to be started for it. */
  #isFirst = true
  readonly #leavesLists: boolean
  /** What the first reading has left, before and after it is taken. */
  #left: Late | null = null
  #late: Late | null = null

  /** `leavesLists`: the first reading leaves long lists to `readPart`. */
  constructor(file: string, tables: Tables, leavesLists = false) {
    this.#file = file
    this.#tables = tables
    this.#leavesLists = leavesLists
    this.logs = [...tables.values()]
      .filter(({ collection }) => collection.life === 'short')
      .map((table) => {
        const log = logFileOf(file, table.collection)
        return { file: log, table, signature: '', end: 0, lines: 0 }
      })
    const adapter: Adapter<object | null> = {
      read: () => this.#readDocument(),
      write: async (doc) => {
        await replaceFile(file, textOf(doc))
        this.#signature = await signatureOf(file)
      },
    }
    this.#db = new Low<object | null>(adapter, null)
  }

  get isLate(): boolean {
    return this.#late !== null
  }

  get needsMigration(): boolean {
    return this.#head.version < SCHEMA_VERSION
  }

  /** True when the document does not name the collections that are required by now. */
  get requiresOthers(): boolean {
    return !isDeepStrictEqual(requiredOf(this.#tables), this.#head.requires)
  }

  /** Reads what was changed by others. */
  async read(): Promise<ReadFiles> {
    const isFirst = this.#isFirst
    const signature = await signatureOf(this.#file, isFirst)
    let doc: ReadFiles['doc'] = null
    if (signature !== this.#signature) {
      await this.#db.read()
      const value = this.#db.data
      this.#db.data = null
      const collections = [...this.#tables.values()].map(({ collection }) => collection)
      doc = { ...admitDocument(value, this.#file, collections), signature }
    }
    const head = doc?.head ?? this.#head
    const logs: ReadFiles['logs'] = []
    for (const log of head.version < SCHEMA_VERSION ? [] : this.logs) {
      const { name } = log.table.collection
      const now = await signatureOf(log.file, isFirst)
      if (now === '' && head.requires.includes(name)) throw lostLog(log.file, name)
      if (now === log.signature && !doc) continue
      const isWhole = !isLonger(now, log)
      const read =
        now === ''
          ? { lines: [], end: 0 }
          : await readLines(log.file, isWhole ? 0 : log.end, head.commits[name], isFirst)
      logs.push({ log, signature: now, isWhole, read })
    }
    this.#isFirst = false
    return { doc, logs }
  }

  /** Takes what was read into the tables. `whole`: the logs that were read from the beginning. */
  take({ doc, logs }: ReadFiles): { before: Before; whole: Log[] } {
    const before: Before = new Map()
    if (doc) this.readRest()
    for (const [name, fresh] of doc?.tables ?? []) replaceTable(this.#tables, name, fresh, before)
    if (doc) {
      this.#late = this.#left
      this.#left = null
      this.#setLate(this.#late?.names ?? [], () => this.readRest())
      this.#head = doc.head
      this.#signature = doc.signature
    }
    for (const { log, signature, isWhole, read } of logs) {
      if (isWhole) {
        const fresh = createTable(log.table.collection)
        applyLines(fresh, read.lines)
        replaceTable(this.#tables, log.table.collection.name, fresh, before)
        log.lines = 0
      } else before.set(log.table, applyLines(log.table, read.lines))
      log.lines += read.lines.length
      log.signature = signature
      log.end = read.end
    }
    return { before, whole: logs.filter(({ isWhole }) => isWhole).map(({ log }) => log) }
  }

  /** Reads some of what was left; false when that was the last. Throws AppError `damaged`, from then on each time. */
  readPart(): boolean {
    const late = this.#late
    if (!late) return false
    if (late.failure) throw late.failure
    try {
      if (!late.parts.next().done) return true
    } catch (error) {
      late.failure = error
      throw error
    }
    this.#late = null
    this.#setLate(late.names, undefined)
    return false
  }

  /** All that was left, for who cannot wait. Throws AppError `damaged`. */
  readRest(): void {
    while (this.readPart());
  }

  #setLate(names: readonly string[], late: Table['late']): void {
    for (const name of names) Object.assign(this.#tables.get(name) ?? {}, { late })
  }

  async #readDocument(): Promise<object> {
    const atOnce = this.#isFirst
    const file = this.#file
    const { size } = atOnce ? statSync(file) : await stat(file)
    if (size > LARGE_FILE_BYTES) return readLargeDocument(file)
    const json = atOnce ? readFileSync(file) : await readFile(file)
    const large = [...this.#tables.values()].filter(({ collection }) => collection.isLarge)
    const names = large.map(({ collection }) => collection.name)
    const cut = atOnce && this.#leavesLists ? cutLists(json, names) : null
    if (!cut) return parseText(json.toString(), file) as object
    this.#left = { names: [...cut.lists.keys()], parts: this.#readLists(json, cut.lists) }
    return { ...cut.value, ...Object.fromEntries(this.#left.names.map((name) => [name, []])) }
  }

  *#readLists(json: Buffer, lists: ReadonlyMap<string, Buffer>): Generator<void> {
    try {
      for (const [name, list] of lists) {
        const table = this.#tables.get(name) as Table
        for (const items of itemsOf(list)) {
          for (const item of items)
            addRecord(table, parseRecord(table.collection, item, `${name}[${table.entries.size}]`))
          yield
        }
      }
    } catch {
      // It was cut in the wrong place, or is damaged, which the whole tells better.
      const collections = [...this.#tables.values()].map(({ collection }) => collection)
      const { tables } = admitDocument(
        parseText(json.toString(), this.#file),
        this.#file,
        collections,
      )
      for (const name of lists.keys())
        replaceTable(this.#tables, name, tables.get(name) as Table, new Map())
    }
  }

  async append(log: Log, text: string): Promise<void> {
    log.end = await appendToLog(log.file, log.end, text, this.#file)
    log.signature = await signatureOf(log.file)
    log.lines += text.split('\n').length - 1
  }

  /** What the document holds by now. `commits`: the transactions whose lines count from then on, by log. */
  prepareDocument(commits: Head['commits'] = {}): Prepared {
    const head = {
      ...this.#head,
      version: SCHEMA_VERSION,
      commits: { ...this.#head.commits, ...commits },
      requires: requiredOf(this.#tables),
    }
    return { head, content: composeDocument(head, this.#tables) }
  }

  async writeDocument({ head, content }: Prepared): Promise<void> {
    this.#db.data = content
    try {
      await this.#db.write()
    } finally {
      this.#db.data = null
    }
    this.#head = head
  }

  /** Writes everything in the present schema; the document counts, and replacing it is the last step. */
  async migrate(): Promise<void> {
    const text = await readFile(this.#file, 'utf8')
    const options = { like: this.#file, keepsPrevious: false }
    await replaceFile(`${this.#file}.schema${this.#head.version}`, text, options)
    for (const log of this.logs) {
      // What nobody uses has no file.
      if (log.table.entries.size === 0) await rm(log.file, { force: true })
      else await this.#rewrite(log)
    }
    await this.writeDocument(this.prepareDocument())
  }

  /** Writes logs anew of which most is of no more use. */
  async rewriteStale(): Promise<void> {
    for (const log of this.logs) {
      if (log.lines < MIN_STALE_LINES + 2 * log.table.entries.size) continue
      // Where there is no room it is tried again after as many lines.
      log.lines = 0
      await this.#rewrite(log).catch(() => {})
    }
  }

  // Changes made meanwhile are ahead of the disk; their lines follow and may repeat what is in the file.
  async #rewrite(log: Log): Promise<void> {
    await replaceFile(log.file, linesOf(log.table), { like: this.#file, keepsPrevious: false })
    const { size } = await stat(log.file)
    Object.assign(log, { signature: await signatureOf(log.file), end: size, lines: 0 })
  }
}

async function readLargeDocument(file: string): Promise<object> {
  try {
    return await readObjectOf(file)
  } catch (error) {
    throw error instanceof ParseError ? damagedText(error, file) : error
  }
}

function textOf(doc: object | null): string | Iterable<string> {
  try {
    return `${JSON.stringify(doc, null, 1)}\n`
  } catch (error) {
    // It would be longer than a text may be.
    if (!(error instanceof RangeError)) throw error
    return objectTexts(doc ?? {})
  }
}

// A backup without it would let people in who are asked for more.
function lostLog(file: string, name: string): AppError {
  return new AppError(
    'damaged',
    `the database needs ${file}, which is not there. Restore it from the backup. To do without what was ` +
      `in it, take "${name}" out of "requires" in the database.`,
  )
}

// Every write of the document makes a new inode and every line makes a log longer, so identity, time
// and size together tell any change. Empty for a file that is not there.
async function signatureOf(file: string, atOnce = false): Promise<string> {
  const found = atOnce
    ? statSync(file, { bigint: true, throwIfNoEntry: false })
    : await stat(file, { bigint: true }).catch(unless('ENOENT'))
  return found ? `${found.ino} ${found.birthtimeNs}:${found.mtimeNs}:${found.size}` : ''
}

/** True for the same file with nothing taken away. Inode numbers are used again, hence its birth. */
function isLonger(now: string, { signature, end }: Log): boolean {
  const [inode, , size] = now.split(':')
  return inode === signature.split(':')[0] && Number(size) >= end
}
