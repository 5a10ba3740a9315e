// The error pages /403, /404 and /500, and the start that failed.

import { Trans, useLingui } from '@lingui/react/macro'
import { Folder, RotateCw } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { ApiError } from '../api/client.ts'
import { messageOf } from '../api/error-text.ts'
import { boot } from '../lib/boot.ts'
import { chooseLocale, loadLocale } from '../lib/i18n.ts'
import { useTitle } from '../lib/page/title.ts'
import { whenOnline } from '../state/network.ts'
import { session, startSession } from '../state/session.ts'
import { Button } from '../ui/button.tsx'
import { type Art, EmptyState } from '../ui/empty.tsx'
import { VisitorHead } from './visitor-head.tsx'

interface Look {
  art: Art
  title: ReactNode
  text: ReactNode
}

/**
 * A failure of a call as a panel: for a folder that cannot be shown, a share that does not exist.
 * `actions` come first, "Try again" last.
 */
export function ErrorPanel({
  error,
  address,
  actions,
  onRetry,
  asPage,
}: {
  error: unknown
  /** What was asked for, shown to the person. */
  address?: string | undefined
  actions?: ReactNode
  onRetry?: (() => void) | undefined
  asPage?: boolean
}) {
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

function lookOf(status: number, error: unknown, address: string | undefined): Look {
  const where = address === undefined ? null : <bdi className="mono">{address}</bdi>
  switch (status) {
    case 0:
      return {
        art: 'offline',
        title: <Trans>No connection to the server</Trans>,
        text: <Trans>Check your network. This page tries again by itself as soon as it can.</Trans>,
      }
    case 403:
      return {
        art: 'locked',
        title: <Trans>You can’t open this location</Trans>,
        text: where ? (
          <Trans>Your account does not have permission for {where}.</Trans>
        ) : (
          <Trans>Your account does not have permission for this page.</Trans>
        ),
      }
    case 404:
      return {
        art: 'missing',
        title: <Trans>We can’t find this location</Trans>,
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

/** The failed start of the session: asks again by itself once the server can be reached. */
export function StartFailure({ error }: { error: unknown }) {
  useEffect(() => {
    if (!(error instanceof ApiError) || !error.isNetwork) return
    let left = false
    void whenOnline().then(async () => {
      if (left) return
      await startSession()
      await loadLocale(chooseLocale(session.user?.locale))
    })
    return () => {
      left = true
    }
  }, [error])
  return <ErrorPanel asPage error={error} onRetry={() => location.reload()} />
}

export function ErrorScreen({ code, error }: { code?: string; error?: unknown }) {
  const { t } = useLingui()
  useTitle(t`Error`)
  return (
    <div className="bare">
      <VisitorHead />
      <main className="bare__main" id="main">
        {error ? (
          <StartFailure error={error} />
        ) : (
          <ErrorPanel
            asPage
            error={new ApiError(Number(code ?? 500), null, '')}
            actions={
              <a className="btn btn--fill" href={`${boot.BaseURL}/files/`}>
                <span className="btn__label">
                  <Folder className="i i-sm" aria-hidden />
                  <Trans>Go to my files</Trans>
                </span>
              </a>
            }
          />
        )}
      </main>
    </div>
  )
}
