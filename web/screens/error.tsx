// The error pages /403, /404 and /500, and the start that failed.

import { Trans, useLingui } from '@lingui/react/macro'
import { Folder } from 'lucide-react'
import { Suspense, useEffect } from 'react'
import { ApiError } from '../api/client.ts'
import { ErrorPanel } from '../layout/error-panel.tsx'
import { VisitorHead } from '../layout/visitor-head.tsx'
import { boot } from '../lib/boot.ts'
import { chooseLocale, loadLocale } from '../lib/i18n.ts'
import { isInstalled } from '../lib/page/installed.ts'
import { whenOnline } from '../lib/page/network.ts'
import { onDemand } from '../lib/page/on-demand.tsx'
import { useTitle } from '../lib/page/title.ts'
import { session, startSession } from '../state/session.ts'

const KeptFolders = onDemand(async () => (await import('../installed/offline.tsx')).KeptFolders)

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
  const isOffline = error instanceof ApiError && error.isNetwork
  return (
    <>
      <ErrorPanel asPage error={error} onRetry={() => location.reload()} />
      {isOffline && isInstalled() && (
        <Suspense fallback={null}>
          <KeptFolders />
        </Suspense>
      )}
    </>
  )
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
