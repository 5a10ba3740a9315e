// The net below a part of the page: one that throws, or that could not be loaded because the
// connection dropped or a new version was installed.

import { Trans } from '@lingui/react/macro'
import { RotateCw } from 'lucide-react'
import { Component, type ErrorInfo, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty.tsx'

interface Props {
  children: ReactNode
  /** A change of it, such as another address, tries the children again. */
  resetKey?: string
  /** Told once. */
  onError?: () => void
  /** What is shown then; by default a panel that says what happened. */
  fallback?: ReactNode
}

export class ErrorBoundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override componentDidCatch(error: Error, info: ErrorInfo) {
    console.error(error, info.componentStack)
    this.props.onError?.()
  }

  override componentDidUpdate(before: Props) {
    if (this.state.error && before.resetKey !== this.props.resetKey) this.setState({ error: null })
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    if (this.props.fallback !== undefined) return this.props.fallback
    return <Broken error={error} onRetry={() => this.setState({ error: null })} />
  }
}

function Broken({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const isLoad = /dynamically imported module|importing a module|module script/i.test(error.message)
  return (
    <EmptyState
      art={isLoad ? 'offline' : 'broken'}
      title={
        isLoad ? (
          <Trans>Part of this page couldn’t be loaded</Trans>
        ) : (
          <Trans>Something went wrong</Trans>
        )
      }
      actions={
        <>
          <Button tone="fill" icon={RotateCw} onClick={onRetry}>
            <Trans>Try again</Trans>
          </Button>
          <Button tone="line" onClick={() => location.reload()}>
            <Trans>Reload page</Trans>
          </Button>
        </>
      }
    >
      {isLoad ? (
        <Trans>The connection may have dropped, or a new version was installed.</Trans>
      ) : (
        <Trans>This part of the page stopped working. Your files aren’t affected.</Trans>
      )}
    </EmptyState>
  )
}
