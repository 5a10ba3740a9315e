// Unfinished uploads that go on with any node: what is known of each stands as the note of a lease, which whoever
// works on it holds. The bytes lie in a hidden file on the disk that all nodes share; its size is the offset.
import { basename } from 'node:path'
import type { Lease, Leases, NotesOptions } from '../../store/nodes/nodes.ts'
import type { TempFile } from '../volume/temp-file.ts'
import { type Declared, declaredIn } from '../volume/temp-name.ts'

const PREFIX = 'upload u'
/** An upload stays held for so long after a request, for the next one, unless another node asks for it and is heard. */
const IDLE_MS = 1_000

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
  hold(key: string, options?: HoldOptions): Promise<HeldUpload>
  /** What is known of it, whoever holds it. */
  look(key: string): Promise<NotedUpload | null>
  /** Of an account, or of all. */
  list(owner: number | null, options?: NotesOptions): Promise<NotedUpload[]>
  count(owner: number | null): Promise<number>
  /** To be told of a hidden file that was opened without being held. */
  seen(path: string): void
}

interface HoldOptions {
  waitMs?: number
  /** One that is about to be begun: written down with the lease where nothing is noted. `noted` is null still. */
  planned?: NotedUpload | undefined
}

interface Holding {
  readonly lease: Lease
  noted: NotedUpload | null
  /** What is written down. */
  text: string | null
}

interface Entry {
  readonly holding: Promise<Holding>
  users: number
  idle?: NodeJS.Timeout | undefined
}

/** `onRest` is told of the real path of a hidden file when this node lets go of it: another one may go on. */
export function createSharedUploads(
  leases: Leases,
  onRest: (path: string) => void = () => {},
): SharedUploads {
  /** Being taken, or held; and being let go. */
  const held = new Map<string, Entry>()
  const ending = new Map<string, Promise<void>>()

  const letGo = async (key: string, entry: Entry) => {
    clearTimeout(entry.idle)
    held.delete(key)
    const { lease, noted } = await entry.holding
    if (!noted) return lease.letGo()
    // It ends by itself otherwise.
    await lease.release(textOf(noted)).catch(() => {})
    onRest(noted.path)
  }
  const end = (key: string, entry: Entry) => {
    if (held.get(key) !== entry || entry.users > 0) return
    ending.set(
      key,
      letGo(key, entry).finally(() => ending.delete(key)),
    )
  }
  const release = async (key: string, entry: Entry) => {
    entry.users--
    const holding = await entry.holding
    const { lease, noted } = holding
    try {
      if (noted) await writeNote(holding, noted)
    } catch (error) {
      end(key, entry)
      throw error
    }
    if (!leases.isHeard()) {
      end(key, entry)
      // Another node would not be woken when it is free.
      return await ending.get(key)
    }
    if (!noted || lease.signal.aborted) return end(key, entry)
    if (entry.users === 0) entry.idle ??= setTimeout(() => end(key, entry), IDLE_MS).unref()
  }
  const take = async (key: string, { waitMs, planned }: HoldOptions): Promise<Holding> => {
    await ending.get(key)
    const plan = planned && textOf(planned)
    const lease = await leases.take(leaseKeyOf(key), {
      stops: true,
      ...(waitMs !== undefined && { waitMs }),
      ...(plan !== undefined && { note: plan }),
    })
    const { note } = lease
    return { lease, noted: note === null || note === plan ? null : read(note), text: note }
  }
  const begin = (key: string, options: HoldOptions): Entry => {
    const entry: Entry = { holding: take(key, options), users: 0 }
    held.set(key, entry)
    entry.holding.then(
      // Who works on it ends that, and lets go then.
      ({ lease }) => lease.signal.addEventListener('abort', () => end(key, entry)),
      () => held.delete(key),
    )
    return entry
  }
  return {
    hold: async (key, options = {}) => {
      const resting = held.get(key)
      // This process may have stood still.
      if (resting?.idle && !isHeld(await resting.holding)) end(key, resting)
      const entry = held.get(key) ?? begin(key, options)
      entry.users++
      clearTimeout(entry.idle)
      entry.idle = undefined
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

async function writeNote(holding: Holding, noted: NotedUpload): Promise<void> {
  const text = textOf(noted)
  if (text === holding.text) return
  await holding.lease.write(text)
  holding.text = text
}

function isHeld({ lease }: Holding): boolean {
  try {
    lease.demand()
    return true
  } catch {
    return false
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
      await writeNote(holding, holding.noted)
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
