// A place with nothing to show: empty, not found, forbidden, broken, offline. A picture, what it
// is, one sentence, what to do next.

import type { ReactNode } from 'react'
import { onDemandBeside } from '../lib/page/on-demand.tsx'
import './empty.css'
import type { Art } from './empty-art.tsx'

// Its room is kept; without a connection the words do.
const EmptyArt = onDemandBeside<{ art: Art }>(
  async () => (await import('./empty-art.tsx')).EmptyArt,
)

interface EmptyStateProps {
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
        <EmptyArt art={art} />
      </svg>
      <Heading className="void__title">{title}</Heading>
      {children && <p className="void__text">{children}</p>}
      {actions && <div className="void__actions">{actions}</div>}
      {code && <p className="void__code">{code}</p>}
    </div>
  )
}
