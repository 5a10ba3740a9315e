// Counts what takers use of limited amounts, such as memory, and lets some give way when it is too much.

/** By account, such as a visitor or `all`, what is taken of it and how much may be. */
type Charges = ReadonlyMap<string, { readonly amount: number; readonly limit: number }>

export interface Allotment<T> {
  has(taker: T): boolean
  /** Oldest first. */
  takers(): readonly T[]
  /** Counts a taker, or counts anew what it takes. */
  charge(taker: T, charges: Charges): void
  release(taker: T): void
  /**
   * Releases other takers as long as an account of this one is over its limit: those that `choose` picks
   * of all with that account. False when it picks none. Alone in its accounts a taker has any amount.
   */
  makeRoom(taker: T, choose?: (others: readonly T[]) => T | undefined): boolean
}

/** `onGiveWay` ends who is released for others. */
export function createAllotment<T extends object>(
  onGiveWay: (taker: T) => void = () => {},
): Allotment<T> {
  const takers = new Map<T, Charges>()
  const taken = new Map<string, number>()

  const count = (charges: Charges | undefined, sign: 1 | -1) => {
    for (const [account, { amount }] of charges ?? []) {
      const sum = (taken.get(account) ?? 0) + sign * amount
      if (sum > 0) taken.set(account, sum)
      else taken.delete(account)
    }
  }
  const release = (taker: T) => {
    count(takers.get(taker), -1)
    takers.delete(taker)
  }
  return {
    has: (taker) => takers.has(taker),
    takers: () => [...takers.keys()],
    charge: (taker, charges) => {
      count(takers.get(taker), -1)
      takers.set(taker, charges)
      count(charges, 1)
    },
    release,
    makeRoom: (taker, choose = ([oldest]) => oldest) => {
      for (const [account, { limit }] of takers.get(taker) ?? [])
        while ((taken.get(account) ?? 0) > limit) {
          const others = [...takers].filter(([other, its]) => other !== taker && its.has(account))
          if (others.length === 0) break
          const chosen = choose(others.map(([other]) => other))
          if (!chosen) return false
          release(chosen)
          onGiveWay(chosen)
        }
      return true
    },
  }
}
