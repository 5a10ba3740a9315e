// The limits of a server and what is known of them: counted from the disk once and then by what changes,
// counted again in the background now and then, and kept beside the database.
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { declaredIn, isPartsName } from '../files/volume/temp-name.ts'
import type { TempRegistry } from '../files/volume/temp-registry.ts'
import type { Volume } from '../files/volume/volume.ts'
import { errnoOf } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import { createLedger, type FolderLimit, type Hold, type Ledger } from './ledger.ts'
import { createRecounts } from './recounts.ts'
import { hasUsage, readUsage, removeUsage, writeUsage } from './usage-file.ts'

const WRITE_EVERY_MS = 60_000

export interface Quotas {
  /** False while nothing is limited: then nothing is counted, and there are neither file nor timer. */
  readonly isActive: boolean
  readonly ledger: Ledger
  /** What unfinished uploads hold until they end, by the name of their temporary file. */
  readonly uploads: Map<string, Hold>
  /** To be waited for, where it is not known yet what limits a path, and what is there. */
  ready(path: string): Promise<void> | undefined
  /** What a limited folder, named as in the limits, holds with what is reserved; undefined until it is known. */
  usedIn(folder: string): number | undefined
  /** To be told when a temporary file is gone. */
  forgetUpload(path: string): void
  /** Counts all folders anew, in the background. */
  recount(): void
  /** Writes what is known, for the next start. */
  close(): Promise<void>
}

type Limits = readonly FolderLimit[]

interface QuotaOptions {
  /** The disk itself. */
  volume: Volume
  temps: Pick<TempRegistry, 'noted'>
  /** The file of the database. */
  database: string
  /** What is limited now, by host paths that may lead through links; a promise where that has to be asked for. */
  limits: () => Limits | Promise<Limits>
  /** Calls back when the limits may be others. */
  subscribe: (listener: () => void) => () => void
  log: Logger
}

/** Reads limits and files at once, in the background; `ready` waits for them. */
export function createQuotas(options: QuotaOptions): Quotas {
  const { volume, limits, log } = options
  const ledger = createLedger()
  const uploads = new Map<string, Hold>()
  const keeper = createKeeper(options, ledger, uploads)
  const { recounts } = keeper
  let wanted: Limits = []
  /** By the path in `wanted`. */
  let realFolders: ReadonlyMap<string, string> = new Map()
  let isActive = false
  let applying: Promise<void> | undefined
  /** How often limits are being asked for. */
  let asking = 0

  const apply = async (now: Limits) => {
    const names = [...new Set(now.map(({ folder }) => folder))]
    const pairs = names.map(async (name) => [name, await realFolder(volume, name)] as const)
    realFolders = new Map(await Promise.all(pairs))
    ledger.setLimits(
      now.map(({ folder, bytes }) => ({ folder: realFolders.get(folder) ?? folder, bytes })),
    )
    isActive = wanted.length > 0
    await (now.length > 0 ? keeper.start() : keeper.stop())
    recounts.run()
  }
  /** Takes them unless they are as before. */
  const want = (now: Limits): boolean => {
    if (isDeepStrictEqual(now, wanted)) return false
    wanted = now
    isActive ||= now.length > 0
    return true
  }
  const ask = async (limits: Promise<Limits>) => {
    asking++
    try {
      const now = await limits
      if (want(now)) await apply(now)
    } finally {
      asking--
    }
  }
  const refresh = () => {
    const now = limits()
    if (!(now instanceof Promise) && !want(now)) return
    const mine = Promise.resolve(applying)
      .then(() => (now instanceof Promise ? ask(now) : apply(now)))
      .catch((error: Error) => log.error(`limits of folders: ${error.message}`))
      .finally(() => {
        if (applying === mine) applying = undefined
      })
    applying = mine
  }
  const untilKnown = async (path: string) => {
    while (applying) await applying
    for (const counter of ledger.above(path))
      if (!counter.isCounted) await recounts.counted(counter)
  }
  const leave = options.subscribe(refresh)
  refresh()

  return {
    // What is written before it is known would not be counted.
    get isActive() {
      return isActive || asking > 0
    },
    ledger,
    uploads,
    ready: (path) => {
      const isKnown = !applying && ledger.above(path).every(({ isCounted }) => isCounted)
      return isKnown ? undefined : untilKnown(path)
    },
    usedIn: (folder) => {
      const counter = ledger.counterOf(realFolders.get(folder) ?? folder)
      return counter?.isCounted ? counter.usedBytes + counter.reservedBytes : undefined
    },
    forgetUpload: (path) => {
      const tempName = basename(path)
      uploads.get(tempName)?.release()
      uploads.delete(tempName)
    },
    recount: recounts.all,
    close: async () => {
      leave()
      await applying
      await keeper.close(isActive)
    },
  }
}

/** Counts what is due and keeps the file, from `start` to `stop`. */
function createKeeper(
  { volume, database, temps, limits, log }: QuotaOptions,
  ledger: Ledger,
  uploads: Quotas['uploads'],
) {
  let timer: NodeJS.Timeout | undefined
  let written = -1
  let isClosed = false
  const onCounted = () => {
    written = -1
  }
  const recounts = createRecounts(volume, ledger, { log, onCounted })
  // It counts for limits that are there from the start: nothing else was written since.
  const readLeft = (now: Limits) => (now.length > 0 ? readUsage(database) : removeUsage(database))
  const first = limits()
  let left = first instanceof Promise ? first.then(readLeft) : readLeft(first)

  const write = async (isClean: boolean) => {
    const { changes } = ledger
    try {
      await writeUsage(database, { isClean, folders: knownOf(ledger) })
      written = changes
    } catch (error) {
      log.warn(`what limited folders hold was not written: ${(error as Error).message}`)
    }
  }
  const tick = async () => {
    await recounts.look()
    // `filebrowser quotas recount` takes it away.
    if (!(await hasUsage(database))) recounts.all()
    else if (ledger.changes === written) return recounts.run()
    if (!isClosed) await write(false)
    recounts.run()
  }
  return {
    recounts,
    start: async () => {
      if (timer) return
      timer = setInterval(tick, WRITE_EVERY_MS).unref()
      const known = await left
      for (const [folder, counter] of ledger.counters) {
        const found = known?.folders.get(folder)
        if (!known || !found) continue
        const { usedBytes, dueMs, identity } = found
        Object.assign(counter, { usedBytes, identity, isCounted: known.isClean })
        if (known.isClean) counter.dueMs = dueMs
      }
      await holdUploads(volume, temps, ledger, uploads)
      await write(false)
    },
    stop: async () => {
      clearInterval(timer)
      timer = undefined
      for (const hold of uploads.values()) hold.release()
      uploads.clear()
      left = removeUsage(database)
      await left
    },
    close: async (isActive: boolean) => {
      isClosed = true
      clearInterval(timer)
      await recounts.close()
      await left
      if (isActive) await write(true)
    },
  }
}

function knownOf({ counters }: Ledger) {
  return new Map(
    [...counters]
      .filter(([, { isCounted }]) => isCounted)
      .map(([folder, { usedBytes, reservedBytes, identity, dueMs }]) => [
        folder,
        { usedBytes, reservedBytes, identity, dueMs },
      ]),
  )
}

// Those of an earlier run, and those that were begun without a limit: they were let in.
async function holdUploads(
  volume: Volume,
  temps: Pick<TempRegistry, 'noted'>,
  ledger: Ledger,
  uploads: Map<string, Hold>,
): Promise<void> {
  const grant = (path: string, bytes: number) => {
    if (uploads.has(basename(path))) return
    const hold = ledger.hold(path)
    hold.raise(bytes, { isGranted: true })
    uploads.set(basename(path), hold)
  }
  for (const path of [...temps.noted().keys()]) {
    const declared = declaredIn(basename(path))
    if (declared) grant(path, declared.lengthBytes)
    else if (isPartsName(basename(path))) {
      const stats = await volume.statAt(path).catch(() => null)
      if (stats) grant(path, Number(stats.size))
    }
  }
}

/** The real path of a folder; where it is missing, the one that it would get. */
export async function realFolder(volume: Volume, folder: string): Promise<string> {
  let rest = ''
  for (let at = folder; ; at = dirname(at)) {
    try {
      return join(await volume.realpath(at), rest)
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || dirname(at) === at) return folder
      rest = join(basename(at), rest)
    }
  }
}
