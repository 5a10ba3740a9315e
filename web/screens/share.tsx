// A public share: a file or a folder, for anyone who has the link.

import { Trans, useLingui } from '@lingui/react/macro'
import { Folder } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { ApiError } from '../api/client.ts'
import { ErrorPanel } from '../layout/error-panel.tsx'
import { VisitorHead } from '../layout/visitor-head.tsx'
import { boot, instanceName } from '../lib/boot.ts'
import { usePath } from '../lib/page/navigate.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { useTitle } from '../lib/page/title.ts'
import { ROOT } from '../lib/paths.ts'
import { PasswordCard } from '../shares/password-card.tsx'
import { PublicFile } from '../shares/public-file.tsx'
import { PublicFolder, titleOf } from '../shares/public-folder.tsx'
import styles from '../shares/share.css?url'
import { readShareAddress, type ShareAddress } from '../shares/share-address.ts'
import { useShare } from '../shares/use-share.ts'
import { session } from '../state/session.ts'
import { EmptyState } from '../ui/empty.tsx'
import { Skeleton } from '../ui/progress.tsx'

await loadStylesheet(styles)

export function ShareScreen() {
  const address = readShareAddress(usePath())
  return (
    <div className="pub share">
      <ShareHead />
      <main className="pub__main" id="main">
        {address === null ? <EndedLink /> : <Share key={address.hash} {...address} />}
      </main>
      <footer className="pub__foot fs-sm dim">
        <Trans>
          Shared via <bdi>{instanceName}</bdi>
        </Trans>
      </footer>
    </div>
  )
}

function ShareHead() {
  const { user } = useSnapshot(session)
  return (
    <VisitorHead back={location.pathname.slice(boot.BaseURL.length)}>
      {user !== null && (
        <a className="btn btn--line" href={`${boot.BaseURL}/files/`}>
          <Folder className="i i-sm" aria-hidden />
          <Trans>My files</Trans>
        </a>
      )}
    </VisitorHead>
  )
}

function Share({ hash, inner }: ShareAddress) {
  const { t } = useLingui()
  const { view, submitPassword, retry } = useShare(hash, inner)
  const name =
    view.kind === 'ready'
      ? view.info.isDir
        ? titleOf(view.info.name, view.inner)
        : view.info.name
      : ''
  useTitle(name, t`Share`)

  switch (view.kind) {
    case 'loading':
      return <Loading />
    case 'password':
      return <PasswordCard error={view.error} busy={view.busy} onSubmit={submitPassword} />
    case 'failed':
      return inner === ROOT && view.error instanceof ApiError && view.error.status === 404 ? (
        <EndedLink />
      ) : (
        <ErrorPanel asPage error={view.error} onRetry={retry} />
      )
    case 'ready':
      return view.info.isDir ? <PublicFolder {...view} /> : <PublicFile {...view} />
  }
}

/** What a stranger can do about it, who knows nothing of addresses and folders. */
function EndedLink() {
  return (
    <EmptyState asPage art="missing" title={<Trans>This link no longer works</Trans>}>
      <Trans>The link has expired or was deleted. Ask the person who sent it for a new one.</Trans>
    </EmptyState>
  )
}

function Loading() {
  const { t } = useLingui()
  return (
    <div className="panel pub__wait stack" role="status" aria-label={t`Loading`}>
      <Skeleton width="40%" height="1.5rem" />
      <Skeleton width="25%" />
      <Skeleton height="14rem" />
    </div>
  )
}
