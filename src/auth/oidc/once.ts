// What counts once: attempts that have come back, and logouts that were told.
import type { Kind, ShortLived } from '../../store/short-lived/short-lived.ts'

/** Strangers cause entries only with what the provider or this server has signed. */
const KIND: Kind<true> = { name: 'once', max: 10_000 }

/** True the first time a key is shown within its life, to whatever node. */
export type Once = (key: string, lifeMs: number) => Promise<boolean>

export function createOnce(all: ShortLived): Once {
  return (key, lifeMs) =>
    all.use(KIND, [key], ([cell]) => {
      if (cell?.value) return false
      cell?.put(true, lifeMs)
      return true
    })
}
