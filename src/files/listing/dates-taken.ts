// When the photographs in a folder were taken, for those who ask: each file has to be opened.
import { AppError } from '../../lib/errors.ts'
import { suffixOf } from '../../lib/vpath.ts'
import { mayHaveDate, readDateTaken } from '../pictures/date-taken.ts'
import type { Scope } from '../place/scope.ts'

type Folder = Parameters<Scope['openFolder']>[0]

export interface TakenEntry {
  name: string
  /** In the time of the place, without a zone. */
  taken: string
}

const READS_IN_FLIGHT = 16
/** Files of one batch, which is sent when it is read. */
const BATCH = 128

/**
 * The photographs in `folder` that tell when they were taken and may be downloaded, in batches; with `names` of
 * those alone. Links are left out.
 */
export async function* datesTaken(
  scope: Scope,
  folder: Folder,
  { names, signal }: { names: ReadonlySet<string> | null; signal: AbortSignal },
): AsyncGenerator<TakenEntry[]> {
  const reader = await scope.openFolder(folder)
  try {
    const entries = (await reader.list()).filter(
      ({ name, kind }) =>
        kind === 'file' &&
        (names === null || names.has(name)) &&
        mayHaveDate(suffixOf(name).slice(1).toLowerCase()),
    )
    const dateOf = async (entry: (typeof entries)[number]): Promise<TakenEntry | null> => {
      const file = await reader.openRead(entry).catch((error: unknown) => {
        // Gone meanwhile, or not for this account.
        if (error instanceof AppError) return null
        throw error
      })
      if (!file) return null
      try {
        const taken = await readDateTaken(file.handle)
        return taken === null ? null : { name: entry.name, taken }
      } finally {
        await file.handle.close()
      }
    }
    for (let from = 0; from < entries.length; from += BATCH) {
      const batch: TakenEntry[] = []
      const end = Math.min(from + BATCH, entries.length)
      for (let at = from; at < end; at += READS_IN_FLIGHT) {
        signal.throwIfAborted()
        const found = await Promise.all(
          entries.slice(at, Math.min(at + READS_IN_FLIGHT, end)).map(dateOf),
        )
        batch.push(...found.filter((one) => one !== null))
      }
      yield batch
    }
  } finally {
    await reader.close()
  }
}
