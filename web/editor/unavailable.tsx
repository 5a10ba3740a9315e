// In place of the text: it is loading, may not be seen, cannot be read, or is too large to edit.

import { Trans, useLingui } from '@lingui/react/macro'
import { Binary, Download, TextAlignStart } from 'lucide-react'
import { Suspense } from 'react'
import { useSnapshot } from 'valtio'
import type { FileInfo } from '../../src/api-types.ts'
import { messageOf } from '../api/error-text.ts'
import { onDemand } from '../lib/page/on-demand.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty.tsx'
import { Spinner } from '../ui/progress.tsx'
import type { FileSource } from '../viewers/frame/source.ts'
import { editor } from './editor-state.ts'
import { openFile } from './open-file.ts'

const BigText = onDemand(async () => (await import('../viewers/text/big-text.tsx')).BigText)

interface UnavailableProps {
  source: FileSource
  entry: FileInfo
  onBytes(): void
  close(): void
}

export function Unavailable({ source, entry, onBytes, close }: UnavailableProps) {
  const { t } = useLingui()
  const { phase, error } = useSnapshot(editor)
  if (phase === 'large') {
    return (
      <div className="ed-pane">
        <Suspense fallback={<Spinner large />}>
          <BigText source={source} entry={entry} />
        </Suspense>
      </div>
    )
  }
  if (phase === 'loading' || phase === 'ready') {
    return (
      <div className="ed-pane ed-pane--wait" aria-busy="true">
        <Spinner large />
      </div>
    )
  }
  if (phase === 'binary') {
    return (
      <div className="ed-pane ed-pane--empty">
        <EmptyState
          art="broken"
          title={t`This doesn’t look like text`}
          actions={
            <>
              <Button tone="fill" icon={Download} onClick={() => source.download(entry)}>
                <Trans>Download</Trans>
              </Button>
              <Button
                tone="line"
                icon={TextAlignStart}
                onClick={() => void openFile(entry, { anyway: true })}
              >
                <Trans>Open as text</Trans>
              </Button>
              <Button tone="line" icon={Binary} onClick={onBytes}>
                <Trans>Show bytes</Trans>
              </Button>
            </>
          }
        >
          <NoText />
        </EmptyState>
      </div>
    )
  }
  const back = (
    <Button tone={phase === 'forbidden' ? 'fill' : 'line'} onClick={close}>
      <Trans>Back to the folder</Trans>
    </Button>
  )
  return (
    <div className="ed-pane ed-pane--empty">
      {phase === 'forbidden' ? (
        <EmptyState
          art="locked"
          title={t`You don’t have permission to view this file`}
          actions={back}
        >
          <Trans>You don’t have permission to download, so this file can’t be shown.</Trans>
        </EmptyState>
      ) : (
        <EmptyState
          art={error?.isNetwork ? 'offline' : error?.status === 404 ? 'missing' : 'broken'}
          title={t`Couldn’t open “${entry.name}”`}
          actions={
            <>
              <Button tone="fill" onClick={() => void openFile(entry)}>
                <Trans>Try again</Trans>
              </Button>
              {back}
            </>
          }
        >
          {messageOf(error)}
        </EmptyState>
      )}
    </div>
  )
}

/** Why a file that is named like a text cannot be edited. */
export function NoText() {
  return (
    <Trans>
      This file looks like text by its name, but isn’t. You can view it as text, but not edit it.
    </Trans>
  )
}
