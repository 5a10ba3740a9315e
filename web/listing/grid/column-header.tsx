// Heads of the list: they sort, and the first one selects everything.

import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SortColumn } from '../../lib/sorting/sort-entries.ts'
import { sortByColumn } from '../../operations/choose-view.ts'
import { clearSelection, selectPaths } from '../../state/selection.ts'
import { Checkbox } from '../../ui/toggle.tsx'
import { useListing, useSelection } from '../use-listing.ts'

export function ColumnHeader() {
  const { t } = useLingui()
  const { visible, sort, folder } = useListing().shown
  const { paths } = useSelection()
  const all = visible.length > 0 && paths.size >= visible.length
  const checked = all ? true : paths.size > 0 ? 'mixed' : false
  return (
    <div role="row" aria-rowindex={1} className="header lhead lcols strong fs-sm dim line-bottom">
      <span role="columnheader" className="lrow__check center">
        <Checkbox
          aria-label={t`Select all`}
          checked={checked}
          onChange={() =>
            all ? clearSelection() : selectPaths(visible.map((entry) => entry.path))
          }
        />
      </span>
      <Head column="name">
        <Trans>Name</Trans>
      </Head>
      {folder?.search ? (
        <span role="columnheader" className="lcols__kind">
          <Trans>Folder</Trans>
        </span>
      ) : (
        <Head column="kind" className="lcols__kind">
          <Trans>Kind</Trans>
        </Head>
      )}
      {sort.column === 'taken' ? (
        <Head column="taken">
          <Trans>Date taken</Trans>
        </Head>
      ) : (
        <Head column="modified">
          <Trans>Modified</Trans>
        </Head>
      )}
      <Head column="size" className="lhead__end">
        <Trans>Size</Trans>
      </Head>
      <span role="columnheader">
        <span className="sr">
          <Trans>Actions</Trans>
        </span>
      </span>
    </div>
  )
}

interface HeadProps {
  column: SortColumn
  className?: string
  children: ReactNode
}

function Head({ column, className, children }: HeadProps) {
  const { sort } = useListing().shown
  const active = sort.column === column
  const Arrow = sort.ascending ? ArrowUp : ArrowDown
  return (
    <span
      role="columnheader"
      className={className}
      aria-sort={active ? (sort.ascending ? 'ascending' : 'descending') : 'none'}
    >
      <button
        type="button"
        className={active ? 'lhead__sort is-active' : 'lhead__sort'}
        onClick={() => sortByColumn(column)}
      >
        {children}
        <Arrow className="i i-xs" aria-hidden />
      </button>
    </span>
  )
}
