// The record of a job, as it stands in a file of its own: what was asked, by whom, and how far it has come.
import { readdir, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArchiveFormat } from '../files/archive/formats.ts'
import type { ChecksumAlgorithm } from '../files/transfer/checksum.ts'
import { type Origin, timeOfId } from '../history/record.ts'
import type { Job, JobConflict, JobKind, JobState } from '../job-types.ts'
import { unless } from '../lib/errors.ts'
import type { VPath } from '../lib/vpath.ts'
import { replaceFile } from '../store/durable-file.ts'

export interface JobRequest {
  kind: JobKind
  items: VPath[]
  to: VPath | null
  conflict: JobConflict
  /** Whether a deletion goes into the trash; null where the server's setting says so. */
  trash: boolean | null
  how: JobHow
}

/** What only some kinds are told. */
export interface JobHow {
  /** Of the items, entries of the trash. */
  ids?: string[]
  /** What was deleted later stays in the trash. Milliseconds since the epoch. */
  untilMs?: number
  /** Where a copy or move goes, where that is not under the name of the item. */
  target?: VPath
  /** Permission bits. */
  mode?: number
  recursive?: boolean
  format?: ArchiveFormat
  /** A zip is packed, not only stored. */
  deflated?: boolean
  /** Of a file of sums that is made. */
  algorithm?: ChecksumAlgorithm
  /** The items are files of sums, which are compared. */
  check?: true
  /** Of an archive, what is to be unpacked; all without it. */
  entries?: string[]
  /** Of names in an archive that say nothing of theirs. */
  encoding?: string
  /** Of what is fetched: the address, and the name that the file is to get. */
  url?: string
  name?: string
  /** A password was given, which is nowhere but in memory. */
  hasPassword?: true
}

/** Who has asked for it. Rights are read from the account as it is at each moment. */
export interface JobOwner {
  userID: number
  /** Null for a person who has signed in. */
  tokenID: string | null
  /** The home in which the paths are meant. */
  home: string
  /** For the history and the audit log: id of the token, or first characters of the session. */
  session: string
  address: string
}

type Own = 'id' | 'state' | 'reason' | 'filesDone' | 'filesTotal' | 'bytesDone' | 'bytesTotal'

export interface JobRecord
  extends JobRequest,
    JobOwner,
    Pick<Job, Own | 'errors' | 'errorCount' | 'operation'> {
  /** How the history knows a request that has become a job. */
  origin?: Pick<Origin, 'via' | 'operation'>
  createdMs: number
  startedMs: number | null
  endedMs: number | null
}

/** The address that is fetched, without what may be a secret. */
export function shownUrl({ how: { url } }: Pick<JobRequest, 'how'>): string | undefined {
  return url?.replace(/[?#].*/s, '')
}

const ENDED: readonly JobState[] = ['done', 'failed', 'cancelled']

export function isEnded({ state }: Pick<JobRecord, 'state'>): boolean {
  return ENDED.includes(state)
}

/** The files of jobs: a folder with a record and a manifest for each. */
export function jobFilesOf(database: string) {
  const folder = `${database}.jobs`
  const recordOf = (id: string) => join(folder, `${id}.json`)
  const manifestOf = (id: string) => join(folder, `${id}.manifest`)
  return {
    folder,
    manifestOf,
    save: (record: JobRecord) =>
      replaceFile(recordOf(record.id), JSON.stringify(record), {
        like: database,
        keepsPrevious: false,
      }),
    /** All records, the oldest first; what is none, or belongs to none, is removed; what a disk does not give stays for the next start. */
    async load(): Promise<JobRecord[]> {
      const names = ((await readdir(folder).catch(unless('ENOENT'))) ?? []).sort()
      const records: JobRecord[] = []
      const ids = new Set<string>()
      for (const name of names.filter((each) => each.endsWith('.json'))) {
        const id = name.slice(0, -'.json'.length)
        const record = await readRecord(join(folder, name))
        if (record !== 'unreadable' && record?.id !== id) continue
        ids.add(id)
        if (record !== 'unreadable') records.push(record)
      }
      for (const name of names)
        if (!ids.has(name.replace(/\.(json|manifest)$/, '')))
          await unlink(join(folder, name)).catch(unless('ENOENT'))
      return records
    },
    /** Once nothing is to be gone on with. */
    async dropManifest(id: string): Promise<void> {
      await unlink(manifestOf(id)).catch(unless('ENOENT'))
    },
    async remove(id: string): Promise<void> {
      for (const path of [recordOf(id), manifestOf(id)]) await unlink(path).catch(unless('ENOENT'))
    },
  }
}

export type JobFiles = ReturnType<typeof jobFilesOf>

/** Null for what is no record of ours, such as one that was cut off. */
async function readRecord(path: string): Promise<JobRecord | 'unreadable' | null> {
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) return 'unreadable'
  try {
    const record = JSON.parse(text) as JobRecord
    record.how ??= {}
    return timeOfId(record.id) !== null && Array.isArray(record.items) ? record : null
  } catch {
    return null
  }
}
