// How far the heap of V8 grows before it is collected.
import { setFlagsFromString } from 'node:v8'

/**
 * Of the heap for objects that have lived for a while, V8 takes up to four times of what is in use before it collects: at
 * twice, listings of 100,000 files take as long, and 35 MB less.
 */
export const USUAL_GROWTH_PERCENT = 100
/** The first answer has left, and nobody has signed in yet. */
const SETTLED_MS = 250

/**
 * From now on the heap is collected when it has grown by so much of what is in use. To be called when what a start needs is
 * loaded: V8 takes what was compiled before, such as Node's own modules, only where it runs with the same flags.
 */
export function growHeapBy(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/** What a sign-in needs and no first answer. Of what is loaded after `growHeapBy` V8 compiles all anew. */
export function loadCrypto(): void {
  process.getBuiltinModule('node:crypto')
}

/** Lets the heap grow as usual, once the start is over. */
export function growHeapLater(): Disposable {
  const timer = setTimeout(() => {
    loadCrypto()
    growHeapBy(USUAL_GROWTH_PERCENT)
  }, SETTLED_MS).unref()
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
