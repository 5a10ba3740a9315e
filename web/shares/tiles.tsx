// A shared folder as cards or as a wall of pictures. A tile opens what it shows; while something is chosen, it is
// chosen instead.

import { useLingui } from '@lingui/react/macro'
import { Play } from 'lucide-react'
import { type CSSProperties, type MouseEvent, useState } from 'react'
import type { FileEntry } from '../../src/api-types.ts'
import { useMinute } from '../lib/clock.ts'
import { fileClassOf } from '../lib/file-class.ts'
import { formatDate, formatSize } from '../lib/format.ts'
import { trimPath } from '../lib/paths.ts'
import type { SortChoice } from '../lib/sorting/sort-entries.ts'
import { NameLabel } from '../listing/grid/name-label.tsx'
import { SortMenu } from '../listing/sort-menu.tsx'
import { PageIcon, tintOf } from '../ui/file-icon.tsx'
import { Checkbox } from '../ui/toggle.tsx'
import { type FileSource, thumbnailUrl } from '../viewers/frame/source.ts'
import { type ClickKeys, opensHere } from './selection.ts'
import { shareHref } from './share-address.ts'

interface FolderTilesProps {
  kind: 'grid' | 'gallery'
  entries: readonly FileEntry[]
  total: number
  hash: string
  source: FileSource
  sort: SortChoice
  selected: ReadonlySet<string>
  onSort: (sort: SortChoice) => void
  onSelect: (path: string, keys: ClickKeys) => void
  onSelectAll: (all: boolean) => void
  onPreview: (entry: FileEntry) => void
}

export function FolderTiles(props: FolderTilesProps) {
  const { t } = useLingui()
  const { kind, entries, total, selected, sort, onSort, onSelectAll } = props
  const all = selected.size === 0 ? false : selected.size === total ? true : 'mixed'
  const folders = entries.filter(({ isDir }) => isDir)
  const files = entries.filter(({ isDir }) => !isDir)
  return (
    <div className={selected.size > 0 ? 'pubtiles is-selecting' : 'pubtiles'}>
      <div className="pubtiles__head row">
        <Checkbox label={t`Select all`} checked={all} onChange={onSelectAll} />
        <span className="grow" />
        <SortMenu sort={sort} onChange={onSort} />
      </div>
      {folders.length > 0 && (
        <ul className="pubtiles__list pubtiles__list--folders" aria-label={t`Folders`}>
          {folders.map((entry) => (
            <Tile key={entry.path} {...props} kind="grid" entry={entry} />
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <ul className={`pubtiles__list pubtiles__list--${kind}`} aria-label={t`Files`}>
          {files.map((entry) => (
            <Tile key={entry.path} {...props} entry={entry} />
          ))}
        </ul>
      )}
    </div>
  )
}

function Tile(props: FolderTilesProps & { entry: FileEntry }) {
  const { t } = useLingui()
  const nowMs = useMinute()
  const { kind, entry, hash, source, selected, onSelect, onPreview } = props
  const [failed, setFailed] = useState<string | null>(null)
  const { name, path, isDir } = entry
  const chosen = selected.has(path)
  const broken = entry.type === 'invalid_link'
  const thumbnail = thumbnailUrl(source, entry)
  const pictured = thumbnail !== undefined && thumbnail !== failed
  const date = formatDate(entry.modified, false, nowMs)
  const size = broken ? t`Broken link` : formatSize(entry.size)

  function onClick(event: MouseEvent<HTMLAnchorElement>) {
    if (selected.size > 0 && !event.metaKey && !event.ctrlKey) {
      event.preventDefault()
      onSelect(path, { toggle: !event.shiftKey, range: event.shiftKey })
    } else if (!broken && opensHere(event, entry)) {
      event.preventDefault()
      onPreview(entry)
    }
  }

  const classes = ['pubtile']
  if (isDir) classes.push('pubtile--folder')
  else if (kind === 'gallery') classes.push('pubtile--bare')
  if (pictured) classes.push('is-pictured')
  if (chosen) classes.push('is-on')
  return (
    <li
      className={classes.join(' ')}
      data-ext={entry.extension.slice(1).toLowerCase()}
      style={tintOf(fileClassOf(entry)) as CSSProperties}
    >
      <a
        className="pubtile__link"
        href={broken ? undefined : shareHref({ hash, inner: trimPath(path) })}
        title={name}
        draggable={false}
        onClick={onClick}
      >
        <span className="pubtile__picture center">
          {!pictured && <PageIcon entry={entry} />}
          {pictured && (
            <img
              src={thumbnail}
              alt=""
              loading="lazy"
              decoding="async"
              draggable={false}
              onError={() => setFailed(thumbnail)}
            />
          )}
          {pictured && entry.type === 'video' && (
            <span className="pubtile__play center" aria-hidden>
              <Play className="i" />
            </span>
          )}
        </span>
        <span className="pubtile__words shrinks">
          <NameLabel name={name} />
          <small className="dim num">{isDir ? date : `${size} · ${date}`}</small>
        </span>
      </a>
      <Checkbox
        aria-label={t`Select ${name}`}
        checked={chosen}
        onChange={() => onSelect(path, { toggle: true, range: false })}
      />
    </li>
  )
}
