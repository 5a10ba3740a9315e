// The area below the toolbar: the entries, a skeleton while they load, words where there are none, or
// what went wrong.

import { Trans } from '@lingui/react/macro'
import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { ErrorBoundary } from '../layout/boundary.tsx'
import { FINGERS, PHONE, useMedia } from '../lib/page/media.ts'
import { onDemandAtOnce, onDemandBeside } from '../lib/page/on-demand.tsx'
import type { Folder } from '../state/folder-cache.ts'
import { prefs } from '../state/prefs.ts'
import { EmptyState } from '../ui/empty.tsx'
import { Skeleton } from '../ui/progress.tsx'
import { drag } from './drag/drag-session.ts'
import { ColumnHeader } from './grid/column-header.tsx'
import { EntryGrid } from './grid/entry-grid.tsx'
import { layoutOf } from './grid/metrics.ts'
import { HitCount } from './toolbar.tsx'
import { useColumnView } from './use-columns.ts'
import { useListing } from './use-listing.ts'

const FingerParts = onDemandBeside(
  async () => (await import('./grid/finger-parts.tsx')).FingerParts,
)
const FailedFolder = onDemandAtOnce(async () => (await import('./failed-folder.tsx')).FailedFolder)
const DropVeil = onDemandBeside(async () => (await import('./drag/drop-veil.tsx')).DropVeil)
const NoEntries = onDemandBeside(async () => (await import('./no-entries.tsx')).NoEntries)
const Columns = onDemandAtOnce(async () => (await import('./columns/columns.tsx')).Columns)

export function FolderBody() {
  const content = <FolderContent />
  return useColumnView() ? <Columns>{content}</Columns> : content
}

function FolderContent() {
  const hasFingers = useMedia(FINGERS)
  const phone = useMedia(PHONE)
  const isOver = useSnapshot(drag).kind === 'files'
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
  const isEmpty = folder !== null && folder.entries.length === 0
  const hidesAll = visible.length === 0 && filter.trim() !== ''
  return (
    <div className={kind === 'loading' ? 'body is-stale relative' : 'body relative'}>
      {phone && folder?.search && <HitCount />}
      {isEmpty || hidesAll ? <NoEntries /> : <EntryGrid />}
      {hasFingers && <FingerParts />}
      {isOver && <DropVeil />}
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
