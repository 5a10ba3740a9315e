// Preloaded into a server that is measured (NODE_OPTIONS=--require): on SIGUSR2 it tells on stderr for how long the event
// loop was held at most since the last time, and how much the heap has after a collection. What the thread waited for a
// processor, which others had, does not count (/proc/<pid>/schedstat).
import { openSync, readSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const TICK_MS = 5
const NS_IN_MS = 1_000_000

if (isMainThread) {
  const buffer = Buffer.alloc(100)
  const fd = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const waitedMs = () => {
    const length = readSync(fd, buffer, 0, buffer.length, 0)
    return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / NS_IN_MS
  }
  let lastMs = performance.now()
  let lastWaitedMs = waitedMs()
  let heldMs = 0
  const look = () => {
    const [nowMs, nowWaitedMs] = [performance.now(), waitedMs()]
    heldMs = Math.max(heldMs, nowMs - lastMs - TICK_MS - (nowWaitedMs - lastWaitedMs))
    lastMs = nowMs
    lastWaitedMs = nowWaitedMs
  }
  setInterval(look, TICK_MS).unref()
  process.on('SIGUSR2', () => {
    look()
    const told = heldMs
    globalThis.gc?.()
    const { heapUsed, external, arrayBuffers } = process.memoryUsage()
    const heapBytes = heapUsed + Math.max(external, arrayBuffers)
    process.stderr.write(`watched ${JSON.stringify({ heldMs: told, heapBytes })}\n`)
    lastMs = performance.now()
    lastWaitedMs = waitedMs()
    heldMs = 0
  })
}
