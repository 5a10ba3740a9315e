// Questions to a worker, each with its answer: `{ id, … }` goes out, `{ id, value }` or
// `{ id, failed }` comes back.

interface Answer {
  id: number
  value?: unknown
  failed?: unknown
}

/** The worker could not answer; `reason` is what it sent, null when it ended. */
export class WorkerFailure extends Error {
  override name = 'WorkerFailure'
  readonly reason: unknown

  constructor(reason: unknown) {
    super('the worker failed')
    this.reason = reason
  }
}

/** In the worker: answers what the page asks. `reasonOf` gives what the page hears of a failure. */
export function answerCalls<Question>(
  answer: (question: Question) => unknown,
  reasonOf: (error: unknown) => unknown = String,
): void {
  self.onmessage = ({ data }: MessageEvent<Question & { id: number }>) => {
    try {
      self.postMessage({ id: data.id, value: answer(data) } satisfies Answer)
    } catch (error) {
      self.postMessage({ id: data.id, failed: reasonOf(error) } satisfies Answer)
    }
  }
}

export class WorkerCalls {
  readonly #worker: Worker
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #lastId = 0

  constructor(url: string) {
    this.#worker = new Worker(url, { type: 'module' })
    this.#worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      this.#waiting.get(data.id)?.(data)
      this.#waiting.delete(data.id)
    }
    // Out of memory, or a worker that could not start: whoever waits must hear of it.
    this.#worker.onerror = () => {
      for (const [id, settle] of this.#waiting) settle({ id, failed: null })
      this.#waiting.clear()
    }
  }

  close(): void {
    this.#worker.terminate()
    this.#waiting.clear()
  }

  /** @throws WorkerFailure */
  ask<T>(question: object, transfer: Transferable[] = []): Promise<T> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (answer) => {
        if ('failed' in answer) reject(new WorkerFailure(answer.failed))
        else resolve(answer.value as T)
      })
      this.#worker.postMessage({ id, ...question }, transfer)
    })
  }
}
