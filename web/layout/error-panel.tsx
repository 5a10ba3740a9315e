import { Trans } from '@lingui/react/macro'
import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError } from '../api/client.ts'
import { messageOf } from '../api/error-text.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty.tsx'
import type { Art } from '../ui/empty-art.tsx'

interface ErrorPanelProps {
  error: unknown
  address?: string | undefined
  actions?: ReactNode
  onRetry?: (() => void) | undefined
  asPage?: boolean
}

/**
 * A failure of a call as a panel: for a folder that cannot be shown, a share that does not exist.
 * `actions` come first, "Try again" last.
 */
export function ErrorPanel({ error, address, actions, onRetry, asPage }: ErrorPanelProps) {
  const status = error instanceof ApiError ? error.status : 500
  const look = lookOf(status, error, address)
  return (
    <EmptyState
      art={look.art}
      title={look.title}
      asPage={asPage ?? false}
      code={status > 0 ? <Trans>Error {status}</Trans> : undefined}
      actions={
        <>
          {actions}
          {onRetry && (
            <Button tone={actions ? 'line' : 'fill'} icon={RotateCw} onClick={onRetry}>
              <Trans>Try again</Trans>
            </Button>
          )}
        </>
      }
    >
      {look.text}
    </EmptyState>
  )
}

function lookOf(
  status: number,
  error: unknown,
  address: string | undefined,
): { art: Art; title: ReactNode; text: ReactNode } {
  const where = address === undefined ? null : <bdi className="mono">{address}</bdi>
  switch (status) {
    case 0:
      return {
        art: 'offline',
        title: <Trans>No connection to the server</Trans>,
        text: <Trans>Check your connection. This page will retry automatically.</Trans>,
      }
    case 403:
      return {
        art: 'locked',
        title: <Trans>Access denied</Trans>,
        text: where ? (
          <Trans>You don’t have permission to open {where}.</Trans>
        ) : (
          <Trans>You don’t have permission to view this page.</Trans>
        ),
      }
    case 404:
      return {
        art: 'missing',
        title: <Trans>Page not found</Trans>,
        text: where ? (
          <Trans>It may have been moved, renamed or deleted. The address was {where}.</Trans>
        ) : (
          <Trans>It may have been moved, renamed or deleted.</Trans>
        ),
      }
    default:
      return {
        art: 'broken',
        title: <Trans>Something went wrong</Trans>,
        text: messageOf(error),
      }
  }
}
