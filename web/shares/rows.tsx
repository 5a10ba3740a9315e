// The list of a shared folder. Names are links, the rest of a row chooses it.

import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowDown, ArrowUp, Download, Eye, Link } from 'lucide-react'
import type { MouseEvent } from 'react'
import type { FileEntry } from '../../src/api-types.ts'
import { useMinute } from '../lib/clock.ts'
import { formatDate, formatMoment, formatSize } from '../lib/format.ts'
import { PHONE, useMedia } from '../lib/page/media.ts'
import { trimPath } from '../lib/paths.ts'
import type { SortChoice, SortColumn } from '../lib/sorting/sort-entries.ts'
import { NameLabel } from '../listing/grid/name-label.tsx'
import { IconButton } from '../ui/button.tsx'
import { FileTile } from '../ui/file-icon.tsx'
import { Checkbox } from '../ui/toggle.tsx'
import { type FileSource, thumbnailUrl } from '../viewers/frame/source.ts'
import { type ClickKeys, opensHere } from './selection.ts'
import { shareHref } from './share-address.ts'

interface FolderRowsProps {
  entries: readonly FileEntry[]
  total: number
  hash: string
  source: FileSource
  sort: SortChoice
  selected: ReadonlySet<string>
  onSort: (column: SortColumn) => void
  onSelect: (path: string, keys: ClickKeys) => void
  onSelectAll: (all: boolean) => void
  onPreview: (entry: FileEntry) => void
  onCopy: (entry: FileEntry) => void
}

export function FolderRows(props: FolderRowsProps) {
  const { t } = useLingui()
  const { entries, total, selected, sort, onSort, onSelectAll } = props
  const isPhone = useMedia(PHONE)
  const all = selected.size === 0 ? false : selected.size === total ? true : 'mixed'
  const head = (column: SortColumn, label: string, className: string) => {
    const on = sort.column === column
    const Arrow = sort.ascending ? ArrowUp : ArrowDown
    return (
      <th
        scope="col"
        className={className}
        aria-sort={on ? (sort.ascending ? 'ascending' : 'descending') : 'none'}
      >
        <button type="button" className={on ? 'is-on' : undefined} onClick={() => onSort(column)}>
          {label}
          {on && <Arrow className="i i-xs" aria-hidden />}
        </button>
      </th>
    )
  }
  return (
    <table className={selected.size > 0 ? 'pubrows is-selecting' : 'pubrows'}>
      <thead>
        <tr>
          <th scope="col" className="pubrows__check">
            <Checkbox aria-label={t`Select all`} checked={all} onChange={onSelectAll} />
          </th>
          {head('name', t`Name`, 'pubrows__name')}
          {head('modified', t`Modified`, 'pubrows__date')}
          {head('size', t`Size`, 'pubrows__size')}
          <th scope="col" className="pubrows__acts">
            <span className="sr">
              <Trans>Actions</Trans>
            </span>
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <Row key={entry.path} {...props} entry={entry} isPhone={isPhone} />
        ))}
      </tbody>
    </table>
  )
}

function Row({
  entry,
  isPhone,
  hash,
  source,
  selected,
  onSelect,
  onPreview,
  onCopy,
}: FolderRowsProps & { entry: FileEntry; isPhone: boolean }) {
  const { t } = useLingui()
  const nowMs = useMinute()
  const { name, path, isDir } = entry
  const chosen = selected.has(path)
  const broken = entry.type === 'invalid_link'
  const size = isDir ? '—' : broken ? t`Broken link` : formatSize(entry.size)
  const date = formatDate(entry.modified, false, nowMs)
  const facts = isDir ? date : `${size} · ${date}`

  function onClick(event: MouseEvent<HTMLElement>) {
    // Links, buttons and the check box act for themselves.
    if (event.target instanceof Element && event.target.closest('a, button, input')) return
    onSelect(path, { toggle: event.ctrlKey || event.metaKey, range: event.shiftKey })
  }

  return (
    <tr className={chosen ? 'is-on' : undefined} aria-selected={chosen} onClick={onClick}>
      <td className="pubrows__check">
        <Checkbox
          aria-label={t`Select ${name}`}
          checked={chosen}
          onChange={() => onSelect(path, { toggle: true, range: false })}
        />
      </td>
      <td className="pubrows__name">
        <a
          href={broken ? undefined : shareHref({ hash, inner: trimPath(path) })}
          // All that is printed in it: on phones the facts, too.
          aria-label={isPhone ? `${name} ${facts}` : name}
          title={name}
          draggable={false}
          onClick={(event) => {
            if (broken || !opensHere(event, entry)) return
            event.preventDefault()
            onPreview(entry)
          }}
        >
          <FileTile entry={entry} thumbnail={thumbnailUrl(source, entry)} />
          <span className="pubrows__words shrinks">
            <NameLabel name={name} />{' '}
            <small className="num" aria-hidden>
              {facts}
            </small>
          </span>
        </a>
      </td>
      <td className="pubrows__date num">
        <time dateTime={entry.modified} data-tip={formatMoment(entry.modified)}>
          {date}
        </time>
      </td>
      <td className="pubrows__size num">{size}</td>
      <td className="pubrows__acts">
        {!isDir && !broken && (
          <span>
            <IconButton
              size="sm"
              icon={Eye}
              label={t`Preview ${name}`}
              onClick={() => onPreview(entry)}
            />
            <IconButton
              size="sm"
              icon={Download}
              label={t`Download ${name}`}
              onClick={() => source.download(entry)}
            />
            <IconButton
              size="sm"
              icon={Link}
              label={t`Copy link to ${name}`}
              onClick={() => onCopy(entry)}
            />
          </span>
        )}
      </td>
    </tr>
  )
}
