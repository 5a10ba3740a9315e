// Bodies that are read into memory before anything happens, while they are on their way. Whoever sends
// them slowly may hold only so many and so much; past that the one that has been waiting longest gives
// way, so that nobody can keep others from signing in: an ordinary body is whole within a moment.

/** Of one visitor or account, and of all together. Sizes in bytes. */
export interface BodyLimits {
  own: { count: number; bytes: number }
  all: { count: number; bytes: number }
}

const MIB = 1024 * 1024
const LIMITS: BodyLimits = {
  own: { count: 64, bytes: 12 * MIB },
  all: { count: 1_000, bytes: 64 * MIB },
}

export interface PendingBody {
  /** So many bytes are held by now. */
  hold(bytes: number): void
  end(): void
}

export interface PendingBodies {
  /** Notes a body of `owner`. `giveWay` is called when it has to go for others, and ends it. */
  begin(owner: string, giveWay: () => void): PendingBody
}

interface Entry {
  owner: string
  bytes: number
  giveWay: () => void
}

export function createPendingBodies(limits: BodyLimits = LIMITS): PendingBodies {
  // In the order of their beginning.
  const entries = new Set<Entry>()
  const owners = new Map<string, { count: number; bytes: number }>()
  const all = { count: 0, bytes: 0 }

  const add = ({ owner }: Entry, count: number, bytes: number) => {
    const own = owners.get(owner) ?? { count: 0, bytes: 0 }
    own.count += count
    own.bytes += bytes
    all.count += count
    all.bytes += bytes
    if (own.count === 0) owners.delete(owner)
    else owners.set(owner, own)
  }
  const remove = (entry: Entry) => {
    if (entries.delete(entry)) add(entry, -1, -entry.bytes)
  }
  const makeRoom = (newest: Entry) => {
    const isOver = (held: { count: number; bytes: number } | undefined, limit: BodyLimits['all']) =>
      held !== undefined && (held.count > limit.count || held.bytes > limit.bytes)
    const dropOldest = (isOne: (entry: Entry) => boolean) => {
      for (const entry of entries) {
        if (entry === newest || !isOne(entry)) continue
        remove(entry)
        entry.giveWay()
        return true
      }
      return false
    }
    while (isOver(owners.get(newest.owner), limits.own))
      if (!dropOldest(({ owner }) => owner === newest.owner)) break
    while (isOver(all, limits.all)) if (!dropOldest(() => true)) break
  }

  return {
    begin: (owner, giveWay) => {
      const entry: Entry = { owner, bytes: 0, giveWay }
      entries.add(entry)
      add(entry, 1, 0)
      makeRoom(entry)
      return {
        hold: (bytes) => {
          if (!entries.has(entry)) return
          add(entry, 0, bytes - entry.bytes)
          entry.bytes = bytes
          makeRoom(entry)
        },
        end: () => remove(entry),
      }
    },
  }
}
