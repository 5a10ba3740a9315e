// All records of a database, written into one that is empty: from a JSON file, PostgreSQL or a file of the old program to a
// JSON file or PostgreSQL. They pass a piece at a time, however many there are.
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../../lib/errors.ts'
import type { Collection } from '../collection.ts'
import { COLLECTIONS } from '../collections.ts'
import { SCHEMA_VERSION } from '../document.ts'
import { followLinks, replaceFile } from '../durable-file.ts'
import { withFileLock } from '../file-lock.ts'
import { cannotWrite, requireWritable } from '../folder-access.ts'
import { fieldText, itemsText } from '../json-sections.ts'
import { toLine } from '../log.ts'
import { detectDatabase, refuseToForget } from '../open-database.ts'
import { isPostgresAddress, withoutPassword } from '../postgres/address.ts'
import { RECORDS_PER_LINE } from '../record-log.ts'
import { logFileOf } from '../store-files.ts'
import { type Contents, contentsOf, createTally, type Tally } from './contents.ts'
import { type Environment, openLargeFile, type Source, withSource } from './source.ts'

/** Told now and then how many records of a collection have been written. */
export type OnProgress = (name: string, count: number) => void

/** Reads a whole database. Throws like withSource. */
export function readContents(database: string, env: Environment): Promise<Contents> {
  return withSource(database, env, contentsOf)
}

/**
 * Copies everything into a database that is empty, whole or not at all, and gives what was found in it afterwards.
 * Throws AppError `exists` when something is there, `damaged` when what was read back differs, and like withSource.
 */
export function copyDatabase(
  from: string,
  to: string,
  env: Environment,
  onProgress: OnProgress = () => {},
): Promise<Contents> {
  return withSource(from, env, async (source) => {
    const tally = createTally(source)
    const passing: Source = { ...source, pieces: (of) => counted(source, of, tally, onProgress) }
    const check = async (written: Source) =>
      compare(to, tally.contents(), await contentsOf(written))
    if (!isPostgresAddress(to)) return writeFiles(to, source, passing, tally, check)
    const { writeRecords } = await import('../postgres/copy.ts')
    return writeRecords(to, env, passing, tally, check)
  })
}

const PROGRESS_EVERY = 100_000

async function* counted(
  source: Source,
  of: Collection,
  tally: Tally,
  onProgress: OnProgress,
): AsyncGenerator<readonly object[]> {
  for await (const records of source.pieces(of)) {
    const before = tally.count(of)
    tally.take(of, records)
    yield records
    const now = tally.count(of)
    if (Math.floor(now / PROGRESS_EVERY) > Math.floor(before / PROGRESS_EVERY))
      onProgress(of.name, now)
  }
}

/** Writes files as the engine does. `passing` is to be read once. */
async function writeFiles(
  database: string,
  source: Source,
  passing: Source,
  tally: Tally,
  check: (written: Source) => Promise<Contents>,
): Promise<Contents> {
  const file = await followLinks(database)
  await refuseToForget(file)
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw await cannotWrite(file, error)
  }
  await requireWritable(file)
  return withFileLock(`${file}.lock`, async () => {
    const { kind } = await detectDatabase(file)
    if (kind !== 'absent' && kind !== 'empty')
      throw new AppError(
        'exists',
        `${withoutPassword(file)} is not empty and is left as it is; copy into a new database`,
      )
    const used: Collection[] = []
    for (const of of COLLECTIONS) if (await hasSome(source, of)) used.push(of)
    // The document comes last: without it the logs are nothing.
    for (const of of used)
      if (of.life === 'short')
        await replaceFile(logFileOf(file, of), linesOf(passing, of), { keepsPrevious: false })
    await replaceFile(file, documentOf(passing, used, tally))
    return check(await openLargeFile(file))
  })
}

async function hasSome(source: Source, of: Collection): Promise<boolean> {
  for await (const records of source.pieces(of)) if (records.length > 0) return true
  return false
}

async function* linesOf(source: Source, of: Collection): AsyncGenerator<string> {
  for await (const records of source.pieces(of))
    for (let from = 0; from < records.length; from += RECORDS_PER_LINE)
      yield toLine({ put: records.slice(from, from + RECORDS_PER_LINE) })
}

/** The document, byte for byte as if it were written at once. */
async function* documentOf(
  source: Source,
  used: readonly Collection[],
  tally: Tally,
): AsyncGenerator<string> {
  const requires = used.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  yield `{${fieldText('version', SCHEMA_VERSION)}`
  if (requires.length > 0) yield `,${fieldText('requires', requires)}`
  const kept = COLLECTIONS.filter(({ life }) => life === 'kept')
  for (const of of kept) {
    if (!of.isSingle) yield* listField(source, of)
    else
      for await (const [record] of source.pieces(of))
        if (record) yield `,${fieldText(of.name, record)}`
  }
  const next = kept.map((of) => [of.name, tally.nextOf(of)] as const).filter(([, id]) => id > 1)
  yield `,${fieldText('next', Object.fromEntries(next))}\n}\n`
}

async function* listField(source: Source, of: Collection): AsyncGenerator<string> {
  let [before, after] = [`,\n "${of.name}": [`, ']']
  for await (const records of source.pieces(of)) {
    if (records.length === 0) continue
    yield before + itemsText(records)
    ;[before, after] = [',', '\n ]']
  }
  yield before === ',' ? after : before + after
}

function compare(database: string, from: Contents, to: Contents): Contents {
  if (to.digest === from.digest) return to
  throw new AppError('damaged', `${withoutPassword(database)} does not hold what was written to it`)
}
