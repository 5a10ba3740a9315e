// Where memory is short: gives back what is garbage before the system ends the process.
import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isExecutable } from '../inside.ts'
import { isMemoryShort, memoryLimitBytes } from '../lib/memory/memory-limit.ts'
import { growHeapBy, growHeapLater, loadCrypto } from './heap-growth.ts'

/** A folder of 100,000 files that is listed takes fifty megabytes in so many tenths of a second. */
const LOOK_MS = 100
/** Parts of the limit: below the first nothing is collected, and not again before so much has come since the last time. */
const QUIET_PART = 0.4
const GROWN_PART = 0.15
/** Collecting holds everything up for some 50 ms: it takes no more than one part in so many of the time. */
const MIN_PAUSE = 10
const SHORT_GROWTH_PERCENT = 50
const PAGE_BYTES = 4096
const ARENAS = 'MALLOC_ARENA_MAX'

/**
 * On Linux, where memory is short (`docs/deploy.md`): the heap grows by half before it is collected, and once this process
 * and its decoders hold much, all garbage is collected and given back to the system. V8 itself keeps the pages of it for
 * some ten seconds, and collects only for its own heap, whatever else needs the memory. Elsewhere the heap grows as usual.
 */
export function watchShortMemory(): Disposable {
  if (process.platform !== 'linux' || !isMemoryShort()) return growHeapLater()
  const limitBytes = memoryLimitBytes()
  const collect = collector()
  let restBytes = 0
  let next = 0
  const look = () => {
    const bytes = heldBytes()
    if (bytes < restBytes) restBytes = bytes
    const isMuch = bytes > Math.max(limitBytes * QUIET_PART, restBytes + limitBytes * GROWN_PART)
    const begun = performance.now()
    if (!isMuch || begun < next) return
    collect({ type: 'major', flavor: 'last-resort' })
    restBytes = heldBytes()
    const ended = performance.now()
    next = ended + MIN_PAUSE * (ended - begun)
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** By flags that V8 reads as it runs: given at the start, they would have it refuse the code compiled before. */
function collector(): NodeJS.GCFunction {
  loadCrypto()
  growHeapBy(SHORT_GROWTH_PERCENT)
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as NodeJS.GCFunction
}

/** What this process and those that decode for it have and the system cannot read again from a file. */
function heldBytes(): number {
  const children = textOf(`self/task/${process.pid}/children`).split(' ').filter(Boolean)
  return ['self', ...children].reduce((sum, process) => sum + ownBytes(process), 0)
}

/** See proc(5), statm; 0 for a process that has ended. */
function ownBytes(process: string): number {
  const [, resident = 0, shared = 0] = textOf(`${process}/statm`).split(' ')
  return (Number(resident) - Number(shared)) * PAGE_BYTES
}

function textOf(file: string): string {
  try {
    return readFileSync(`/proc/${file}`, 'latin1')
  } catch {
    return ''
  }
}

/**
 * Where memory is short, the executable begins anew as the same process with `MALLOC_ARENA_MAX=1`, unless the variable is
 * set: else glibc keeps what each thread has freed for that thread, some 20 to 50 MB. Only the environment of a start says
 * so. To be called before anything is open.
 */
export function keepOneArena(env: NodeJS.ProcessEnv): void {
  if (process.platform !== 'linux' || !isExecutable || env[ARENAS] !== undefined) return
  if (!isMemoryShort()) return
  try {
    process.execve?.(process.execPath, [process.argv0, ...process.argv.slice(2)], {
      ...env,
      [ARENAS]: '1',
    })
  } catch {
    // Its file has been replaced since, or may not be read: it goes on as it is.
  }
}
