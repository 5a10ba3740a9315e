// Catches what a viewer throws while it renders or loads its chunk, so that one broken file ends in
// a message and not in a blank page. Also makes the viewer anew when somebody tries again.

import { Trans } from '@lingui/react/macro'
import { Fragment, type ReactNode, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { ErrorBoundary } from '../../layout/boundary.tsx'
import type { FileSource } from './source.ts'
import { Message, TryAgain, TryAgainButton } from './tools.tsx'

interface BoundaryProps {
  source: FileSource
  entry: FileEntry
  children: ReactNode
  /** A change of it tries the children again; by default another file does. */
  resetKey?: string
  /** In place of the message with a download. */
  fallback?: ReactNode
}

export function Boundary({ source, entry, children, ...given }: BoundaryProps) {
  const { resetKey = entry.path, fallback = <Failed source={source} entry={entry} /> } = given
  const [attempt, setAttempt] = useState(0)
  return (
    <TryAgain value={() => setAttempt(attempt + 1)}>
      <ErrorBoundary resetKey={`${attempt} ${resetKey}`} fallback={fallback}>
        <Fragment key={attempt}>{children}</Fragment>
      </ErrorBoundary>
    </TryAgain>
  )
}

function Failed({ source, entry }: { source: FileSource; entry: FileEntry }) {
  return (
    <Message source={source} entry={entry} title={entry.name} actions={<TryAgainButton />}>
      <Trans>This file couldn’t be shown. It may be damaged, or the connection was lost.</Trans>
    </Message>
  )
}
