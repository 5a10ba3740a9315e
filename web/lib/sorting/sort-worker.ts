// The worker that sorts very large folders, started with the first.

import { WorkerCalls } from '../worker-calls.ts'
import workerUrl from './sort.worker.ts?worker'

let worker: WorkerCalls | null = null

export function askWorker(question: object): Promise<Uint32Array> {
  worker ??= new WorkerCalls(workerUrl)
  return worker.ask(question)
}
