// The order of entries as a menu, for views without column heads.

import { useLingui } from '@lingui/react/macro'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { nextChoice, type SortChoice, type SortColumn } from '../lib/sorting/sort-entries.ts'
import { Button } from '../ui/button.tsx'
import { MenuButton, type MenuEntry } from '../ui/menu.tsx'

interface SortMenuProps {
  sort: SortChoice
  onChange(sort: SortChoice): void
  /** There are pictures, which may tell when they were taken. */
  pictures?: boolean
  /** Hits can stand as well as they fit. */
  isSearch?: boolean
}

export function SortMenu({ sort, onChange, pictures = false, isSearch = false }: SortMenuProps) {
  const { t } = useLingui()
  const names: Record<SortColumn, string> = {
    match: t`Relevance`,
    name: t`Name`,
    kind: t`Kind`,
    modified: t`Modified`,
    size: t`Size`,
    taken: t`Date taken`,
  }
  const isOffered = (column: SortColumn) =>
    sort.column === column || (column === 'match' ? isSearch : column !== 'taken' || pictures)
  const directions: MenuEntry[] = [
    'line',
    {
      id: 'ascending',
      label: t`Ascending`,
      checked: sort.ascending,
      onSelect: () => onChange({ ...sort, ascending: true }),
    },
    {
      id: 'descending',
      label: t`Descending`,
      checked: !sort.ascending,
      onSelect: () => onChange({ ...sort, ascending: false }),
    },
  ]
  const items = (): MenuEntry[] => [
    ...(Object.keys(names) as SortColumn[]).filter(isOffered).map((column) => ({
      id: column,
      label: names[column],
      checked: sort.column === column,
      onSelect: () => {
        if (sort.column !== column) onChange(nextChoice(sort, column))
      },
    })),
    ...(sort.column === 'match' ? [] : directions),
  ]
  return (
    <MenuButton label={t`Sort by`} items={items}>
      {(trigger) => (
        <Button
          {...trigger}
          size="sm"
          className="tools__sort"
          icon={sort.ascending ? ArrowUp : ArrowDown}
          aria-label={t`Sort by: ${names[sort.column]}`}
        >
          {names[sort.column]}
        </Button>
      )}
    </MenuButton>
  )
}
