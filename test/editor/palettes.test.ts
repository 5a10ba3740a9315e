import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/build/paths.ts'
import { aceThemes, defaultPalette, paletteOf, palettes } from '../../web/editor/code/palettes.ts'

/** WCAG 2 contrast of two `#rrggbb` colours. */
function contrast(a: string, b: string): number {
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}

const TOKENS = readFileSync(join(ROOT, 'web/styles/tokens.css'), 'utf8')

/** What a token of the page is in a theme, as `#rrggbb`. */
function tokenOf(value: string, theme: 'light' | 'dark'): string {
  const name = /^var\((--[\w-]+)\)$/.exec(value)?.[1]
  if (name !== undefined)
    return tokenOf(new RegExp(`${name}: ([^;]+);`).exec(TOKENS)?.[1] ?? '', theme)
  const both = /^light-dark\((.+), (.+)\)$/.exec(value)
  return both ? tokenOf(both[theme === 'light' ? 1 : 2] ?? '', theme) : value
}

describe('palettes of the editor', () => {
  it.each(['light', 'dark'] as const)(
    'the default can be read in the line of the cursor, %s',
    (theme) => {
      const { id, name, dark, background, activeLine, selection, ...colours } = defaultPalette
      for (const ground of [background, activeLine])
        for (const colour of Object.values(colours))
          expect(
            contrast(tokenOf(ground, theme), tokenOf(colour, theme)),
            `${colour} on ${ground}`,
          ).toBeGreaterThanOrEqual(4.5)
    },
  )

  it.each(palettes.filter(({ dark }) => dark !== null))(
    '$name can be read: every colour of text has 4.5:1',
    (palette) => {
      const { background, text, comment, keyword, string, number, type, property, tag } = palette
      for (const colour of [
        text,
        comment,
        keyword,
        string,
        number,
        palette.function,
        type,
        property,
        tag,
      ]) {
        expect(contrast(background, colour), colour).toBeGreaterThanOrEqual(4.5)
      }
    },
  )

  it('knows every theme name of File Browser, and a dark one never leads to a light palette', () => {
    expect(aceThemes.size).toBeGreaterThanOrEqual(43)
    for (const [theme, id] of aceThemes) {
      expect(paletteOf(theme).id, theme).toBe(id)
      if (/night|dark|midnight|monokai|dracula|twilight|terminal/.test(theme)) {
        expect(paletteOf(theme).dark, theme).toBe(true)
      }
    }
  })

  it('takes spellings with spaces or a prefix, its own ids, and anything else for the default', () => {
    expect(paletteOf('ace/theme/solarized_dark').id).toBe('solarized-dark')
    expect(paletteOf('Solarized Dark').id).toBe('solarized-dark')
    expect(paletteOf('warm-paper').id).toBe('warm-paper')
    expect(paletteOf('')).toBe(defaultPalette)
    expect(paletteOf('no such theme')).toBe(defaultPalette)
  })
})
