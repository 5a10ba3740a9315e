// How many hits a search has, and how far it is.

import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { formatNumber } from '../../lib/format.ts'
import { announce } from '../../lib/page/announce.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { refreshFolder } from '../../operations/open-folder.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/progress.tsx'
import { useListing } from '../use-listing.ts'
import styles from './hits.css?url'

await loadStylesheet(styles)

export function HitCount() {
  const { t } = useLingui()
  const { folder, visible, filter } = useListing().shown
  const { search } = folder ?? {}
  const count = folder?.entries.length ?? 0
  const isDone = search === 'done' || search === 'cut'
  useEffect(() => {
    if (isDone) announce(count === 0 ? t`Nothing found` : t`Results: ${formatNumber(count)}`)
  }, [isDone, count, t])
  // Without any the listing itself says so.
  if (count === 0) return null
  const shown = formatNumber(visible.length)
  const all = formatNumber(count)
  return (
    <span className="hits__count row">
      {search === 'running' && <Spinner />}
      <span>
        {filter.trim() !== ''
          ? t`${shown} of ${all} shown`
          : plural(count, { one: '# result', other: '# results' })}
      </span>
      {search === 'running' && (
        <span className="dim">
          <Trans>Searching…</Trans>
        </span>
      )}
      {search === 'cut' && (
        <span className="dim">
          <Trans>There are more. Add words to narrow the search.</Trans>
        </span>
      )}
      {search instanceof Error && (
        <>
          <span className="dim">
            <Trans>Search couldn’t be completed</Trans>
          </span>
          <Button size="sm" tone="line" onClick={() => void refreshFolder()}>
            <Trans>Try again</Trans>
          </Button>
        </>
      )}
    </span>
  )
}
