// How calls reach one file system. A local one is asked directly as long as it is quick. One that may
// stop answering (network, user space, unknown) is asked through the thread pool only, by few calls
// at a time, so that it never takes all threads; when it is silent its calls are refused.

export interface Device {
  /** `foreign` may stop answering; `kernel` is what the kernel makes up. */
  readonly kind: 'local' | 'kernel' | 'foreign'
  /** Calls may be made on the event loop, by `direct`. */
  readonly isDirect: boolean
  /** Makes a call on the event loop and measures it: a slow one ends isDirect for a while. */
  direct<T>(call: () => T): T
  /**
   * Makes a call that changes nothing. Rejects with EHOSTDOWN when the file system does not answer;
   * should the call end later, `discard` is given what it opened.
   */
  query<T>(call: () => Promise<T>, discard?: (late: T) => void): Promise<T>
  /**
   * Makes a call that the caller must see end, since it changes something or works on memory or a
   * descriptor of the caller's. Rejects with EHOSTDOWN before it began, never afterwards.
   */
  run<T>(call: () => Promise<T>): Promise<T>
  /** Makes a call that may wait but has to be made: closing. */
  release(call: () => Promise<void>): Promise<void>
}

/** The time after which a call is slow, and the device is asked whether it answers at all. */
const PATIENCE_MS = 600
/**
 * A direct call slower than this, or SAMPLE of them that took this long on average, ends isDirect. On a
 * busy machine a thread waits for its turn as long as for a disk, so one call alone says little.
 */
const SLOW_CALL_MS = 100
const SLOW_AVERAGE_MS = 4
const SAMPLE = 16
/** How long a slow local disk is asked through the pool. */
const SLOW_FOR_MS = 2_000

const call = <T>(made: () => T): T => made()

/** A file system of this machine's own: never refused, direct while it is quick. */
export function createLocalDevice(): Device {
  let slowUntilMs = 0
  let sampled = 0
  let sampleMs = 0
  const measure = (ms: number) => {
    sampleMs += ms
    sampled++
    if (ms > SLOW_CALL_MS || sampleMs > SAMPLE * SLOW_AVERAGE_MS)
      slowUntilMs = performance.now() + SLOW_FOR_MS
    if (sampled === SAMPLE || sampleMs > SAMPLE * SLOW_AVERAGE_MS) sampled = sampleMs = 0
  }
  return {
    kind: 'local',
    get isDirect() {
      return slowUntilMs === 0 || performance.now() > slowUntilMs
    },
    direct: (made) => {
      const startedAt = performance.now()
      try {
        return made()
      } finally {
        measure(performance.now() - startedAt)
      }
    },
    query: call,
    run: call,
    release: call,
  }
}

/** What the kernel makes up, such as /proc: it answers always, but is no disk. */
export function createKernelDevice(): Device {
  return { kind: 'kernel', isDirect: false, direct: call, query: call, run: call, release: call }
}

/** Calls in flight on all devices together that may stop answering. */
export interface InFlight {
  calls: number
  readonly maxCalls: number
}

/**
 * A file system that may stop answering. `probe` asks it something that it cannot answer from the
 * kernel's memory; how it ends does not matter. At most `maxCalls` are in flight, and the probe.
 */
export function createForeignDevice(
  probe: () => Promise<unknown>,
  { inFlight, maxCalls }: { inFlight: InFlight; maxCalls: number },
): Device {
  const waiting = new Set<{ go: () => void; refuse: ((error: Error) => void) | null }>()
  let calls = 0
  let probing: Promise<boolean> | null = null
  let isSilent = false
  let isWatching = false

  const answers = (): Promise<boolean> => {
    if (isSilent) return Promise.resolve(false)
    probing ??= new Promise((resolve) => {
      const timer = setTimeout(() => {
        isSilent = true
        for (const waiter of waiting) {
          if (!waiter.refuse) continue
          waiting.delete(waiter)
          waiter.refuse(unreachable())
        }
        resolve(false)
      }, PATIENCE_MS)
      const answered = () => {
        clearTimeout(timer)
        probing = null
        isSilent = false
        resolve(true)
      }
      probe().then(answered, answered)
    })
    return probing
  }

  // Whoever waits for a place learns that the device went silent meanwhile.
  const watchWaiting = () => {
    if (isWatching) return
    isWatching = true
    const look = async () => {
      await answers()
      isWatching = false
      if (waiting.size > 0) watchWaiting()
    }
    setTimeout(look, PATIENCE_MS).unref()
  }

  const enter = async (mayRefuse: boolean): Promise<void> => {
    if (mayRefuse && isSilent) throw unreachable()
    const hasPlace = inFlight.calls < inFlight.maxCalls || (calls === 0 && !mayRefuse)
    if (calls < maxCalls && hasPlace) {
      calls++
      inFlight.calls++
      return
    }
    // Others have all places, and no end of a call of this device's own would make room.
    if (calls === 0 && mayRefuse) throw unreachable()
    watchWaiting()
    await new Promise<void>((go, refuse) => waiting.add({ go, refuse: mayRefuse ? refuse : null }))
  }
  const leave = () => {
    const [next] = waiting
    if (next) {
      // It inherits the place.
      waiting.delete(next)
      next.go()
      return
    }
    calls--
    inFlight.calls--
  }

  const query = async <T>(made: () => Promise<T>, discard?: (late: T) => void): Promise<T> => {
    await enter(true)
    return new Promise<T>((resolve, reject) => {
      let isGivenUp = false
      let isEnded = false
      let timer: NodeJS.Timeout | undefined
      const check = async () => {
        timer = undefined
        const does = await answers()
        if (isEnded) return
        if (does) timer = setTimeout(check, PATIENCE_MS)
        else {
          isGivenUp = true
          reject(unreachable())
        }
      }
      const end = () => {
        isEnded = true
        clearTimeout(timer)
        leave()
      }
      timer = setTimeout(check, PATIENCE_MS)
      made().then(
        (value) => {
          end()
          if (isGivenUp) discard?.(value)
          else resolve(value)
        },
        (error) => {
          end()
          reject(error)
        },
      )
    })
  }
  const within = async <T>(mayRefuse: boolean, made: () => Promise<T>): Promise<T> => {
    await enter(mayRefuse)
    const slow = setTimeout(() => void answers(), PATIENCE_MS)
    try {
      return await made()
    } finally {
      clearTimeout(slow)
      leave()
    }
  }
  return {
    kind: 'foreign',
    isDirect: false,
    direct: call,
    query,
    run: (made) => within(true, made),
    release: (made) => within(false, made),
  }
}

// In the system's own words, so that it reads like a mount whose server has died.
function unreachable(): Error {
  return Object.assign(new Error('EHOSTDOWN: the disk does not answer'), { code: 'EHOSTDOWN' })
}
