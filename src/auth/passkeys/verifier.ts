// The thread that verifies passkeys: started with the first answer of an authenticator, ended when there are none for a
// while.
import type { Worker } from 'node:worker_threads'
import { AppError } from '../../lib/errors.ts'
import type { Threads } from '../../programs/threads.ts'
import type { PasskeyAnswer, PasskeyWork, Verified } from './passkey.worker.ts'

const IDLE_MS = 30_000
/** Verifying takes a millisecond, loading the library a second on a slow machine. */
const MAX_WAIT_MS = 30_000
const HEAP_LIMITS = { maxOldGenerationSizeMb: 128 }

export interface Verifier {
  /** Throws `wrong_credentials` with the reason for the log. */
  verify(work: PasskeyWork): Promise<Verified>
}

interface Thread {
  worker: Worker
  waiting: Map<number, PromiseWithResolvers<PasskeyAnswer>>
}

export function createVerifier(threads: Threads): Verifier {
  let thread: Thread | null = null
  let timer: NodeJS.Timeout | undefined
  let count = 0

  const end = async (ended: Thread | null, reason: Error) => {
    if (thread === ended) thread = null
    for (const { reject } of ended?.waiting.values() ?? []) reject(reason)
    ended?.waiting.clear()
    await ended?.worker.terminate()
  }
  const start = (): Thread => {
    const worker = threads.start(new URL('./passkey.worker.ts', import.meta.url), {
      resourceLimits: HEAP_LIMITS,
    })
    const started: Thread = { worker, waiting: new Map() }
    worker.on('message', (answer: PasskeyAnswer) => {
      started.waiting.get(answer.id)?.resolve(answer)
    })
    worker.on('error', (error) => void end(started, error as Error))
    worker.on('exit', () => void end(started, new Error('the thread that verifies passkeys ended')))
    worker.unref()
    return started
  }
  // One that hangs is ended as well as one that nobody needs.
  const endLater = (of: Thread) => {
    clearTimeout(timer)
    const ms = of.waiting.size > 0 ? MAX_WAIT_MS : IDLE_MS
    timer = setTimeout(() => void end(of, new Error('verifying a passkey took too long')), ms)
    timer.unref()
  }
  return {
    verify: async (work) => {
      thread ??= start()
      const own = thread
      const id = count++
      const answer = Promise.withResolvers<PasskeyAnswer>()
      own.waiting.set(id, answer)
      // Others that wait have set it, and each answer sets it anew.
      if (own.waiting.size === 1) endLater(own)
      own.worker.postMessage({ id, work })
      try {
        const given = await answer.promise
        if ('verified' in given) return given.verified
        throw new AppError('wrong_credentials', `passkey: ${given.refusal}`)
      } finally {
        own.waiting.delete(id)
        if (thread === own) endLater(own)
      }
    },
  }
}
