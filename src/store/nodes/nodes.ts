// What nodes that serve from one database know of each other; see store/postgres/nodes.ts.
import type { Logger } from '../../lib/log.ts'

/** `draining`: it is about to stop; `gone`: it has not been seen for ten seconds. */
export type NodeState = 'ready' | 'draining' | 'gone'

export interface NodeFacts {
  /** Of one run of the program. */
  id: string
  name: string
  version: string
  state: NodeState
  startedAt: Date
  seenAt: Date
  /** It does what is done by one for all. */
  leader: boolean
  /** How old what it knew of the records was, when it was last seen. */
  lagMs: number
}

export interface Nodes {
  /** Of this run; another one of the same name has another. */
  readonly id: string
  /** As people know it. */
  readonly name: string
  readonly leases: Leases
  /** Takes part from now on. Rejects with AppError `records_unavailable`. */
  join(node: { version: string; log: Logger }): Promise<void>
  /** How old what this one knows of the records is, in milliseconds. */
  lagMs(): number
  /** True while this one does what is done by one for all. */
  isLeading(): boolean
  /** From now on it is about to stop, and does not lead. */
  drain(): void
  /** Oldest first. Rejects with `records_unavailable`. */
  list(): Promise<NodeFacts[]>
  /**
   * Has `task` run on the node that leads, when it begins to and then every `everyMs`. One that fails is
   * logged and runs again at its next time.
   */
  whileLeading(task: () => Promise<void>, everyMs: number): void
}

/** Something that one node at a time works on. */
export interface Lease {
  /** What the last holder has written down; null for nothing. */
  readonly note: string | null
  /** Fires when somebody else asks for it, and when it could not be renewed, before it ends. */
  readonly signal: AbortSignal
  /**
   * Throws `records_unavailable` when it is not held any more: to be asked right before what others must not see done
   * late. Who is asked to stop still holds it.
   */
  demand(): void
  /** Writes down what the next holder is to know. Rejects when it is lost. */
  write(note: string): Promise<void>
  /** Gives it up, with what the next holder is to know, or null for nothing. Rejects when that cannot be written down. */
  release(note: string | null): Promise<void>
  /** Gives it up with nothing for the next holder, beside other things and some moments later: nobody waits for that. */
  letGo(): void
}

export interface TakeOptions {
  stops: boolean
  note?: string
  /** How long to wait for a holder that is there; without it until it lets go. */
  waitMs?: number
}

export interface NotesOptions {
  /** Those that nobody has held for so long. */
  restedMs?: number
  /** Those whose last holder is gone and has not let go of them. */
  isLeft?: boolean
}

export interface Leases {
  /**
   * Takes the lease of a key of at most 200 characters, once its holder has let it go or has not renewed it for ten
   * seconds. With `stops` the holder is asked to stop. `note` is written down where there is none yet. A node may not
   * ask for a key that it holds. Throws `locked` after `waitMs`.
   */
  take(key: string, options: TakeOptions): Promise<Lease>
  /** The notes of keys that begin so. At most 10,000, those that were held the longest time ago. */
  notes(prefix: string, options?: NotesOptions): Promise<LeaseNote[]>
  /** How many such notes there are. */
  count(prefix: string): Promise<number>
  /** Whether a holder that another node asks to stop learns that at once; else within some seconds. */
  isHeard(): boolean
}

export interface LeaseNote {
  key: string
  note: string
}
