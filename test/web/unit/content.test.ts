import { expect, it } from 'vitest'
import { fetchRange } from '../../../web/api/content.ts'

it('does not ask for a range without bytes: there is none that could be written', async () => {
  // Nothing listens anywhere in this test: a request would fail.
  const bytes = await fetchRange('/raw/pack.zip', 70, 70, {}, new AbortController().signal)
  expect(bytes.byteLength).toBe(0)
})
