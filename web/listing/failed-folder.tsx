// A folder that cannot be shown, and where to go instead.

import { Trans } from '@lingui/react/macro'
import { fetchInfo } from '../api/files.ts'
import { ErrorPanel } from '../layout/error-panel.tsx'
import { goHref } from '../lib/page/navigate.ts'
import { filesHref, parentOf } from '../lib/paths.ts'
import { retry } from '../operations/open-folder.ts'

export function FailedFolder({ error, vpath }: { error: unknown; vpath: string }) {
  return (
    <ErrorPanel
      error={error}
      address={vpath}
      onRetry={retry}
      actions={vpath === '/' ? undefined : <NearestParent vpath={vpath} />}
    />
  )
}

/** The server knows which folders exist: it is asked with the click. */
function NearestParent({ vpath }: { vpath: string }) {
  return (
    <a
      className="btn btn--fill"
      href={filesHref(parentOf(vpath), true)}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        void nearestFolder(vpath).then((folder) => goHref(filesHref(folder, true)))
      }}
    >
      <Trans>Go to parent folder</Trans>
    </a>
  )
}

/** The closest folder above `vpath` that can be opened; the top when none can. */
async function nearestFolder(vpath: string): Promise<string> {
  const { signal } = new AbortController()
  for (let above = parentOf(vpath); above !== '/'; above = parentOf(above)) {
    const found = await fetchInfo(above, signal).catch(() => null)
    if (found?.isDir) return above
  }
  return '/'
}
