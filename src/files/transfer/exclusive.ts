// Work of which the newest counts.
import { AppError } from '../../lib/errors.ts'

interface Holder {
  /** Made when it is asked for: most have ended by then. */
  stop?: AbortController
  done: Promise<void>
}

/** Runs `work` once who came before is done; `stop` fires when somebody comes after. */
export type Exclusive = <T>(
  key: string,
  work: (stop: () => AbortSignal) => Promise<T>,
) => Promise<T>

/** One at a time per upload: whoever comes later stops the earlier one, which settles its write. */
export function createExclusive(): Exclusive {
  const holders = new Map<string, Holder>()
  const stopOf = (holder: Holder) => {
    holder.stop ??= new AbortController()
    return holder.stop
  }
  return async (key, work) => {
    for (let before = holders.get(key); before; before = holders.get(key)) {
      stopOf(before).abort(new AppError('conflict', 'a newer request took over this upload'))
      await before.done
    }
    const { promise: done, resolve: end } = Promise.withResolvers<void>()
    const holder: Holder = { done }
    holders.set(key, holder)
    try {
      return await work(() => stopOf(holder).signal)
    } finally {
      holders.delete(key)
      end()
    }
  }
}
