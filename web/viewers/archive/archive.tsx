// The inside of an archive as folders: shown without extracting, single files opened or saved.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ArrowLeft, Download, PackageOpen, Search } from 'lucide-react'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { isChanged } from '../../api/content.ts'
import { messageOf } from '../../api/error-text.ts'
import { isUnpackable } from '../../lib/archive-names.ts'
import { formatCounts, formatSize } from '../../lib/format.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { nameOf } from '../../lib/paths.ts'
import { saveBlob } from '../../lib/save-url.ts'
import { toastError } from '../../operations/toasts.ts'
import { ownAbilities } from '../../state/rights.ts'
import { Button } from '../../ui/button.tsx'
import { Boundary } from '../frame/boundary.tsx'
import { viewers } from '../frame/index.ts'
import partsStyles from '../frame/parts.css?url'
import type { ViewerKind, ViewerProps } from '../frame/source.ts'
import { Busy, Message, UnreadReason } from '../frame/tools.tsx'
import { useFile } from '../frame/use-file.ts'
import { useViewerKeys } from '../frame/viewer-keys.ts'
import archiveStyles from './archive.css?url'
import { openArchive } from './archive-file.ts'
import type { ArchiveFile, ArchiveItem } from './archive-item.ts'
import { Rows } from './archive-rows.tsx'
import { createEntryFile, type EntryFile } from './archive-source.ts'
import { folderRows, searchRows } from './archive-tree.ts'
import { ZipError } from './zip-reader.ts'

await Promise.all([loadStylesheet(partsStyles), loadStylesheet(archiveStyles)])

/** Unpacked into memory, to be shown or saved. */
const MAX_OPEN_BYTES = 64 * 1024 * 1024
const MAX_SAVE_BYTES = 512 * 1024 * 1024

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
    const files = formatCounts(0, count)
    setFacts(files === '' ? '' : t`${files}, ${total} unpacked`)
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
  if (reason === 'too_large') return <Trans>This file is too large to open in the browser.</Trans>
  if (reason === 'unsupported') return <Trans>This compression method isn’t supported.</Trans>
  return <UnreadReason reason={reason} />
}

interface InsideProps extends ViewerProps {
  archive: ArchiveFile
  /** Nothing more can be read of it: another file has taken its place. */
  onChanged(error: ApiError): void
}

function Inside({ onChanged, ...props }: InsideProps) {
  const { source, entry, archive } = props
  const { t } = useLingui()
  const [folder, setFolder] = useState('')
  const [filter, setFilter] = useState('')
  const canExtract =
    source.kind === 'files' &&
    source.permissions.download &&
    ownAbilities().create &&
    isUnpackable(entry.name)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
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
        {canExtract && <ExtractButton archive={entry.path} chosen={chosen} />}
      </div>
      {archive.truncated && (
        <p className="vw-note rigid fs-md tone-warn" role="note">
          <Trans>Not all items in this archive are listed.</Trans>
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
        chosen={canExtract ? chosen : null}
        onChoose={(path, isChosen) => {
          const next = new Set(chosen)
          if (isChosen) next.add(path)
          else next.delete(path)
          setChosen(next)
        }}
      />
    </div>
  )
}

interface ExtractButtonProps {
  archive: string
  /** All of it where nothing is. */
  chosen: ReadonlySet<string>
}

function ExtractButton({ archive, chosen }: ExtractButtonProps) {
  async function extract() {
    const { extractElsewhere } = await import('../../operations/extract.ts')
    await extractElsewhere(archive, [...chosen])
  }
  return (
    <Button tone="line" icon={PackageOpen} onClick={() => void extract()}>
      {chosen.size === 0 ? (
        <Trans>Extract to…</Trans>
      ) : (
        <Plural value={chosen.size} one="Extract # item…" other="Extract # items…" />
      )}
    </Button>
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
          ? t`“${name}” is too large to open here. Download the whole archive instead.`
          : reason === 'encrypted'
            ? t`“${name}” is protected by a password.`
            : reason instanceof ApiError
              ? messageOf(reason)
              : t`“${name}” couldn’t be extracted.`,
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
