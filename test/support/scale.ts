// How much of a large table of cases to try: `npm test` takes a part, `npm run test:long` everything.

/** True in the long run (set by vitest.config.ts). */
export const LONG = process.env.LONG_TESTS === '1'

/** In the quick run every `share`-th case, beginning with number `first`; all of them in the long run. */
export function someOf<T>(cases: readonly T[], share: number, first = 0): T[] {
  return cases.filter((_, index) => LONG || index % share === first)
}
