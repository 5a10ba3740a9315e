// What the other nodes have taken of the feed. A change is answered when all of them know it, so that the next
// request finds it on whichever node it comes to.

/**
 * A node that has not said so by then is not waited for until it says something again: one that has not looked for so long
 * trusts nothing that it remembers.
 */
const WAIT_MS = 1_000

/** The channel by which nodes say what they have taken; those of an earlier version do not listen. */
export function takenChannel(schema: string): string {
  return `${schema} taken`
}

/** What a node says that it has taken: its id, a blank and the number. Null for anything else. */
export function parseTaken(payload: string): { node: string; rev: number } | null {
  const [, node, rev] = /^(\S+) (\d+)$/.exec(payload) ?? []
  return node === undefined ? null : { node, rev: Number(rev) }
}

export class Followers {
  readonly #others: () => readonly string[]
  /** The last change that a node has taken, by its id. */
  readonly #taken = new Map<string, number>()
  readonly #silent = new Set<string>()
  readonly #waiting = new Set<() => void>()

  /** `others` gives the ids of the nodes that serve besides this one. */
  constructor(others: () => readonly string[]) {
    this.#others = others
  }

  /** A node has taken all changes up to the number `rev`. */
  took(id: string, rev: number): void {
    this.#taken.set(id, Math.max(rev, this.#taken.get(id) ?? 0))
    this.#silent.delete(id)
    for (const look of [...this.#waiting]) look()
  }

  /** The feed is another one, with numbers of its own; nodes that are gone are forgotten too. */
  reset(): void {
    this.#taken.clear()
    this.#silent.clear()
  }

  /** Resolves when the other nodes have taken the change `rev`, or after a second. */
  async haveTaken(rev: number): Promise<void> {
    const missing = () =>
      this.#others().filter((id) => !this.#silent.has(id) && (this.#taken.get(id) ?? 0) < rev)
    if (missing().length === 0) return
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(look)
        resolve()
      }
      const look = () => {
        if (missing().length === 0) done()
      }
      const timer = setTimeout(() => {
        for (const id of missing()) this.#silent.add(id)
        done()
      }, WAIT_MS)
      this.#waiting.add(look)
    })
  }
}
