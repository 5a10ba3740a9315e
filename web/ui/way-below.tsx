import { useLingui } from '@lingui/react/macro'
import { Fragment } from 'react'
import { nameOf, segmentsOf, shownName } from '../lib/paths.ts'

/** The way to `folder`, from `base`, the folder above it, on. */
export function WayBelow({ base, folder }: { base: string; folder: string }) {
  const { t } = useLingui()
  const below = segmentsOf(folder).slice(segmentsOf(base).length)
  const names = [nameOf(base) || t`My files`, ...below]
  return names.map((name, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a path has fixed places
    <Fragment key={at}>
      {at > 0 && ' / '}
      <bdi>{shownName(name)}</bdi>
    </Fragment>
  ))
}
