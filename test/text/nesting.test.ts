import { expect, it } from 'vitest'
import { isNestedTooDeep } from '../../web/text/nesting.ts'
import { cpuMs, leastMs } from '../support/cpu-time.ts'

it.each([
  ['quotes', '>'.repeat(200_000)],
  ['quotes with blanks, further down', `words\n\n${'> '.repeat(300)}words`],
  ['lists', `${'- '.repeat(300)}x`],
  ['numbered lists and quotes', '1. > '.repeat(200)],
])('finds %s within each other that no parser should meet', (_what, text) => {
  expect(isNestedTooDeep(text)).toBe(true)
})

it('lets pass what people write', () => {
  const rule = '-'.repeat(1000)
  const stars = '*'.repeat(1000)
  const table = `${'| - '.repeat(1000)}|`
  const quoted = '> > > > words\n'.repeat(10_000)
  expect(isNestedTooDeep([rule, stars, table, quoted, '>'.repeat(250)].join('\n'))).toBe(false)
})

it('takes no longer for long lines of blanks and marks', async () => {
  const takenMs = await leastMs(2000, () =>
    cpuMs(() => {
      for (const piece of [' ', '- ', ' \t', '1) ', '9'])
        isNestedTooDeep(`x\n${piece.repeat(1_000_000)}\n`)
    }),
  )
  expect(takenMs).toBeLessThan(2000)
})
