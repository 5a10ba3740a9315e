// Where several nodes share the records, what is known of a file in parts stands as the note of a lease: it is held
// by who begins it, puts it together or gives it up. Parts come to all nodes at the same time, each of which
// collects in a hidden file of its own.
import { dirname } from 'node:path'
import { toVPath, type VPath } from '../../lib/vpath.ts'
import type { Leases, NotesOptions } from '../../store/nodes/nodes.ts'

const PREFIX = 'parts u'

export interface NotedParts {
  /** Begins the name of each hidden file. */
  label: string
  /** An entry beside which they are, as the account sees it. */
  beside: VPath
  /** The real path of their folder. */
  folder: string
}

export interface OwnedParts extends NotedParts {
  /** The account, and where to, as far as that was known. */
  owner: number
  vpath: VPath
}

export interface HeldParts {
  noted: NotedParts | null
  /** Lets go of it; what `noted` is then is known from there on. */
  release(): Promise<void>
}

export interface SharedParts {
  /** Of this run of this node, for the names of its files. */
  readonly suffix: string
  look(owner: number, label: string): Promise<NotedParts | null>
  /** Throws `locked` where another node holds it. */
  hold(owner: number, label: string): Promise<HeldParts>
  list(options: NotesOptions): Promise<OwnedParts[]>
  count(owner: number): Promise<number>
  /** To be told of each hidden file that is opened, and closed. */
  opened(path: string): void
  closed(path: string): void
}

/** `onRest` is told of the real path of a hidden file that nobody here has open any more: any node may put it together or sweep it. */
export function createSharedParts(
  leases: Leases,
  nodeID: string,
  onRest: (path: string) => void,
): SharedParts {
  /** How many have it open, by path. */
  const open = new Map<string, number>()
  const keyOf = (owner: number, label: string) => `${PREFIX}${owner} ${label}`
  return {
    suffix: `-${nodeID.slice(0, 8)}`,
    look: async (owner, label) => {
      const [found] = await leases.notes(keyOf(owner, label))
      return found ? read(found.note) : null
    },
    hold: async (owner, label) => {
      const lease = await leases.take(keyOf(owner, label), { stops: false, waitMs: 0 })
      const held = {
        noted: lease.note === null ? null : read(lease.note),
        release: () => lease.release(held.noted && JSON.stringify(held.noted)),
      }
      return held
    },
    list: async (options) => {
      const notes = await leases.notes(PREFIX, options)
      return notes.flatMap(({ key, note }) => {
        const noted = read(note)
        const owner = Number.parseInt(key.slice(PREFIX.length), 10)
        return noted ? { ...noted, owner, vpath: noted.beside } : []
      })
    },
    count: (owner) => leases.count(`${PREFIX}${owner} `),
    opened: (path) => void open.set(path, (open.get(path) ?? 0) + 1),
    closed: (path) => {
      const left = (open.get(path) ?? 1) - 1
      if (left > 0) return void open.set(path, left)
      open.delete(path)
      onRest(path)
    },
  }
}

/** Of a hidden file at this real path. */
export function notedParts(label: string, beside: VPath, path: string): NotedParts {
  return { label, beside, folder: dirname(path) }
}

// What a later version notes in another way is unknown here.
function read(text: string): NotedParts | null {
  const { label, beside, folder } = JSON.parse(text) as Record<string, unknown>
  if (typeof label !== 'string' || typeof beside !== 'string' || typeof folder !== 'string')
    return null
  const vpath = toVPath(beside)
  return vpath === null ? null : { label, beside: vpath, folder }
}
