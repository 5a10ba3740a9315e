import { it } from 'vitest'
import { fuzz } from '../support/fuzz.ts'

it(
  'answers 200,000 strange requests without a failure, a leak or a change outside',
  async () => {
    await fuzz(200_000, 4_000)
  },
  30 * 60_000,
)
