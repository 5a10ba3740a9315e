// Questions that go together: those that come while one is on its way are asked with the next one.

interface Waiting<T, R> {
  readonly item: T
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

const MAX_TOGETHER = 500
/** What nobody waits for is asked this much later, with others. */
const LATER_MS = 25

/** `ask` gives the result of each item, in their order. No two of one key are asked together. */
export class Batches<T extends { readonly key: string }, R> {
  readonly #ask: (items: readonly T[]) => Promise<R[]>
  #waiting: Waiting<T, R>[] = []
  #asking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(ask: (items: readonly T[]) => Promise<R[]>) {
    this.#ask = ask
  }

  /** Rejects with what the question was answered with. */
  add(item: T, { isLater = false } = {}): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (!isLater) void this.hurry()
      else if (!this.#asking) this.#timer ??= setTimeout(() => void this.hurry(), LATER_MS).unref()
    })
  }

  /** Asks now; resolves when all that had been added are answered. */
  hurry(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #askAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const together = this.#next()
      try {
        const results = await this.#ask(together.map(({ item }) => item))
        for (const [at, { resolve }] of together.entries()) resolve(results[at] as R)
      } catch (error) {
        for (const { reject } of together) reject(error)
      }
    }
  }

  #next(): Waiting<T, R>[] {
    const keys = new Set<string>()
    const together: Waiting<T, R>[] = []
    const later: Waiting<T, R>[] = []
    for (const one of this.#waiting) {
      const goes = together.length < MAX_TOGETHER && !keys.has(one.item.key)
      if (goes) keys.add(one.item.key)
      ;(goes ? together : later).push(one)
    }
    this.#waiting = later
    return together
  }
}
