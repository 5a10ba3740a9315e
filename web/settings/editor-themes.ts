// The editor themes to choose from: one entry per palette. What is stored is a theme name of File
// Browser 2 where one leads to the palette, so that the record stays readable for it.

import { aceThemes, paletteOf, palettes } from '../editor/code/palettes.ts'
import type { SelectOption } from '../ui/field.tsx'

/** `current` is in the list even when it is a name that nobody would be offered today. */
export function editorThemes(current: string): SelectOption[] {
  const options = palettes
    .filter((palette) => palette.dark !== null)
    .map((palette) => {
      const old = [...aceThemes].find(([, id]) => id === palette.id)?.[0]
      const own = current !== '' && paletteOf(current).id === palette.id
      return { value: own ? current : (old ?? palette.id), label: palette.name }
    })
  const known = current === '' || options.some((option) => option.value === current)
  return known ? options : [...options, { value: current, label: current }]
}
