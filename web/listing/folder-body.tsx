// The area below the toolbar: the entries, a skeleton while they load, an invitation when there
// are none, or what went wrong.

import { Trans, useLingui } from '@lingui/react/macro'
import { FolderPlus, FolderUp, Upload } from 'lucide-react'
import { type MouseEvent, useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { ErrorBoundary } from '../layout/boundary.tsx'
import { canPickFolders, FINGERS, PHONE, TOUCHED, useMedia } from '../lib/page/media.ts'
import { onDemandAtOnce } from '../lib/page/on-demand.tsx'
import { runAction } from '../operations/commands/registry.ts'
import type { Folder } from '../state/folder-cache.ts'
import { setShown } from '../state/listing.ts'
import { prefs } from '../state/prefs.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty.tsx'
import { Skeleton, Spinner } from '../ui/progress.tsx'
import { DropVeil } from './drag/drop-veil.tsx'
import { ColumnHeader } from './grid/column-header.tsx'
import { EntryGrid } from './grid/entry-grid.tsx'
import { openGridMenu } from './grid/grid-menu.tsx'
import { layoutOf } from './grid/metrics.ts'
import { pull } from './grid/pull.ts'
import { useColumnView } from './use-columns.ts'
import { useAbilities, useListing } from './use-listing.ts'

const SwipeActions = onDemandAtOnce(async () => (await import('./grid/row-swipe.tsx')).SwipeActions)
const FailedFolder = onDemandAtOnce(async () => (await import('./failed-folder.tsx')).FailedFolder)
const Columns = onDemandAtOnce(async () => (await import('./columns/columns.tsx')).Columns)

export function FolderBody() {
  const content = <FolderContent />
  return useColumnView() ? <Columns>{content}</Columns> : content
}

function FolderContent() {
  const hasFingers = useMedia(FINGERS)
  const phase = useListing()
  const { kind, vpath } = phase
  const { folder, visible, filter, sort } = phase.shown
  useDatesTaken(sort.column === 'taken' && kind === 'folder' ? folder : null)
  if (kind === 'failed') {
    return (
      <div className="body body--message relative">
        <ErrorBoundary
          fallback={<EmptyState art="offline" title={<Trans>No connection to the server</Trans>} />}
        >
          <FailedFolder error={phase.error} vpath={vpath} />
        </ErrorBoundary>
      </div>
    )
  }
  if (kind === 'loading' && (phase.slow || folder === null)) {
    return (
      <div className="body relative" id="loading" role="status">
        <span className="sr">
          <Trans>Loading…</Trans>
        </span>
        {phase.slow && <ListingSkeleton />}
      </div>
    )
  }
  const empty = folder !== null && folder.entries.length === 0
  const nothing = visible.length === 0 && filter.trim() !== ''
  return (
    <div className={kind === 'loading' ? 'body is-stale relative' : 'body relative'}>
      {empty ? <EmptyFolder /> : nothing ? <NothingShown /> : <EntryGrid />}
      {hasFingers && <SwipeActions />}
      <PullMark />
      <DropVeil />
    </div>
  )
}

/** Asks when the pictures of a folder were taken, as far as that is not known. */
function useDatesTaken(folder: Folder | null) {
  useEffect(() => {
    if (folder === null) return
    const abort = new AbortController()
    import('./taken/load-dates.ts').then(
      ({ loadDates }) => loadDates(folder, abort.signal),
      // Ordered by name until the folder is listed again.
      () => {},
    )
    return () => abort.abort()
  }, [folder])
}

function EmptyFolder() {
  const { t } = useLingui()
  const can = useAbilities().create
  const touched = useMedia(TOUCHED)
  return (
    <div
      id="listing"
      className="body__message empty"
      role="region"
      aria-label={t`Files`}
      tabIndex={-1}
      data-listing-keys=""
      onContextMenu={(event: MouseEvent) => {
        event.preventDefault()
        openGridMenu(null, { x: event.clientX, y: event.clientY })
      }}
    >
      <EmptyState
        art="folder"
        title={<Trans>This folder is empty</Trans>}
        actions={
          can && (
            <>
              <Button tone="fill" icon={Upload} onClick={() => runAction('upload-files')}>
                <Trans>Upload files</Trans>
              </Button>
              {canPickFolders() && (
                <Button tone="line" icon={FolderUp} onClick={() => runAction('upload-folder')}>
                  <Trans>Upload folder</Trans>
                </Button>
              )}
              <Button tone="line" icon={FolderPlus} onClick={() => runAction('new-folder')}>
                <Trans>New folder</Trans>
              </Button>
            </>
          )
        }
      >
        {can && !touched ? (
          <Trans>Drop files or folders anywhere on this page, or choose an option below.</Trans>
        ) : (
          <Trans>There is nothing here yet.</Trans>
        )}
      </EmptyState>
    </div>
  )
}

function NothingShown() {
  const { filter } = useListing().shown
  return (
    <div className="body__message" id="listing" tabIndex={-1} data-listing-keys="">
      <EmptyState
        art="search"
        title={<Trans>No matches</Trans>}
        actions={
          <Button tone="line" onClick={() => setShown({ filter: '' })}>
            <Trans>Clear filter</Trans>
          </Button>
        }
      >
        <Trans>No names in this folder contain “{filter.trim()}”.</Trans>
      </EmptyState>
    </div>
  )
}

function PullMark() {
  const { share, refreshing } = useSnapshot(pull)
  if (share === null && !refreshing) return null
  const way = refreshing ? 1 : Math.min(1, share ?? 0)
  return (
    <div
      className={refreshing ? 'pull is-refreshing' : 'pull'}
      style={{ opacity: way, transform: `translate(-50%, ${way * 3}rem) rotate(${way * 270}deg)` }}
      aria-hidden
    >
      <Spinner />
    </div>
  )
}

/** Uneven widths look like names; fixed ones do not jump when drawn again. */
const WIDTHS = [38, 24, 46, 30, 52, 27, 33, 42, 29, 36, 48, 26, 40, 31]

function ListingSkeleton() {
  const { view } = useListing().shown
  const phone = useMedia(PHONE)
  const { compactRows } = useSnapshot(prefs)
  const given = layoutOf(view, phone, useColumnView())
  const layout = given === 'column' ? 'list' : given
  if (layout === 'list' || layout === 'touch') {
    return (
      <div
        className={`skeleton skeleton--${layout}${compactRows || given === 'column' ? ' is-compact' : ''}`}
        aria-hidden
        inert
      >
        {given === 'list' && (
          <>
            <ColumnHeader />
            <div className="skeleton__heading">
              <Skeleton width="4rem" />
            </div>
          </>
        )}
        {WIDTHS.map((percent, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: fixed rows
          <div key={row} className={layout === 'list' ? 'lrow lcols' : 'trow'}>
            {layout === 'list' && <span />}
            <span className="lrow__name shrinks">
              <Skeleton
                width={layout === 'list' ? '1.875rem' : '2.5rem'}
                height={layout === 'list' ? '1.875rem' : '2.5rem'}
              />
              <Skeleton width={`${percent}%`} />
            </span>
            {layout === 'list' && (
              <>
                <span className="lcols__kind" />
                <Skeleton width="5rem" />
                <span className="skeleton__end">
                  <Skeleton width="3.5rem" />
                </span>
              </>
            )}
          </div>
        ))}
      </div>
    )
  }
  return (
    <div className={`skeleton skeleton--${layout}`} aria-hidden>
      {WIDTHS.slice(0, 12).map((percent, card) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: fixed cards
        <div key={card} className="skeleton__card stack">
          <Skeleton width="100%" height="100%" />
          {layout === 'mosaic' && <Skeleton width={`${percent + 30}%`} />}
        </div>
      ))}
    </div>
  )
}
