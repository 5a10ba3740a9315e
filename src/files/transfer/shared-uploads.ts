// Unfinished uploads that go on with any node: what is known of each stands as the note of a lease, which whoever
// works on it holds. The bytes lie in a hidden file on the disk that all nodes share; its size is the offset.
import { basename } from 'node:path'
import type { Lease, Leases, NotesOptions } from '../../store/nodes/nodes.ts'
import type { TempFile } from '../volume/temp-file.ts'
import { type Declared, declaredIn } from '../volume/temp-name.ts'

const PREFIX = 'upload u'

/** An upload that is noted. */
export interface NotedUpload extends Declared {
  /** Its destination and account, see keyOf in upload-names.ts. */
  key: string
  tempName: string
  /** The account, and where to, as it saw that when it began. */
  owner: number
  vpath: string
  /** Real path of the hidden file. */
  path: string
  /** What runs before it is put in place has begun to. */
  isTried: boolean
}

/** Held by one request of this node; those of one upload hold the same. */
export interface HeldUpload {
  /** What was known of it when it was taken, and what is to be known once all have let it go. */
  noted: NotedUpload | null
  /** See Lease. */
  readonly signal: AbortSignal
  demand(): void
  /** Writes down at once that it is tried. */
  claim(): Promise<void>
  /** The same for something that goes on beside it. */
  again(): HeldUpload
  /** Does nothing a second time. Rejects when what is new cannot be written down. */
  release(): Promise<void>
}

export interface SharedUploads {
  /** Takes it for this node, and asks another one to stop; throws `locked` after `waitMs`. */
  hold(key: string, options?: { waitMs?: number }): Promise<HeldUpload>
  /** What is known of it, whoever holds it. */
  look(key: string): Promise<NotedUpload | null>
  /** Of an account, or of all. */
  list(owner: number | null, options?: NotesOptions): Promise<NotedUpload[]>
  count(owner: number | null): Promise<number>
  /** To be told of a hidden file that was opened without being held. */
  seen(path: string): void
}

interface Holding {
  readonly lease: Lease
  noted: NotedUpload | null
}

interface Entry {
  readonly holding: Promise<Holding>
  users: number
}

/** `onRest` is told of the real path of a hidden file when this node lets go of it: another one may go on. */
export function createSharedUploads(
  leases: Leases,
  onRest: (path: string) => void = () => {},
): SharedUploads {
  /** Being taken, or held; and being let go. */
  const held = new Map<string, Entry>()
  const ending = new Map<string, Promise<void>>()

  const letGo = async ({ lease, noted }: Holding) => {
    const text = noted && textOf(noted)
    try {
      await lease.release(text)
    } catch (error) {
      // What is new has to be known. The rest ends by itself, and what is gone shows on the disk.
      if (text !== null && text !== lease.note) throw error
    }
    if (noted) onRest(noted.path)
  }
  const release = async (key: string, entry: Entry) => {
    entry.users--
    if (entry.users > 0) return
    held.delete(key)
    const end = entry.holding.then(letGo).finally(() => ending.delete(key))
    ending.set(key, end)
    await end
  }
  const take = async (key: string, waitMs: number | undefined): Promise<Holding> => {
    await ending.get(key)?.catch(() => {})
    const lease = await leases.take(leaseKeyOf(key), {
      stops: true,
      ...(waitMs !== undefined && { waitMs }),
    })
    return { lease, noted: lease.note === null ? null : read(lease.note) }
  }
  const begin = (key: string, waitMs: number | undefined): Entry => {
    const entry = { holding: take(key, waitMs), users: 0 }
    held.set(key, entry)
    entry.holding.catch(() => held.delete(key))
    return entry
  }
  return {
    hold: async (key, { waitMs } = {}) => {
      const entry = held.get(key) ?? begin(key, waitMs)
      entry.users++
      return heldBy(entry, await entry.holding, () => release(key, entry))
    },
    look: async (key) => {
      const [found] = await leases.notes(leaseKeyOf(key))
      return found ? read(found.note) : null
    },
    list: async (owner, options) => {
      const notes = await leases.notes(prefixOf(owner), options)
      return notes.flatMap(({ note }) => read(note) ?? [])
    },
    count: (owner) => leases.count(prefixOf(owner)),
    seen: (path) => {
      const { key = '' } = declaredIn(basename(path)) ?? {}
      if (!held.has(key)) onRest(path)
    },
  }
}

function heldBy(entry: Entry, holding: Holding, end: () => Promise<void>): HeldUpload {
  const { lease } = holding
  let isOver = false
  return {
    get noted() {
      return holding.noted
    },
    set noted(noted) {
      holding.noted = noted
    },
    signal: lease.signal,
    demand: lease.demand,
    claim: async () => {
      if (!holding.noted) return
      holding.noted = { ...holding.noted, isTried: true }
      await lease.write(textOf(holding.noted))
    },
    again: () => {
      entry.users++
      return heldBy(entry, holding, end)
    },
    release: async () => {
      if (isOver) return
      isOver = true
      await end()
    },
  }
}

/** A hidden file that is written only while its upload is held, which lasts until it is released. */
export function heldTemp(temp: TempFile, held: HeldUpload): TempFile {
  return {
    ...temp,
    write: async (...bytes) => {
      held.demand()
      await temp.write(...bytes)
    },
    truncate: async (sizeBytes) => {
      held.demand()
      await temp.truncate(sizeBytes)
    },
    release: async () => {
      try {
        await temp.release()
      } finally {
        await held.release()
      }
    },
  }
}

/** The account first, so that its uploads are found together. */
function leaseKeyOf(key: string): string {
  const [place, owner] = key.split('-u')
  return `${PREFIX}${owner} ${place}`
}

function prefixOf(owner: number | null): string {
  return owner === null ? PREFIX : `${PREFIX}${owner} `
}

function textOf({ owner, vpath, path, isTried }: NotedUpload): string {
  return JSON.stringify({ owner, vpath, path, ...(isTried && { isTried }) })
}

// What a later version notes in another way is unknown here.
function read(text: string): NotedUpload | null {
  const { owner, vpath, path, isTried } = JSON.parse(text) as Record<string, unknown>
  if (typeof owner !== 'number' || typeof vpath !== 'string' || typeof path !== 'string')
    return null
  const tempName = basename(path)
  const declared = declaredIn(tempName)
  return declared && { ...declared, tempName, owner, vpath, path, isTried: isTried === true }
}
