// A shared folder: its list, what is chosen in it, and a card beside it that shows the chosen file.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ChevronRight, Download, Eye, Link, X } from 'lucide-react'
import { type ComponentProps, useEffect, useMemo, useState } from 'react'
import type { FileEntry } from '../../src/api-types.ts'
import type { ArchiveFormat } from '../api/files.ts'
import { namesToSend } from '../api/selections.ts'
import { directLinkOf, type ShareAccess, sharedArchiveUrl, sharePageUrl } from '../api/shares.ts'
import { instanceName } from '../lib/boot.ts'
import { formatCounts, formatNumber, formatSize } from '../lib/format.ts'
import { announce } from '../lib/page/announce.ts'
import { takesKeys } from '../lib/page/focus.ts'
import { keyLetter, useDocumentKeys } from '../lib/page/keys.ts'
import { lineageOf, nameOf, ROOT, trimPath } from '../lib/paths.ts'
import { saveUrl } from '../lib/save-url.ts'
import { nextChoice, type SortChoice, type SortColumn } from '../lib/sorting/sort-entries.ts'
import { sortNow } from '../lib/sorting/sort-queue.ts'
import { copyLink } from '../operations/copy-text.ts'
import { toastError } from '../operations/toasts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty.tsx'
import { FolderGlyph } from '../ui/file-icon.tsx'
import { FileOverlay, type OpenFile } from '../viewers/frame/overlay.tsx'
import { ArchiveMenu } from './archive-menu.tsx'
import { FolderSide } from './folder-side.tsx'
import { type FolderViewKind, FolderViewSwitch, useFolderView } from './folder-view.tsx'
import { FolderRows } from './rows.tsx'
import { nothingSelected, type RowSelection, selectRow } from './selection.ts'
import { shareHref } from './share-address.ts'
import { createShareSource } from './share-source.ts'
import { FolderTiles } from './tiles.tsx'
import type { ShareReady } from './use-share.ts'

/** So many rows at first, and as many more with each press of the button. */
const ROWS_STEP = 100

export function PublicFolder({
  access,
  inner,
  info,
  expiresAtMs,
  loading,
}: ShareReady & { loading: boolean }) {
  const { t } = useLingui()
  const [open, setOpen] = useState<OpenFile | null>(null)
  const { entries, sort, setSort } = useSorted(info)
  const [view, chooseView] = useFolderView(entries)
  const [selection, setSelection] = useFolderSelection(entries, `${access.hash}${inner}`)
  const source = useMemo(
    () => createShareSource(access, (folder) => (folder === inner ? entries : null)),
    [access, inner, entries],
  )
  const [shown, showMore] = useShown(entries, `${access.hash}${inner}`)
  const chosen = entries.filter((entry) => selection.paths.has(entry.path))
  const only = chosen.length === 1 ? chosen[0] : undefined
  const name = titleOf(info.name, inner)

  const download = (format: ArchiveFormat, items: readonly FileEntry[]) =>
    downloadArchive(access, inner, items, entries.length, format)

  return (
    <div className="pubfolder stack">
      <section className="panel pubfolder__list" aria-label={name} aria-busy={loading}>
        <div className="pubfolder__top">
          <Head
            name={name}
            info={info}
            view={view}
            onView={chooseView}
            hidden={chosen.length > 0}
            onCopy={() => void copyLink(sharePageUrl(access.hash, inner))}
            onDownload={entries.length > 0 ? (format) => void download(format, []) : null}
          />
          <SelectionBar
            chosen={chosen}
            onClear={() => setSelection(nothingSelected)}
            onPreview={(entry) => setOpen({ entry })}
            onCopy={(entry) => void copyLink(directOf(access, entry))}
            onDownload={(entry) => source.download(entry)}
            onArchive={(format) => void download(format, chosen)}
          />
        </div>
        {inner !== ROOT && <Crumbs hash={access.hash} inner={inner} />}
        {entries.length === 0 ? (
          <EmptyState art="folder" title={t`This folder is empty`} />
        ) : (
          <FolderEntries
            view={view}
            entries={shown}
            total={entries.length}
            hash={access.hash}
            source={source}
            sort={sort}
            selected={selection.paths}
            onSort={setSort}
            onSelect={(path, keys) =>
              setSelection((before) => selectRow(before, path, keys, shown.map(pathOf)))
            }
            onSelectAll={(all) => setSelection(all ? allOf(entries) : nothingSelected)}
            onPreview={(entry) => setOpen({ entry })}
            onCopy={(entry) => void copyLink(directOf(access, entry))}
          />
        )}
        {shown.length < entries.length && (
          <More shown={shown.length} total={entries.length} onMore={showMore} />
        )}
      </section>
      <FolderSide
        access={access}
        inner={inner}
        entry={only}
        source={source}
        expiresAtMs={expiresAtMs}
        onPreview={(entry) => setOpen({ entry })}
      />
      {open !== null && <FileOverlay source={source} file={open} onChange={setOpen} />}
    </div>
  )
}

/** The first entries, and what shows more of them; another folder starts at its top. */
function useShown(entries: readonly FileEntry[], folder: string) {
  const [limit, setLimit] = useState(ROWS_STEP)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the folder is the trigger
  useEffect(() => {
    setLimit(ROWS_STEP)
    scrollTo({ top: 0 })
  }, [folder])
  return [entries.slice(0, limit), () => setLimit(limit + ROWS_STEP)] as const
}

function useSorted(info: ShareReady['info']) {
  const [sort, setSort] = useState<SortChoice>({ column: 'name', ascending: true })
  const entries = useMemo(() => sortNow(info.items ?? [], sort), [info, sort])
  return { entries, sort, setSort }
}

interface FolderEntriesProps extends Omit<ComponentProps<typeof FolderRows>, 'onSort'> {
  view: FolderViewKind
  onSort(sort: SortChoice): void
}

function FolderEntries({ view, onSort, ...props }: FolderEntriesProps) {
  if (view !== 'list') return <FolderTiles {...props} kind={view} onSort={onSort} />
  const onColumn = (column: SortColumn) => onSort(nextChoice(props.sort, column))
  return <FolderRows {...props} onSort={onColumn} />
}

/** One folder as itself, other entries by their names in the open folder. */
async function downloadArchive(
  access: ShareAccess,
  inner: string,
  items: readonly FileEntry[],
  total: number,
  format: ArchiveFormat,
) {
  const [first] = items
  const [at, names] =
    items.length === 1 && first?.isDir === true
      ? [trimPath(first.path), []]
      : [inner, namesToSend(items, total)]
  try {
    saveUrl(await sharedArchiveUrl(access, at, names, format), '')
  } catch (error) {
    toastError(error)
  }
}

const pathOf = ({ path }: FileEntry) => path

function allOf(entries: readonly FileEntry[]): RowSelection {
  return { paths: new Set(entries.map(pathOf)), anchor: null }
}

/** What is chosen, in another folder nothing; Ctrl+A chooses all, Escape nothing, and readers hear how many. */
function useFolderSelection(entries: readonly FileEntry[], folder: string) {
  const { t } = useLingui()
  const [selection, setSelection] = useState(nothingSelected)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the folder is the trigger
  useEffect(() => setSelection(nothingSelected), [folder])

  useDocumentKeys((event) => {
    if (event.defaultPrevented || takesKeys(event.target)) return
    if (event.key === 'Escape') setSelection(nothingSelected)
    if (keyLetter(event) === 'A' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      setSelection(allOf(entries))
    }
  })

  const count = selection.paths.size
  useEffect(() => {
    if (count > 0) announce(t`Selected: ${formatNumber(count)}`)
  }, [count, t])
  return [selection, setSelection] as const
}

/** Protected files have no address that works alone: theirs is the page. */
function directOf(access: ShareAccess, entry: FileEntry): string {
  const path = trimPath(entry.path)
  return access.password === '' ? directLinkOf(access.hash, path) : sharePageUrl(access.hash, path)
}

interface HeadProps {
  name: string
  info: ShareReady['info']
  view: FolderViewKind
  onView(view: FolderViewKind): void
  /** The selection bar is in its place, and the rows below must not move. */
  hidden: boolean
  onCopy(): void
  /** Null where there is nothing to download. */
  onDownload: ((format: ArchiveFormat) => void) | null
}

function Head({ name, info, view, onView, hidden, onCopy, onDownload }: HeadProps) {
  const { t } = useLingui()
  return (
    <header className="pubfolder__head row" inert={hidden}>
      <FolderGlyph className="pubfolder__glyph" />
      <div className="grow">
        <h1 className="pubfolder__name">
          <bdi>{name}</bdi>
        </h1>
        <p className="dim num">
          {formatCounts(info.numDirs ?? 0, info.numFiles ?? 0) || t`Empty folder`}
        </p>
      </div>
      {onDownload !== null && <FolderViewSwitch view={view} onChange={onView} />}
      <Button tone="line" icon={Link} className="pubfolder__copy" onClick={onCopy}>
        <Trans>Copy link</Trans>
      </Button>
      {onDownload !== null && (
        <ArchiveMenu tone="fill" label={t`Download all`} onDownload={onDownload} />
      )}
    </header>
  )
}

interface SelectionBarProps {
  chosen: readonly FileEntry[]
  onClear(): void
  onPreview(entry: FileEntry): void
  onCopy(entry: FileEntry): void
  onDownload(entry: FileEntry): void
  onArchive(format: ArchiveFormat): void
}

function SelectionBar({ chosen, onClear, ...on }: SelectionBarProps) {
  const { t } = useLingui()
  const only = chosen.length === 1 ? chosen[0] : undefined
  if (chosen.length === 0) return null
  return (
    <div
      className="pubfolder__selbar row wraps tone-accent"
      role="toolbar"
      aria-label={t`Selection`}
    >
      <IconButton size="sm" icon={X} label={t`Clear selection`} onClick={onClear} />
      <strong className="num">
        <Plural value={chosen.length} one="# selected" other="# selected" />
      </strong>
      <span className="num pubfolder__sum fs-md not-phone">{sumOf(chosen)}</span>
      <span className="grow" />
      {only !== undefined && !only.isDir && (
        <>
          <Button icon={Eye} onClick={() => on.onPreview(only)}>
            <Trans>Preview</Trans>
          </Button>
          <Button icon={Link} className="not-phone" onClick={() => on.onCopy(only)}>
            <Trans>Copy direct link</Trans>
          </Button>
          <Button icon={Download} onClick={() => on.onDownload(only)}>
            <Trans>Download</Trans>
          </Button>
        </>
      )}
      {(only === undefined || only.isDir) && (
        <ArchiveMenu tone="ghost" label={t`Download`} onDownload={on.onArchive} />
      )}
    </div>
  )
}

function More({ shown, total, onMore }: { shown: number; total: number; onMore(): void }) {
  return (
    <div className="pubfolder__more row fs-sm">
      <Button size="sm" tone="line" onClick={onMore}>
        <Plural value={Math.min(total - shown, ROWS_STEP)} one="Show # more" other="Show # more" />
      </Button>
      <span className="dim num">
        <Trans>
          {formatNumber(shown)} of {formatNumber(total)}
        </Trans>
      </span>
    </div>
  )
}

/** The server names the shared folder in all its sub-folders, and `.` for everything a user has. */
export function titleOf(name: string, inner: string): string {
  if (inner !== ROOT) return nameOf(inner)
  return name === '.' || name === '' ? instanceName : name
}

function Crumbs({ hash, inner }: { hash: string; inner: string }) {
  const { t } = useLingui()
  const folders = lineageOf(inner)
  return (
    <nav className="pubcrumbs fs-md" aria-label={t`Breadcrumb`}>
      <ol>
        {folders.map((folder, at) => (
          <li key={folder}>
            {at > 0 && <ChevronRight className="i i-sm flip dim" aria-hidden />}
            <a
              href={shareHref({ hash, inner: folder })}
              aria-current={at === folders.length - 1 ? 'page' : undefined}
            >
              {folder === ROOT ? t`All files` : <bdi>{nameOf(folder)}</bdi>}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}

function sumOf(entries: readonly FileEntry[]): string {
  const bytes = entries.reduce((sum, entry) => sum + (entry.isDir ? 0 : entry.size), 0)
  return entries.every((entry) => entry.isDir) ? '' : formatSize(bytes)
}
