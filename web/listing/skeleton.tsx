// Grey rows or cards in the size of what will replace them.

import { useSnapshot } from 'valtio'
import { PHONE, useMedia } from '../lib/page/media.ts'
import { prefs } from '../state/prefs.ts'
import { Skeleton } from '../ui/progress.tsx'
import { layoutOf } from './grid/metrics.ts'
import { useListing } from './use-listing.ts'

/** Uneven widths look like names; fixed ones do not jump when drawn again. */
const WIDTHS = [38, 24, 46, 30, 52, 27, 33, 42, 29, 36, 48, 26, 40, 31]

export function ListingSkeleton() {
  const { view } = useListing().shown
  const phone = useMedia(PHONE)
  const { compactRows } = useSnapshot(prefs)
  const layout = layoutOf(view, phone)
  if (layout === 'list' || layout === 'touch') {
    return (
      <div
        className={`skeleton skeleton--${layout}${compactRows ? ' is-compact' : ''}`}
        aria-hidden
      >
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
