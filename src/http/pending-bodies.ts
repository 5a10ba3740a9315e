// Bodies that are read into memory before anything happens, while they are on their way. Past a limit the
// one that has been waiting longest gives way, so that slow ones keep nobody from signing in.
import { createAllotment } from '../lib/allotment.ts'

/** Of one visitor or account, and of all together. Sizes in bytes. */
interface BodyLimits {
  own: { count: number; bytes: number }
  all: { count: number; bytes: number }
}

const MIB = 1024 * 1024
const LIMITS: BodyLimits = {
  own: { count: 64, bytes: 12 * MIB },
  all: { count: 1_000, bytes: 64 * MIB },
}

interface PendingBody {
  /** So many bytes are in memory by now. */
  hold(bytes: number): void
  end(): void
}

interface PendingBodies {
  /** Notes a body of `owner`. `giveWay` is called when it has to go for others, and ends it. */
  begin(owner: string, giveWay: () => void): PendingBody
}

export function createPendingBodies({ own, all }: BodyLimits = LIMITS): PendingBodies {
  const allotment = createAllotment<{ giveWay: () => void }>((body) => body.giveWay())
  return {
    begin: (owner, giveWay) => {
      const body = { giveWay }
      const hold = (bytes: number) => {
        allotment.charge(
          body,
          new Map([
            [`bodies of ${owner}`, { amount: 1, limit: own.count }],
            [`bytes of ${owner}`, { amount: bytes, limit: own.bytes }],
            ['bodies', { amount: 1, limit: all.count }],
            ['bytes', { amount: bytes, limit: all.bytes }],
          ]),
        )
        allotment.makeRoom(body)
      }
      hold(0)
      return {
        hold: (bytes) => {
          if (allotment.has(body)) hold(bytes)
        },
        end: () => allotment.release(body),
      }
    },
  }
}
