// What is drawn where there is nothing to show.

import type { ReactNode } from 'react'

interface StrokeProps {
  d: string
  width: number
  /** Name of a token. */
  color?: string
}

function Stroke({ d, width, color = 'accent-fill' }: StrokeProps) {
  const round = { strokeLinecap: 'round', strokeLinejoin: 'round' } as const
  return <path d={d} fill="none" stroke={`var(--${color})`} strokeWidth={width} {...round} />
}

function Ghost({ d }: { d: string }) {
  const dashed = { strokeWidth: 2, strokeDasharray: '7 7' }
  return <path d={d} fill="var(--sunken)" stroke="var(--line-strong)" {...dashed} />
}

const ghostFolder = (
  <Ghost d="M46 40a12 12 0 0 1 12-12h30c4 0 7 1.5 10 4l7 7h53a12 12 0 0 1 12 12v67a12 12 0 0 1-12 12H58a12 12 0 0 1-12-12z" />
)

const lens = (
  <>
    <circle cx="112" cy="82" r="25" fill="var(--surface)" />
    <Stroke d="M137 82a25 25 0 1 0 -50 0a25 25 0 1 0 50 0" width={6} />
    <Stroke d="M131 101l19 19" width={9} />
  </>
)

const arts = {
  folder: (
    <>
      <path
        d="M46 42a12 12 0 0 1 12-12h30c4 0 7 1.5 10 4l7 7h53a12 12 0 0 1 12 12v62H46z"
        fill="var(--accent-line)"
      />
      <g fill="var(--surface)" stroke="var(--line-strong)" strokeWidth="1.5">
        <rect x="70" y="24" width="52" height="66" rx="6" transform="rotate(-8 96 57)" />
        <rect x="98" y="20" width="52" height="66" rx="6" transform="rotate(7 124 53)" />
      </g>
      <g transform="rotate(7 124 53)">
        <Stroke d="M110 40h26M109 50h26M108 60h16" width={3} color="line-strong" />
      </g>
      <path
        d="M40 72c0-5 4-9 9-9h118c5 0 9 4 9 9l-5 49a12 12 0 0 1-12 11H57a12 12 0 0 1-12-11z"
        fill="var(--accent-soft)"
        stroke="var(--accent-line)"
        strokeWidth="1.5"
      />
      <g transform="translate(108 97)">
        <circle r="17" fill="var(--accent-fill)" />
        <Stroke d="M0 7V-7M-6-1l6-6 6 6" width={2.6} color="on-fill" />
      </g>
    </>
  ),
  search: (
    <>
      {ghostFolder}
      {lens}
      <Stroke d="M102 76h20M102 86h13" width={4} color="line-strong" />
    </>
  ),
  missing: (
    <>
      {ghostFolder}
      {lens}
      <Stroke d="M104 77a8 8 0 1 1 11 7.5c-2 .9-3 2.3-3 4.5v1M112 97v.5" width={4} color="text-3" />
    </>
  ),
  locked: (
    <>
      {ghostFolder}
      <Stroke d="M94 80V70a14 14 0 0 1 28 0v10" width={7} />
      <rect x="82" y="78" width="52" height="40" rx="9" fill="var(--accent-fill)" />
      <Stroke d="M108 93v10" width={6} color="on-fill" />
    </>
  ),
  broken: (
    <>
      {ghostFolder}
      <path d="M108 58l30 52a5 5 0 0 1-4 8H82a5 5 0 0 1-4-8z" fill="var(--surface)" />
      <Stroke d="M108 58l30 52a5 5 0 0 1-4 8H82a5 5 0 0 1-4-8z" width={6} color="danger" />
      <Stroke d="M108 82v14M108 106v.5" width={6} color="danger" />
    </>
  ),
  offline: (
    <>
      <Ghost d="M72 112a27 27 0 0 1-3-54 36 36 0 0 1 69-7 31 31 0 0 1 7 61z" />
      <Stroke d="M88 78c12-10 28-10 40 0M96 89c7-6 17-6 24 0M108 101v.5" width={6} />
      <path d="M80 62l58 52" stroke="var(--surface)" strokeWidth="13" />
      <Stroke d="M80 62l58 52" width={6} color="danger" />
    </>
  ),
  link: (
    <>
      <Stroke
        d="M100 62l12-12a27 27 0 0 1 38 38l-18 18a27 27 0 0 1-36 2"
        width={11}
        color="accent-line"
      />
      <Stroke d="M116 90l-12 12a27 27 0 0 1-38-38l18-18a27 27 0 0 1 36-2" width={11} />
    </>
  ),
  people: (
    <>
      <circle cx="132" cy="58" r="20" fill="var(--accent-line)" />
      <path d="M98 128c0-24 15-38 34-38s36 14 36 38z" fill="var(--accent-line)" />
      <circle cx="88" cy="64" r="22" fill="var(--accent-fill)" />
      <path d="M48 130c0-26 17-40 40-40s40 14 40 40z" fill="var(--accent-fill)" />
    </>
  ),
} satisfies Record<string, ReactNode>

export type Art = keyof typeof arts

export function EmptyArt({ art }: { art: Art }) {
  return arts[art]
}
