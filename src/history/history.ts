// The history as it is written: steps of changes, gathered into records, many lines in one write.
import { createLogWriter, type HistoryFiles } from './history-files.ts'
import { createId, lineOf, type Made, type Origin, type Step, undoneLineOf } from './record.ts'

/** Steps of one session, kind and folder are one record when no more than this lies between them. */
const NEAR_MS = 5_000
/** The same where the client names what it does: a large file may lie between them. */
const NAMED_MS = 60 * 60_000
/** More steps begin another record. */
const MAX_STEPS = 50_000
/** Records that may go on; the one that was longest without a step is over when there are more. */
const MAX_OPEN = 1_000
/** What was made stands in the line up to this many entries, else in a file of its own. */
const MAX_INLINE = 20

export type What = Pick<Step, 'kind' | 'path' | 'to'>

/** Gathers what one step makes and keeps. */
export interface Making {
  /** False where nothing is noted, and nothing has to be found out. */
  readonly isWanted: boolean
  made(entry: Made): void
  /** What is gone: its id in the trash, or null for good, and its bytes where they are known. */
  kept(id: string | null, bytes: number | null): void
}

export interface History {
  readonly isOn: boolean
  /**
   * Runs a change and notes what it tells to have made, also when it fails midway. What tells nothing leaves
   * nothing. Without history it only runs.
   */
  noted<T>(
    who: Origin & { userID: number },
    what: () => What,
    work: (making: Making) => Promise<T>,
  ): Promise<T>
  /** Says of a record that it was undone. */
  markUndone(userID: number, id: string): void
  /** Waits until all that was noted can be read. */
  flush(): Promise<void>
  close(): Promise<void>
}

interface Open {
  id: string
  steps: number
  lastMs: number
}

/** Opens no file and starts no timer before the first change. */
export function createHistory(files: HistoryFiles, isOn: boolean): History {
  const writer = createLogWriter(files)
  const open = createOpenRecords()
  return {
    isOn,
    noted: async (who, what, work) => {
      if (!isOn) return work(NOTHING)
      const gathered = gather(() => writer.manifest())
      try {
        return await work(gathered.making)
      } finally {
        const { files, bytes, made, kept, manifest } = gathered
        if (files > 0) {
          const { userID, via, operation, undoes } = who
          const facts = what()
          const { id, n } = open.next(keyOf(who, facts), operation ? NAMED_MS : NEAR_MS)
          const begun = { id, n, atMs: Date.now(), userID, via, operation, undoes }
          const end = { files, bytes, made, kept, manifest: manifest?.end() }
          writer.add(lineOf({ ...begun, ...facts, ...end }))
        }
      }
    },
    markUndone: (userID, id) => writer.add(undoneLineOf({ userID, undone: id })),
    flush: () => writer.flush(),
    close: () => writer.close(),
  }
}

const NOTHING: Making = { isWanted: false, made: () => {}, kept: () => {} }

function gather(manifestOf: () => { add(made: Made): void; end(): string }) {
  const gathered = {
    files: 0,
    bytes: 0,
    made: [] as Made[],
    kept: [] as string[],
    manifest: undefined as ReturnType<typeof manifestOf> | undefined,
  }
  const making: Making = {
    isWanted: true,
    made: (entry) => {
      gathered.files++
      gathered.bytes += entry.sizeBytes ?? 0
      if (!gathered.manifest) gathered.made.push(entry)
      else gathered.manifest.add(entry)
      if (gathered.made.length <= MAX_INLINE) return
      gathered.manifest = manifestOf()
      for (const each of gathered.made.splice(0)) gathered.manifest.add(each)
    },
    kept: (id, bytes) => {
      gathered.files++
      gathered.bytes += bytes ?? 0
      if (id !== null) gathered.kept.push(id)
    },
  }
  return Object.assign(gathered, { making })
}

function keyOf({ userID, session, operation }: Origin & { userID: number }, what: What): string {
  if (operation) return `${userID} ${operation}`
  const folder = what.path.slice(0, what.path.lastIndexOf('/') + 1)
  return `${userID} ${session} ${what.kind} ${folder}`
}

/** Records that may go on, the one with the latest step last. */
function createOpenRecords() {
  const records = new Map<string, Open>()
  let latestMs = 0
  // No two begin at the same time, so that their order is kept.
  const begin = (nowMs: number) => {
    latestMs = Math.max(nowMs, latestMs + 1)
    return { id: createId(latestMs), steps: 0, lastMs: nowMs }
  }
  return {
    /** The record of a further step and its number there. */
    next(key: string, withinMs: number): { id: string; n: number } {
      const nowMs = Date.now()
      const before = records.get(key)
      records.delete(key)
      const goesOn = before && nowMs - before.lastMs <= withinMs && before.steps < MAX_STEPS
      const record = goesOn ? before : begin(nowMs)
      records.set(key, record)
      if (records.size > MAX_OPEN) records.delete(records.keys().next().value as string)
      record.lastMs = nowMs
      return { id: record.id, n: record.steps++ }
    },
  }
}
