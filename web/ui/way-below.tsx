import { useLingui } from '@lingui/react/macro'
import { Fragment } from 'react'
import { isolate } from '../lib/format.ts'
import { nameOf, segmentsOf, shownName } from '../lib/paths.ts'

/**
 * The way to `folder`, from `base`, the folder above it, on. Too long for a line it is cut at its beginning: the
 * nearest folder tells most.
 */
export function WayBelow({ base, folder }: { base: string; folder: string }) {
  const { t } = useLingui()
  const below = segmentsOf(folder).slice(segmentsOf(base).length)
  const names = [nameOf(base) || t`My files`, ...below].map(shownName)
  return (
    <span className="way trunc" data-tip={names.map(isolate).join(' / ')}>
      <span>
        {names.map((name, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a path has fixed places
          <Fragment key={at}>
            {at > 0 && ' / '}
            <bdi>{name}</bdi>
          </Fragment>
        ))}
      </span>
    </span>
  )
}
