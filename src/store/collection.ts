// Collections of records, and what every engine that stores them can do (docs/decisions/0003). Reads are
// synchronous and at most a second behind other processes; changes are functions over a transaction.
import type { Reader } from '../lib/parse.ts'
import type { Settings } from './document.ts'
import type { Nodes } from './nodes/nodes.ts'
import type { ShortLived } from './short-lived/short-lived.ts'

export type Key = string | number

/**
 * `kept`: in the main document. `short`: changes often, so that it has a log of its own beside the
 * document. Both are on disk before a transaction resolves.
 */
export type Life = 'kept' | 'short'

// A method, so that a collection of one kind of record is a collection of records.
type IndexOf<T> = { of(record: T): Key | undefined }['of']

export interface Collection<T extends object = object, I extends string = string> {
  /** Its name on disk, which never changes. */
  readonly name: string
  readonly life: Life
  /** Never changes in the life of a record. */
  keyOf(record: T): Key
  /** By name what `find` answers by; a record without a value is not found by it. */
  readonly indexes: Readonly<Record<I, IndexOf<T>>>
  /** Those of them that are in no memory: `among` alone asks by them. */
  readonly unindexed?: readonly I[]
  /** The indexes of which no two records may have the same value. */
  readonly unique: readonly I[]
  /**
   * It may have very many records, and an engine need not hold them all: `Store.large` and `Store.read` read them,
   * `Store.get` answers for those that were loaded, and everything is there in transactions.
   */
  readonly isLarge?: true
  /** Of a large one: `Store.get` throws for a record that was not loaded, rather than to say that there is none. */
  readonly mustBeLoaded?: true
  /** Of a large one: where there are no more than so many when it is opened, all are in memory. */
  readonly wholeUpTo?: number
  /** Anybody may ask for keys at random: that there is no such record is not remembered. */
  readonly isGuessed?: true
  /**
   * Of a large one: each record belongs to one of the collection `owner`, in whose company it comes into memory and
   * leaves it: where that is loaded, `Store.find` answers by the index `by`, whose value is the key there and never
   * changes. Without `by` both have the same key.
   */
  readonly belongsTo?: { readonly owner: string; readonly by?: I }
  /**
   * A crash of the database may take back that a record was added or changed a moment ago: whoever misses it makes it
   * anew. That one was removed stays.
   */
  readonly isWrittenLazily?: true
  /** A number by which records of a large collection are found in order, the oldest first. */
  ageOf?(record: T): number
  /** One record and no list. */
  readonly isSingle?: true
  /** A program that does not know it must not open a database that has such records. */
  readonly isRequired?: true
  /** Admits a record from disk. Throws ParseError. */
  parse(reader: Reader): T
}

/** What the value of an index is: one of these, or a path that is one of `below` or lies below it. */
export interface Values {
  is?: readonly Key[]
  below?: readonly string[]
}

/** Records are never mutated: a change replaces them. Lists are in the order of insertion. */
export interface Records {
  settings(): Settings
  get<T extends object, I extends string>(of: Collection<T, I>, key: Key): T | undefined
  find<T extends object, I extends string>(of: Collection<T, I>, index: I, value: Key): readonly T[]
  /** Those of which one of these indexes has one of its values, in no order. */
  among<T extends object, I extends string>(
    of: Collection<T, I>,
    values: Readonly<Partial<Record<I, Values>>>,
  ): readonly T[]
  /** All, where they are few enough to be in memory (`wholeUpTo`) and others are not; else undefined. */
  ifWhole<T extends object, I extends string>(of: Collection<T, I>): readonly T[] | undefined
  /** Whether any record has this value. */
  has<T extends object, I extends string>(of: Collection<T, I>, index: I, value: Key): boolean
  /** Each value of an index once. */
  values<T extends object, I extends string>(of: Collection<T, I>, index: I): readonly Key[]
  all<T extends object, I extends string>(of: Collection<T, I>): readonly T[]
  count<T extends object, I extends string>(of: Collection<T, I>): number
  /** Differs when anything has changed, or was undone, since: what was made of the records is out of date. */
  stepsOf<T extends object, I extends string>(of: Collection<T, I>): number
  /** Says which records of a large collection are about to be asked for, so that they come together. */
  expect<T extends object, I extends string>(of: Collection<T, I>, keys: () => readonly Key[]): void
}

/** What is asked of single records. */
export type Lookups = Pick<Records, 'get' | 'find' | 'count' | 'stepsOf'>

export interface Transaction extends Records {
  /** Says that no record of a large collection has this key, which was made at random or looked for otherwise: nobody has to look again. */
  fresh<T extends object, I extends string>(of: Collection<T, I>, key: Key): void
  /** Gives a number that no record of this collection has had. */
  nextId<T extends object, I extends string>(of: Collection<T, I>): number
  /** Throws `exists` when the key or a unique value is taken. */
  insert<T extends object, I extends string>(of: Collection<T, I>, record: T): T
  /** Puts a record in the place of the one with its key. Throws `not_found`, `exists`. */
  replace<T extends object, I extends string>(of: Collection<T, I>, record: T): T
  /** Gives the record that was there. */
  remove<T extends object, I extends string>(of: Collection<T, I>, key: Key): T | undefined
}

/**
 * Changes records; a throw changes nothing. Synchronous and without effects elsewhere: an engine may run
 * it again, on records that have changed meanwhile.
 */
export type Change<T> = (tx: Transaction) => T

/** What a change has changed, by collection and key: the records as they were before. */
export interface Changes {
  before<T extends object, I extends string>(of: Collection<T, I>): ReadonlyMap<Key, T | undefined>
  /**
   * Of a large collection, what else has changed: those that are not in memory, or the records that they belong to,
   * where that is known.
   */
  unseen<T extends object, I extends string>(of: Collection<T, I>): readonly Key[]
}

export interface Store extends Records {
  /** The database file, or a name in this node's own folder. What else the program keeps is named after it. */
  readonly file: string
  /** Where several nodes share the records; absent where one process has them to itself. */
  readonly shared?: Shared
  /** What is in large collections. */
  readonly large: Large
  /** What lives for minutes beside the records, for all who share them. */
  readonly shortLived: ShortLived
  /**
   * Reads what the start has left, some at a time, so that others get their turn; null when all is in memory. It begins after
   * `afterMs`, or when somebody asks for it without. Who looks for a record of it has all read at once. Rejects with AppError
   * `damaged`.
   */
  rest?(afterMs?: number): Promise<void> | null
  /**
   * Reads records of large collections as well: what is not in memory is loaded, and `read` runs again. So it is
   * synchronous and without effects elsewhere. Rejects with AppError `records_unavailable`.
   */
  read<T>(read: (records: Records) => T): Promise<T>
  /** Applies a change and resolves once it is durable, whole or not at all. Nobody reads it before. */
  transaction<T>(change: Change<T>): Promise<T>
  /**
   * Applies a change in memory at once, where it stays whatever the disk says, and writes it as soon as
   * that works. Resolves when it is durable or could not be written for now, which `onDelay` is told.
   * It is run again on what came to the disk first, so it must be idempotent; when it throws then it is
   * undone, and its error is that of the call, or told to `onDelay` once that has resolved.
   */
  ahead<T>(change: Change<T>, onDelay?: (error: unknown) => void): Promise<T>
  /** False while others may have changed what is read here without its being known. */
  isFresh(): boolean
  /** Called after own changes and after changes from outside. */
  subscribe(listener: (changes: Changes) => void): () => void
  /** Waits for pending writes and stops watching. */
  close(): Promise<void>
}

/** What large collections hold at the moment. Everything rejects with AppError `records_unavailable`. */
export interface Large {
  /** Loads one record, which `get` answers until it is dropped. */
  load<T extends object, I extends string>(of: Collection<T, I>, key: Key): Promise<T | undefined>
  find<T extends object, I extends string>(
    of: Collection<T, I>,
    index: I,
    value: Key,
  ): Promise<readonly T[]>
  /** Each value of an index once; few, as they are found one after the other. */
  values<T extends object, I extends string>(
    of: Collection<T, I>,
    index: I,
  ): Promise<readonly Key[]>
  /** All of them, a piece at a time; with `age` the lowest first, else in the order of insertion. */
  pieces<T extends object, I extends string>(
    of: Collection<T, I>,
    by?: 'age',
  ): AsyncIterable<readonly T[]>
  /** Those whose age is below a number, up to `limit`. */
  older<T extends object, I extends string>(
    of: Collection<T, I>,
    than: number,
    limit: number,
  ): Promise<readonly T[]>
  count<T extends object, I extends string>(of: Collection<T, I>): Promise<number>
  /** Whether `Store.get` gives it. */
  isHeld<T extends object, I extends string>(of: Collection<T, I>, key: Key): boolean
  /**
   * Loads records, with what belongs to them, for who goes through many: they leave when the result is called, but for
   * those that somebody else has asked for.
   */
  hold<T extends object, I extends string>(
    of: Collection<T, I>,
    keys: readonly Key[],
  ): Promise<() => void>
  /** Keeps it from being dropped until the result is called. */
  pin<T extends object, I extends string>(of: Collection<T, I>, key: Key): () => void
  /** The keys of those that are in memory, where that is not all. */
  held<T extends object, I extends string>(of: Collection<T, I>): readonly Key[]
  /** Lets go of some of them, of a collection whose records belong to none. */
  drop<T extends object, I extends string>(of: Collection<T, I>, keys: readonly Key[]): void
}

/** Records that other nodes change as well: how far this one has come. */
export interface Shared {
  /**
   * Takes what others have changed unless that was done within the last second. Rejects with AppError
   * `records_unavailable` when the database has been silent for longer than it may.
   */
  refresh(): Promise<void>
  /** Takes what others have changed before now. Rejects with `records_unavailable`. */
  look(): Promise<void>
  /** Throws the same for what goes on, once the database has been silent for a whole look. */
  demand(): void
  /** Calls with the failure when the database falls silent, and with null when it answers again. */
  onSilence(listener: (error: Error | null) => void): void
  /** Those that serve from these records. */
  readonly nodes: Nodes
}

type Awaitable<T> = T | Promise<T>

/**
 * What `find` gives, asked for again after a look where that is nothing: another node may have made it a moment
 * ago. Rejects with `records_unavailable`.
 */
export async function findOrLook<T>(
  { shared }: Pick<Store, 'shared'>,
  find: () => Awaitable<T | null | undefined>,
): Promise<T | undefined> {
  const found = await find()
  if (found !== null && found !== undefined) return found
  if (!shared) return undefined
  await shared.look()
  return (await find()) ?? undefined
}
