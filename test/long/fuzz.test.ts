import { it } from 'vitest'
import { fuzz } from '../support/fuzz.ts'
import { fuzzShell } from '../support/fuzz-shell.ts'

it(
  'answers 200,000 strange requests without a failure, a leak or a change outside',
  async () => {
    await fuzz(200_000, 4_000)
  },
  30 * 60_000,
)

it(
  'ends 20,000 shell connections with strange frames as it should, and leaves no program',
  () => fuzzShell(20_000),
  30 * 60_000,
)
