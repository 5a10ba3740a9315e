import { describe, expect, it } from 'vitest'
import { contrast, isHexColour, readableOn } from '../../../web/lib/colour.ts'

describe('colour', () => {
  it('knows the contrast of black and white', () => {
    expect(contrast('#000', '#ffffff')).toBeCloseTo(21)
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  })

  it('puts white on dark fills and dark text on light ones', () => {
    expect(readableOn('#2466dc')).toBe('#ffffff')
    expect(readableOn('#ffd400')).toBe('#141b26')
  })

  it.each(['blue', '#12', '#12345g', '', '#1234567', 'url(x)'])('refuses %j', (text) => {
    expect(isHexColour(text)).toBe(false)
  })
})
