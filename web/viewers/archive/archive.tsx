// The inside of an archive as folders: shown without extracting, single files opened or saved.

import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowLeft, Download, Lock, Search } from 'lucide-react'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { isChanged } from '../../api/content.ts'
import { messageOf } from '../../api/error-text.ts'
import { formatDate, formatNumber, formatSize } from '../../lib/format.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { useRows } from '../../lib/page/use-rows.ts'
import { nameOf } from '../../lib/paths.ts'
import { saveBlob } from '../../lib/save-url.ts'
import { toastError } from '../../operations/toasts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { FileTile } from '../../ui/file-icon.tsx'
import { Boundary } from '../frame/boundary.tsx'
import { viewers } from '../frame/index.ts'
import partsStyles from '../frame/parts.css?url'
import type { ViewerKind, ViewerProps } from '../frame/source.ts'
import { Busy, Message, UnreadReason } from '../frame/tools.tsx'
import { useFile } from '../frame/use-file.ts'
import { scrollByKey, useViewerKeys } from '../frame/viewer-keys.ts'
import archiveStyles from './archive.css?url'
import { openArchive } from './archive-file.ts'
import type { ArchiveFile, ArchiveItem } from './archive-item.ts'
import { createEntryFile, type EntryFile } from './archive-source.ts'
import { type FolderRow, folderRows, searchRows } from './archive-tree.ts'
import { ZipError } from './zip-reader.ts'

await Promise.all([loadStylesheet(partsStyles), loadStylesheet(archiveStyles)])

/** Unpacked into memory, to be shown or saved. */
const MAX_OPEN_BYTES = 64 * 1024 * 1024
const MAX_SAVE_BYTES = 512 * 1024 * 1024
const ROW_PX = 44

type Failure = ZipError['reason'] | ApiError

export function ArchiveViewer(props: ViewerProps) {
  const { source, entry, setFacts } = props
  const { t } = useLingui()
  const read = useFile(source, entry, (signal) => openArchive(source, entry, signal))
  const archive = read.state === 'ready' ? read.value : null
  /** The archive that was replaced while it was open. */
  const [changed, setChanged] = useState<{ archive: ArchiveFile; error: ApiError } | null>(null)

  useEffect(() => {
    if (!archive) return
    const count = archive.items.filter(({ isDir }) => !isDir).length
    const total = formatSize(archive.items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))
    const files = formatNumber(count)
    setFacts(count === 1 ? t`1 file, ${total} unpacked` : t`${files} files, ${total} unpacked`)
  }, [archive, setFacts, t])

  if (read.state === 'loading') return <Busy />
  if (archive === null || archive === changed?.archive) {
    const failure = read.state === 'failed' ? failureOf(read.error) : (changed?.error ?? 'damaged')
    return (
      <Message
        source={source}
        entry={entry}
        error={failure}
        title={t`This archive can’t be opened`}
      >
        <FailureText reason={failure} />
      </Message>
    )
  }
  return (
    <Inside {...props} archive={archive} onChanged={(error) => setChanged({ archive, error })} />
  )
}

/** Unread, or read and found to be what cannot be opened. */
function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) return error
  return error instanceof ZipError ? error.reason : 'damaged'
}

function FailureText({ reason }: { reason: Failure }) {
  if (reason === 'too_large') return <Trans>It is too large to be opened in the browser.</Trans>
  if (reason === 'unsupported')
    return <Trans>It is compressed in a way that is not known here.</Trans>
  return <UnreadReason reason={reason} />
}

interface InsideProps extends ViewerProps {
  archive: ArchiveFile
  /** Nothing more can be read of it: another file has taken its place. */
  onChanged(error: ApiError): void
}

function Inside({ onChanged, ...props }: InsideProps) {
  const { entry, archive } = props
  const { t } = useLingui()
  const [folder, setFolder] = useState('')
  const [filter, setFilter] = useState('')
  const { opened, busy, open, save, back } = useUnpacking({ ...props, onChanged })
  const rows = useMemo(
    () => (filter ? searchRows(archive.items, filter) : folderRows(archive.items, folder)),
    [archive, folder, filter],
  )

  function goUp() {
    setFolder(folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '')
  }

  useViewerKeys((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false
    if (opened && (event.key === 'Escape' || event.key === 'Backspace')) back()
    else if (!opened && event.key === 'Backspace' && folder) goUp()
    else if (!opened && event.key === 'Escape' && filter) setFilter('')
    else return false
    return true
  })

  if (opened) return <EntryView {...props} file={opened} back={back} />
  return (
    <div className="vw-archive vw-part col">
      <div className="vw-archive-head row rigid line-bottom">
        <Crumbs name={entry.name} folder={folder} onGo={setFolder} />
        <label className="input vw-archive-filter">
          <Search className="i i-sm" aria-hidden />
          <input
            type="search"
            value={filter}
            placeholder={t`Find in archive`}
            aria-label={t`Find in archive`}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
      </div>
      {archive.truncated && (
        <p className="vw-note rigid fs-md tone-warn" role="note">
          <Trans>The archive holds more than is listed here.</Trans>
        </p>
      )}
      <Rows
        key={folder}
        rows={rows}
        busy={busy}
        onOpen={(row) => {
          if (row.item) void open(row.item)
          else {
            setFilter('')
            setFolder(row.path)
          }
        }}
        onSave={(item) => void save(item)}
      />
    </div>
  )
}

function useUnpacking({ source, entry, archive, onChanged }: InsideProps) {
  const { t } = useLingui()
  const [opened, setOpened] = useState<EntryFile | null>(null)
  const [busy, setBusy] = useState<string | null>(null)
  useEffect(() => () => opened?.release(), [opened])

  /** The entry asked for last: an older one that arrives later is not wanted any more. */
  const wanted = useRef<ArchiveItem>(null)
  const left = useRef(false)
  useEffect(() => {
    left.current = false
    return () => {
      left.current = true
    }
  }, [])

  /** Null when it could not be unpacked, which is told, or when nobody waits for it any more. */
  async function unpack(item: ArchiveItem, maxBytes: number) {
    setBusy(item.path)
    try {
      const bytes = await archive.read(item, maxBytes)
      return left.current ? null : bytes
    } catch (error) {
      if (left.current) return null
      const reason = failureOf(error)
      if (reason instanceof ApiError && isChanged(reason)) {
        onChanged(reason)
        return null
      }
      const name = nameOf(`/${item.path}`)
      toastError(
        reason === 'too_large'
          ? t`“${name}” is too large for this. Download the whole archive.`
          : reason === 'encrypted'
            ? t`“${name}” is protected by a password.`
            : reason instanceof ApiError
              ? messageOf(reason)
              : t`“${name}” couldn’t be unpacked.`,
      )
      return null
    } finally {
      setBusy((path) => (path === item.path ? null : path))
    }
  }
  async function open(item: ArchiveItem) {
    wanted.current = item
    const bytes = await unpack(item, MAX_OPEN_BYTES)
    if (bytes && wanted.current === item)
      setOpened(createEntryFile(source, archive, entry.path, item, bytes))
  }
  async function save(item: ArchiveItem) {
    const bytes = await unpack(item, MAX_SAVE_BYTES)
    if (bytes) saveBlob(new Blob([bytes]), nameOf(`/${item.path}`))
  }

  return { opened, busy, open, save, back: () => setOpened(null) }
}

interface CrumbsProps {
  name: string
  folder: string
  onGo(folder: string): void
}

function Crumbs({ name, folder, onGo }: CrumbsProps) {
  const { t } = useLingui()
  const parts = folder ? folder.split('/') : []
  const crumbs = parts.map((part, index) => [parts.slice(0, index + 1).join('/'), part] as const)
  return (
    <nav className="vw-crumbs grow wraps" aria-label={t`Path in the archive`}>
      {[['', name] as const, ...crumbs].map(([path, shown]) => (
        <button
          type="button"
          key={path}
          onClick={() => onGo(path)}
          aria-current={path === folder ? 'page' : undefined}
        >
          <bdi>{shown}</bdi>
        </button>
      ))}
    </nav>
  )
}

interface RowsProps {
  rows: FolderRow[]
  busy: string | null
  onOpen(row: FolderRow): void
  onSave(item: ArchiveItem): void
}

function Rows({ rows, busy, onOpen, onSave }: RowsProps) {
  const { t } = useLingui()
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRows(() => scroller.current, rows.length, ROW_PX)

  useViewerKeys((event) => scrollByKey(event, scroller.current))

  function onKeyDown(event: React.KeyboardEvent) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const buttons = [...(scroller.current?.querySelectorAll<HTMLElement>('.vw-archive-name') ?? [])]
    const at = buttons.indexOf(document.activeElement as HTMLElement)
    buttons[at + step]?.focus()
  }

  if (rows.length === 0) {
    return (
      <p className="vw-side-empty dim">
        <Trans>Nothing here.</Trans>
      </p>
    )
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: moves the focus among its buttons
    <div className="vw-archive-rows vw-scroll" ref={scroller} onKeyDown={onKeyDown}>
      <ul style={{ blockSize: list.getTotalSize() }}>
        {list.getVirtualItems().map((virtual) => {
          const row = rows[virtual.index]
          if (!row) return null
          return (
            <li key={row.path} style={{ transform: `translateY(${virtual.start}px)` }}>
              <button
                type="button"
                className="vw-archive-name row shrinks"
                aria-busy={busy === row.path}
                disabled={row.item?.encrypted === true}
                onClick={() => onOpen(row)}
              >
                <FileTile entry={{ name: row.name, isDir: row.item === null }} />
                <bdi className="trunc">{row.label}</bdi>
                {row.item?.encrypted && (
                  <Lock className="i i-sm" aria-label={t`Protected by a password`} />
                )}
              </button>
              <span className="vw-archive-date not-phone dim num">
                {row.item?.modified ? formatDate(row.item.modified) : ''}
              </span>
              <span className="vw-archive-size dim num">
                {row.item ? formatSize(row.item.sizeBytes) : '—'}
              </span>
              {row.item ? (
                <IconButton
                  size="sm"
                  icon={Download}
                  label={t`Download ${row.name}`}
                  disabled={row.item.encrypted}
                  onClick={() => row.item && onSave(row.item)}
                />
              ) : (
                <span />
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

interface EntryViewProps extends ViewerProps {
  file: EntryFile
  back(): void
}

function EntryView({ file, back, ...props }: EntryViewProps) {
  const { t } = useLingui()
  const { source, entry } = file
  const [chosen, setChosen] = useState<ViewerKind | null>(null)
  const kind = chosen ?? file.kind
  const Viewer = viewers[kind]
  return (
    <>
      <div className="vw-row vw-row-start row line-bottom">
        <Button size="sm" icon={ArrowLeft} flipIcon onClick={back}>
          <Trans>Back to the archive</Trans>
        </Button>
        <bdi className="vw-row-name trunc">{entry.name}</bdi>
        <Button size="sm" icon={Download} onClick={() => source.download(entry)}>
          <Trans>Download</Trans>
        </Button>
      </div>
      <section className="vw-part col" aria-label={t`Content of ${entry.name}`}>
        <Boundary key={kind} source={source} entry={entry}>
          <Suspense fallback={<Busy />}>
            <Viewer
              {...props}
              source={source}
              entry={entry}
              siblings={[]}
              setFacts={ignore}
              openAs={setChosen}
              close={back}
            />
          </Suspense>
        </Boundary>
      </section>
    </>
  )
}

function ignore() {}
