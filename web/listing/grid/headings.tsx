// What stands above the entries of a group: folders, files, the pictures of a day.

import { useLingui } from '@lingui/react/macro'
import { memo } from 'react'
import { formatDay, formatNumber } from '../../lib/format.ts'
import type { Line, PlacedGroup } from './geometry.ts'

type Named = Pick<PlacedGroup, 'group' | 'day' | 'count'>

export const Heading = memo(function Heading({
  line,
  offset,
}: {
  line: Extract<Line, { kind: 'heading' }>
  offset: number
}) {
  return (
    <div
      role="row"
      aria-rowindex={line.line + offset}
      className="grid__heading strong fs-sm dim"
      style={{ blockSize: line.heightPx }}
    >
      <span role="gridcell">
        <GroupName {...line} />
      </span>
    </div>
  )
})

export function GroupName({ group, day, count }: Named) {
  const { t } = useLingui()
  const name =
    group === 'folders'
      ? t`Folders`
      : day === undefined
        ? t`Files`
        : day === ''
          ? t`Date unknown`
          : formatDay(`${day}T00:00`)
  return (
    <>
      {name} <span className="num grid__count">{formatNumber(count)}</span>
    </>
  )
}
