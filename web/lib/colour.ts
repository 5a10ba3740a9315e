// The accent colour of an instance: white text on it when that can be read, dark text otherwise.

const DARK = '#141b26'

export function isHexColour(text: string): boolean {
  return /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)
}

function channels(hex: string): number[] {
  const digits =
    hex.length === 4 ? [...hex.slice(1)].map((char) => char + char).join('') : hex.slice(1)
  return [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16) / 255)
}

/** Relative luminance of WCAG 2, 0 to 1. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = channels(hex).map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Contrast of WCAG 2, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

/** White or near black, whichever text on `fill` is to have. */
export function readableOn(fill: string): string {
  return contrast(fill, '#ffffff') >= 4.5 ? '#ffffff' : DARK
}

/** Makes `fill` the accent of the whole interface; anything but a colour leaves the default. */
export function applyAccent(fill: string): void {
  const root = document.documentElement.style
  const names = [
    '--blue',
    '--dark-blue',
    '--on-fill',
    '--accent',
    '--accent-text',
    '--item-selected',
  ]
  for (const name of [...names, '--accent-soft-hover', '--accent-line']) root.removeProperty(name)
  if (!isHexColour(fill)) return
  const mix = (percent: number, other: string) =>
    `color-mix(in oklab, ${fill} ${percent}%, ${other})`
  root.setProperty('--blue', fill)
  root.setProperty('--dark-blue', mix(86, 'black'))
  root.setProperty('--on-fill', readableOn(fill))
  // Links and marks are text: darkened or lightened until they can be read on the sheet.
  const onLight = contrast(fill, '#ffffff') >= 4.5 ? fill : mix(55, 'black')
  const onDark = contrast(fill, '#151920') >= 4.5 ? fill : mix(55, 'white')
  root.setProperty('--accent', `light-dark(${onLight}, ${onDark})`)
  root.setProperty('--accent-text', `light-dark(${mix(60, 'black')}, ${mix(42, 'white')})`)
  root.setProperty('--item-selected', `light-dark(${mix(13, 'white')}, ${mix(28, '#151920')})`)
  root.setProperty('--accent-soft-hover', `light-dark(${mix(20, 'white')}, ${mix(36, '#151920')})`)
  root.setProperty('--accent-line', `light-dark(${mix(38, 'white')}, ${mix(52, '#151920')})`)
}
