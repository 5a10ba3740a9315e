// A place with nothing to show: empty, not found, forbidden, broken, offline. A picture, what it
// is, one sentence, what to do next.

import type { ReactNode } from 'react'
import './empty.css'

export type Art =
  | 'folder'
  | 'search'
  | 'missing'
  | 'locked'
  | 'broken'
  | 'offline'
  | 'link'
  | 'people'

export interface EmptyStateProps {
  art: Art
  title: ReactNode
  children?: ReactNode
  /** Buttons, the most likely first. */
  actions?: ReactNode
  /** Small print at the end, such as the status number. */
  code?: ReactNode
  /** The title is the first-level heading of the screen. */
  asPage?: boolean
}

export function EmptyState({ art, title, children, actions, code, asPage }: EmptyStateProps) {
  const Heading = asPage ? 'h1' : 'h2'
  return (
    <div className="void message">
      <svg className="void__art" viewBox="0 0 216 150" aria-hidden="true">
        <ellipse cx="108" cy="136" rx="74" ry="8" fill="var(--sunken)" />
        {arts[art]}
      </svg>
      <Heading className="void__title">{title}</Heading>
      {children && <p className="void__text">{children}</p>}
      {actions && <div className="void__actions">{actions}</div>}
      {code && <p className="void__code">{code}</p>}
    </div>
  )
}

/** The outline of a folder that is not there. */
const ghostFolder = (
  <path
    d="M46 40a12 12 0 0 1 12-12h30c4 0 7 1.500 10 4l7 7h53a12 12 0 0 1 12 12v67a12 12 0 0 1-12 12H58a12 12 0 0 1-12-12z"
    fill="var(--sunken)"
    stroke="var(--line-strong)"
    strokeWidth="2"
    strokeDasharray="7 7"
  />
)

const lens = (
  <>
    <circle
      cx="112"
      cy="82"
      r="25"
      fill="var(--surface)"
      stroke="var(--accent-fill)"
      strokeWidth="6"
    />
    <path d="M131 101l19 19" stroke="var(--accent-fill)" strokeWidth="9" strokeLinecap="round" />
  </>
)

const arts: Record<Art, ReactNode> = {
  folder: (
    <>
      <path
        d="M46 42a12 12 0 0 1 12-12h30c4 0 7 1.500 10 4l7 7h53a12 12 0 0 1 12 12v62H46z"
        fill="var(--accent-line)"
      />
      <g fill="var(--surface)" stroke="var(--line-strong)" strokeWidth="1.500">
        <rect x="70" y="24" width="52" height="66" rx="6" transform="rotate(-8 96 57)" />
        <rect x="98" y="20" width="52" height="66" rx="6" transform="rotate(7 124 53)" />
      </g>
      <path
        d="M110 40h26M109 50h26M108 60h16"
        stroke="var(--line-strong)"
        strokeWidth="3"
        strokeLinecap="round"
        transform="rotate(7 124 53)"
      />
      <path
        d="M40 72c0-5 4-9 9-9h118c5 0 9 4 9 9l-5 49a12 12 0 0 1-12 11H57a12 12 0 0 1-12-11z"
        fill="var(--accent-soft)"
        stroke="var(--accent-line)"
        strokeWidth="1.500"
      />
      <g transform="translate(108 97)">
        <circle r="17" fill="var(--accent-fill)" />
        <path
          d="M0 7V-7M-6-1l6-6 6 6"
          stroke="var(--on-fill)"
          strokeWidth="2.600"
          fill="none"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </g>
    </>
  ),
  search: (
    <>
      {ghostFolder}
      {lens}
      <path
        d="M102 76h20M102 86h13"
        stroke="var(--line-strong)"
        strokeWidth="4"
        strokeLinecap="round"
      />
    </>
  ),
  missing: (
    <>
      {ghostFolder}
      {lens}
      <path
        d="M104 77a8 8 0 1 1 11 7.500c-2 .9-3 2.300-3 4.500v1M112 97v.5"
        stroke="var(--text-3)"
        strokeWidth="4"
        fill="none"
        strokeLinecap="round"
      />
    </>
  ),
  locked: (
    <>
      {ghostFolder}
      <path
        d="M94 80V70a14 14 0 0 1 28 0v10"
        fill="none"
        stroke="var(--accent-fill)"
        strokeWidth="7"
        strokeLinecap="round"
      />
      <rect x="82" y="78" width="52" height="40" rx="9" fill="var(--accent-fill)" />
      <path d="M108 93v10" stroke="var(--on-fill)" strokeWidth="6" strokeLinecap="round" />
    </>
  ),
  broken: (
    <>
      {ghostFolder}
      <path
        d="M108 58l30 52a5 5 0 0 1-4 8H82a5 5 0 0 1-4-8z"
        fill="var(--surface)"
        stroke="var(--danger)"
        strokeWidth="6"
        strokeLinejoin="round"
      />
      <path
        d="M108 82v14M108 106v.5"
        stroke="var(--danger)"
        strokeWidth="6"
        strokeLinecap="round"
      />
    </>
  ),
  offline: (
    <>
      <path
        d="M72 112a27 27 0 0 1-3-54 36 36 0 0 1 69-7 31 31 0 0 1 7 61z"
        fill="var(--sunken)"
        stroke="var(--line-strong)"
        strokeWidth="2"
        strokeDasharray="7 7"
      />
      <path
        d="M88 78c12-10 28-10 40 0M96 89c7-6 17-6 24 0M108 101v.5"
        stroke="var(--accent-fill)"
        strokeWidth="6"
        fill="none"
        strokeLinecap="round"
      />
      <path d="M80 62l58 52" stroke="var(--surface)" strokeWidth="13" />
      <path d="M80 62l58 52" stroke="var(--danger)" strokeWidth="6" strokeLinecap="round" />
    </>
  ),
  link: (
    <g fill="none" strokeLinecap="round" strokeWidth="11">
      <path
        d="M100 62l12-12a27 27 0 0 1 38 38l-18 18a27 27 0 0 1-36 2"
        stroke="var(--accent-line)"
      />
      <path
        d="M116 90l-12 12a27 27 0 0 1-38-38l18-18a27 27 0 0 1 36-2"
        stroke="var(--accent-fill)"
      />
    </g>
  ),
  people: (
    <>
      <circle cx="132" cy="58" r="20" fill="var(--accent-line)" />
      <path d="M98 128c0-24 15-38 34-38s36 14 36 38z" fill="var(--accent-line)" />
      <circle cx="88" cy="64" r="22" fill="var(--accent-fill)" />
      <path d="M48 130c0-26 17-40 40-40s40 14 40 40z" fill="var(--accent-fill)" />
    </>
  ),
}
