// One entry in each of the views. They know nothing but their entry and its state: clicks, drags and
// keys are handled by the grid around them, so that a row costs no listeners.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Download, Ellipsis, EllipsisVertical, Play, Share2 } from 'lucide-react'
import { memo, useId, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import type { FolderSummary } from '../../api/files.ts'
import { fileClassOf } from '../../lib/file-class.ts'
import { savesData } from '../../lib/page/media.ts'
import { onDemandBeside } from '../../lib/page/on-demand.tsx'
import { filesHref } from '../../lib/paths.ts'
import { abilitiesOn } from '../../state/rights.ts'
import { IconButton } from '../../ui/button.tsx'
import { FileTile, FolderGlyph, PageIcon, tintOf } from '../../ui/file-icon.tsx'
import { EntryDate, EntryFacts, EntrySize } from '../details/entry-facts.tsx'
import { NameLabel } from './name-label.tsx'
import { Thumbnail } from './thumbnail.tsx'

const SummaryOf = onDemandBeside(async () => (await import('./folder-summary.tsx')).SummaryOf)
const HitFolder = onDemandBeside(async () => (await import('../hits/hit-folder.tsx')).HitFolder)
const FilmLength = onDemandBeside(async () => (await import('./film-length.tsx')).FilmLength)
export const loadRenameField = () => import('./rename-field.tsx')
const RenameField = onDemandBeside(async () => (await loadRenameField()).RenameField)

export interface CellProps {
  entry: FileEntry
  index: number
  /** When it was taken, where that is the order; '' where it is not known. */
  taken?: string | undefined
  /** Number of the line for screen readers, from 1. */
  rowIndex: number
  selected: boolean
  tabStop: boolean
  /** Pointer over it, focused, selected alone, or touched: the quick actions show. */
  showsActions: boolean
  cut: boolean
  busy: boolean
  fresh: boolean
  dragged: boolean
  /** The row below is selected, too. */
  joined: boolean
  /** Its name is being typed. */
  renamed: boolean
  /** The folder that was searched, where this is one of the hits. */
  below?: string | undefined
}

function stateClasses(props: CellProps, base: string): string {
  const classes = ['item', base]
  if (props.selected) classes.push('is-selected')
  if (props.cut) classes.push('is-cut')
  if (props.busy) classes.push('is-busy')
  if (props.fresh) classes.push('is-fresh')
  if (props.dragged) classes.push('is-dragged')
  if (props.joined) classes.push('is-joined')
  if (props.entry.name.startsWith('.') || props.entry.name.endsWith('.bak')) {
    classes.push('is-hidden')
  }
  return classes.join(' ')
}

/** What tests, custom style sheets and the grid's handlers find an entry by. */
function dataOf(entry: FileEntry, index: number) {
  return {
    'data-index': index,
    'data-path': entry.path,
    'data-dir': entry.isDir,
    'data-type': entry.type,
    'data-ext': entry.extension.slice(1).toLowerCase(),
    'data-drop-path': entry.isDir ? entry.path : undefined,
  }
}

function EntryCheck({ entry, selected }: { entry: FileEntry; selected: boolean }) {
  const { t } = useLingui()
  return (
    <input
      type="checkbox"
      className="check"
      tabIndex={-1}
      aria-label={t`Select ${entry.name}`}
      checked={selected}
      readOnly
      data-act="check"
    />
  )
}

function EntryLink({ entry, children }: { entry: FileEntry; children: React.ReactNode }) {
  return (
    <a
      className="entry-link row shrinks"
      href={filesHref(entry.path, entry.isDir)}
      tabIndex={-1}
      draggable={false}
    >
      {children}
    </a>
  )
}

export function EntryIcon({ entry, size = 'md' }: { entry: FileEntry; size?: 'md' | 'lg' }) {
  return (
    <FileTile
      entry={entry}
      size={size}
      picture={<Thumbnail entry={entry} className="tile__thumb" />}
    />
  )
}

function QuickActions({ entry }: { entry: FileEntry }) {
  const { t } = useLingui()
  const can = abilitiesOn(entry.path)
  return (
    <>
      {can.share && can.download && (
        <IconButton size="sm" tabIndex={-1} icon={Share2} label={t`Share`} data-act="share" />
      )}
      {can.download && entry.type !== 'invalid_link' && (
        <IconButton
          size="sm"
          tabIndex={-1}
          icon={Download}
          label={t`Download`}
          data-act="download"
        />
      )}
      <IconButton size="sm" tabIndex={-1} icon={Ellipsis} label={t`More`} data-act="menu" />
    </>
  )
}

export const ListRow = memo(function ListRow(props: CellProps) {
  const { entry, selected, showsActions, taken, below } = props
  return (
    <div {...cellAttributes(props, 'lrow lcols', 'row')}>
      <span role="gridcell" className="lrow__check center">
        <EntryCheck entry={entry} selected={selected} />
      </span>
      <span role="gridcell" className="name lrow__name shrinks">
        {props.renamed ? (
          <span className="entry-link row grow">
            <EntryIcon entry={entry} />
            <RenameField entry={entry} />
          </span>
        ) : (
          <EntryLink entry={entry}>
            <EntryIcon entry={entry} />
            <NameLabel name={entry.name} />
          </EntryLink>
        )}
      </span>
      <span role="gridcell" className="lcols__kind trunc">
        {below !== undefined ? (
          <HitFolder entry={entry} below={below} />
        ) : entry.isDir ? (
          ''
        ) : (
          entry.extension.slice(1).toUpperCase()
        )}
      </span>
      <span role="gridcell" className="modified num">
        {taken !== '' && (
          <EntryDate modified={taken ?? entry.modified} unreachable={entry.unreachable} />
        )}
      </span>
      <span role="gridcell" className="size lrow__size num">
        <EntrySize entry={entry} />
      </span>
      <span role="gridcell" className="lrow__acts">
        {showsActions && <QuickActions entry={entry} />}
      </span>
    </div>
  )
})

/** Two lines, a round check mark at the end while selecting, a menu button otherwise. */
export const TouchRow = memo(function TouchRow(props: CellProps & { selecting: boolean }) {
  const { entry, selected, selecting, taken, below } = props
  const { t } = useLingui()
  const asks = below === undefined && asksForSummary(entry)
  const [summary, setSummary] = useState<FolderSummary | null>()
  return (
    <div {...cellAttributes(props, 'trow', 'row')}>
      {asks && <SummaryOf entry={entry} onKnown={setSummary} />}
      <span role="gridcell" className="name trow__name grow">
        <EntryLink entry={entry}>
          <EntryIcon entry={entry} size="lg" />
          <span className="trow__words">
            <NameLabel name={entry.name} />
            {below !== undefined ? (
              <HitFolder entry={entry} below={below} withFacts />
            ) : asks && summary !== null ? (
              <FolderFacts summary={summary} modified={taken ?? entry.modified} />
            ) : (
              <EntryFacts entry={entry} taken={taken} />
            )}
          </span>
        </EntryLink>
      </span>
      <span role="gridcell" className="trow__end center rigid">
        {selecting ? (
          <EntryCheck entry={entry} selected={selected} />
        ) : (
          <IconButton tabIndex={-1} icon={EllipsisVertical} label={t`More`} data-act="menu" />
        )}
      </span>
    </div>
  )
})

/** `labelledBy` is the id of what is printed on a card: people who speak commands say what they read. */
function cellAttributes(
  props: CellProps,
  base: string,
  role: 'row' | 'gridcell' = 'gridcell',
  labelledBy?: string,
) {
  const { entry, index, rowIndex, selected, tabStop, busy, renamed } = props
  return {
    ...dataOf(entry, index),
    role,
    'aria-rowindex': role === 'row' ? rowIndex : undefined,
    'aria-selected': selected,
    'aria-label': entry.name,
    'aria-labelledby': labelledBy,
    'aria-busy': busy || undefined,
    tabIndex: tabStop ? 0 : -1,
    // Text in the field is marked by dragging, too.
    draggable: !renamed,
    className: stateClasses(props, base),
  }
}

export const FolderCard = memo(function FolderCard(props: CellProps) {
  const { entry, selected, taken } = props
  const { t } = useLingui()
  const id = useId()
  const asks = asksForSummary(entry)
  const [summary, setSummary] = useState<FolderSummary | null>()
  return (
    <div {...cellAttributes(props, 'fcard', 'gridcell', id)}>
      {asks && <SummaryOf entry={entry} onKnown={setSummary} />}
      <EntryLink entry={entry}>
        <span className="fcard__glyph relative center rigid">
          <FolderGlyph />
          {summary?.picture && <Thumbnail entry={summary.picture} className="fcard__thumb" />}
        </span>
        <span className="fcard__words" id={id}>
          <NameLabel name={entry.name} />
          {asks && summary !== null ? (
            <FolderFacts summary={summary} />
          ) : (
            <EntryFacts entry={entry} taken={taken} />
          )}
        </span>
      </EntryLink>
      <EntryCheck entry={entry} selected={selected} />
      <IconButton size="sm" tabIndex={-1} icon={EllipsisVertical} label={t`More`} data-act="menu" />
    </div>
  )
})

function asksForSummary(entry: FileEntry): boolean {
  return entry.isDir && entry.unreachable !== true && !savesData()
}

interface FolderFactsProps {
  summary: FolderSummary | undefined
  /** Said behind it where there is room; '' where it is not known. */
  modified?: string
}

function FolderFacts({ summary, modified = '' }: FolderFactsProps) {
  return (
    <small className="facts trunc num dim">
      {summary?.items === 0 ? (
        <Trans>Empty folder</Trans>
      ) : summary ? (
        <Plural value={summary.items} one="# item" other="# items" />
      ) : (
        '\u00a0'
      )}
      {summary && modified !== '' && (
        <>
          {' · '}
          <EntryDate modified={modified} />
        </>
      )}
    </small>
  )
}

function PlayMark({ entry }: { entry: FileEntry }) {
  return (
    <>
      <span className="play" aria-hidden>
        <Play className="i" />
      </span>
      <FilmLength entry={entry} />
    </>
  )
}

export const FileCard = memo(function FileCard(props: CellProps) {
  const { entry, selected, taken } = props
  const { t } = useLingui()
  const [pictured, setPictured] = useState(false)
  const id = useId()
  return (
    <div {...cellAttributes(props, 'card', 'gridcell', id)}>
      <EntryLink entry={entry}>
        <span className="card__picture center fills line-bottom sunken relative">
          <PageIcon entry={entry} />
          <Thumbnail entry={entry} className="card__thumb" onShown={() => setPictured(true)} />
          {pictured && entry.type === 'video' && <PlayMark entry={entry} />}
        </span>
        <span className="card__words" id={id}>
          <NameLabel name={entry.name} />
          <EntryFacts entry={entry} taken={taken} />
        </span>
      </EntryLink>
      <EntryCheck entry={entry} selected={selected} />
      <IconButton
        size="sm"
        tabIndex={-1}
        className="card__menu"
        icon={Ellipsis}
        label={t`More`}
        data-act="menu"
      />
    </div>
  )
})

export const GalleryTile = memo(function GalleryTile(props: CellProps) {
  const { entry, selected } = props
  const [pictured, setPictured] = useState(false)
  const kind = fileClassOf(entry)
  return (
    <div
      {...cellAttributes(props, pictured ? 'gtile gtile--picture' : 'gtile')}
      style={pictured ? undefined : tintOf(kind)}
    >
      <EntryLink entry={entry}>
        {!pictured && <PageIcon entry={entry} />}
        <Thumbnail entry={entry} className="gtile__thumb" onShown={() => setPictured(true)} />
        {pictured && entry.type === 'video' && <PlayMark entry={entry} />}
        <span className="gtile__name strong fs-md">
          <NameLabel name={entry.name} />
        </span>
      </EntryLink>
      <EntryCheck entry={entry} selected={selected} />
    </div>
  )
})
