// The last net: a screen that throws, or a part of the interface that no longer exists on the server
// because a new version was installed.

import { Trans } from '@lingui/react/macro'
import { RotateCw } from 'lucide-react'
import { Component, type ErrorInfo, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty.tsx'

export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override componentDidCatch(error: Error, info: ErrorInfo) {
    console.error(error, info.componentStack)
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    const isChunk = /dynamically imported module|module script failed/i.test(error.message)
    return (
      <main style={{ blockSize: '100dvh' }}>
        <EmptyState
          asPage
          art="broken"
          title={
            isChunk ? (
              <Trans>This page has to be loaded again</Trans>
            ) : (
              <Trans>Something went wrong</Trans>
            )
          }
          actions={
            <Button tone="fill" icon={RotateCw} onClick={() => location.reload()}>
              <Trans>Load again</Trans>
            </Button>
          }
        >
          {isChunk ? (
            <Trans>
              A part of it could not be loaded. The connection may have dropped, or a new version
              was installed.
            </Trans>
          ) : (
            <Trans>This part of the page stopped working. Your files are not affected.</Trans>
          )}
        </EmptyState>
      </main>
    )
  }
}
