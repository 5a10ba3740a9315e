// Catches what a viewer throws while it renders or loads its chunk, so that one broken file ends in
// a message and not in a blank page.

import { Trans } from '@lingui/react/macro'
import { Component, type ReactNode } from 'react'
import type { FileEntry } from '../../src/api-types.ts'
import type { FileSource } from './source.ts'
import { Message } from './tools.tsx'

interface BoundaryProps {
  source: FileSource
  entry: FileEntry
  children: ReactNode
  /** A change of it tries the children again; by default another file does. */
  resetKey?: string
  /** In place of the message with a download. */
  fallback?: ReactNode
}

export class Boundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (this.state.failed && keyOf(before) !== keyOf(this.props)) this.setState({ failed: false })
  }

  override render() {
    if (!this.state.failed) return this.props.children
    const { source, entry, fallback } = this.props
    return fallback ?? <Failed source={source} entry={entry} />
  }
}

function keyOf({ resetKey, entry }: BoundaryProps): string {
  return resetKey ?? entry.path
}

function Failed({ source, entry }: { source: FileSource; entry: FileEntry }) {
  return (
    <Message source={source} entry={entry} title={entry.name}>
      <Trans>This file couldn’t be shown. It may be damaged, or the connection was lost.</Trans>
    </Message>
  )
}
