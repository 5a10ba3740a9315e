// What the build puts in the place of lucide's own component: a third of the script, and a few times faster.

import { createElement, type SVGProps } from 'react'

type Part = readonly [tag: string, attributes: Readonly<Record<string, string>>]

interface IconProps extends SVGProps<SVGSVGElement> {
  /** In px; 24 unless a style says otherwise. */
  size?: number
}

const LOOK = {
  xmlns: 'http://www.w3.org/2000/svg',
  viewBox: '0 0 24 24',
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 2,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
  // Whoever shows one says what it means beside it.
  'aria-hidden': true,
} as const

/** The component of an icon of lucide. */
export function icon(name: string, parts: readonly Part[]) {
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each icon, at module level
  return function Icon({ className, size = 24, ...rest }: IconProps) {
    const names = `lucide lucide-${name}${className === undefined ? '' : ` ${className}`}`
    const drawn = parts.map(([tag, attributes]) => createElement(tag, attributes))
    const look = { ...LOOK, width: size, height: size, className: names, ...rest }
    return createElement('svg', look, ...drawn)
  }
}
