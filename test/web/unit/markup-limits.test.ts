import { describe, expect, it } from 'vitest'
import { createMarkupBudget, MAX_MARKUP_BYTES } from '../../../web/viewers/office/markup-limits.ts'

const tooLarge = expect.objectContaining({ reason: 'too_large' })
const spend = (...parts: string[]) => {
  const budget = createMarkupBudget()
  for (const part of parts) budget.spend(part)
}

describe('the markup a page can hold', () => {
  it('ends at a number of elements, boxes counted four times', () => {
    expect(() => spend('<w:p/>'.repeat(100_000))).not.toThrow()
    expect(() => spend('<w:p/>'.repeat(100_001))).toThrow(tooLarge)
    expect(() => spend('<b>x</b>'.repeat(400_000))).not.toThrow()
    expect(() => spend('<b>x</b>'.repeat(400_001))).toThrow(tooLarge)
  })

  it('ends at a number of bytes', () => {
    expect(() => spend('x'.repeat(MAX_MARKUP_BYTES))).not.toThrow()
    expect(() => spend('x'.repeat(MAX_MARKUP_BYTES + 1))).toThrow(tooLarge)
  })

  it('is shared by all parts of a document', () => {
    expect(() => spend('<w:p/>'.repeat(60_000), '<w:p/>'.repeat(60_000))).toThrow(tooLarge)
  })
})
