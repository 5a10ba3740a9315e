// The inside of a deleted entry: its folders level by level, its files in their viewers.

import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronRight, Download, FolderInput, RotateCcw, Trash2 } from 'lucide-react'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import type { FileEntry, FileInfo } from '../../../src/api-types.ts'
import { deletedUrl, findInTrash, readDeleted, type TrashItem } from '../../api/trash.ts'
import { formatSize } from '../../lib/format.ts'
import { go } from '../../lib/page/navigate.ts'
import { onDemand } from '../../lib/page/on-demand.tsx'
import { lineageOf, nameOf, parentOf, ROOT, shownName, trimPath } from '../../lib/paths.ts'
import { saveUrl } from '../../lib/save-url.ts'
import { abilitiesOn } from '../../state/rights.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DateText } from '../../ui/date-text.tsx'
import { EmptyState } from '../../ui/empty.tsx'
import { FileTile } from '../../ui/file-icon.tsx'
import type { ViewerKind } from '../../viewers/frame/source.ts'
import { WhenLoaded } from '../parts.tsx'
import { ActionsHead, StackTable } from '../stack-table.tsx'
import { useLoad } from '../use-load.ts'
import { eraseEntries, restoreElsewhere, restoreEntries } from './trash-actions.ts'
import { trashHref, trashPath } from './trash-address.ts'
import { createTrashSource } from './trash-source.ts'

const FileOverlay = onDemand(
  async () => (await import('../../viewers/frame/overlay.tsx')).FileOverlay,
)

interface TrashEntryProps {
  id: string
  /** Path in the entry, '' for the entry itself. */
  below: string
  /** It is no longer in the trash. */
  onGone: () => void
}

export function TrashEntry({ id, below, onGone }: TrashEntryProps) {
  const loaded = useLoad(`trash ${id}${below}`, (signal) => readDeleted(id, below, signal))
  return (
    <WhenLoaded loaded={loaded}>
      {(info) => (
        <Opened
          key={info.path}
          id={id}
          below={below}
          info={info}
          onGone={onGone}
          onTaken={loaded.reload}
        />
      )}
    </WhenLoaded>
  )
}

interface OpenedProps extends TrashEntryProps {
  info: FileInfo
  /** Something that lay in it is no longer there. */
  onTaken: () => void
}

function Opened({ id, below, info, onGone, onTaken }: OpenedProps) {
  // What the entry itself was called: all below it has its old path.
  const at = trimPath(info.path)
  const path = at.slice(0, at.length - below.length)
  const { download, create } = abilitiesOn(path)
  const folder = info.isDir ? info : null
  return (
    <>
      <Head id={id} path={path} folder={folder ? below : parentOf(below)} onGone={onGone} />
      {folder ? (
        <Items
          id={id}
          path={path}
          items={folder.items ?? []}
          canDownload={download}
          canRestore={create}
          onTaken={onTaken}
        />
      ) : (
        <Shown id={id} path={path} below={below} entry={info} canDownload={download} />
      )}
    </>
  )
}

interface ShownProps {
  id: string
  path: string
  below: string
  entry: FileEntry
  canDownload: boolean
}

/** A file over the page; closing it leads to its folder, or to the list. */
function Shown({ id, path, below, entry, canDownload }: ShownProps) {
  const source = useMemo(() => createTrashSource(id, path, canDownload), [id, path, canDownload])
  const [as, setAs] = useState<ViewerKind>()
  const show = (to: FileEntry, kind?: ViewerKind) => {
    setAs(kind)
    if (to.path !== entry.path)
      void go(trashPath(id, to.path.slice(path.length)), { replace: true })
  }
  const folder = below === '' ? trashPath() : trashPath(id, parentOf(below))
  const close = () => void go(folder, { replace: true })
  return (
    <Suspense fallback={null}>
      <FileOverlay
        source={source}
        file={{ entry, ...(as && { as }) }}
        onChange={(file) => (file ? show(file.entry, file.as) : close())}
      />
    </Suspense>
  )
}

interface HeadProps {
  id: string
  path: string
  /** The open folder, as a path in the entry. */
  folder: string
  onGone: () => void
}

function Head({ id, path, folder, onGone }: HeadProps) {
  const { t } = useLingui()
  const { data: item } = useLoad(`entry ${id}`, (signal) => findInTrash(id, path, signal))
  const act = async (work: Promise<string[]>) => {
    if ((await work).length > 0) onGone()
  }
  return (
    <div className="trash__bar trash__head row wraps fs-md">
      <nav className="trash__crumbs row wraps grow" aria-label={t`Breadcrumb`}>
        <a href={trashHref()}>
          <Trans>Trash</Trans>
        </a>
        {lineageOf(folder === '' ? ROOT : folder).map((at) => (
          <span key={at} className="row">
            <ChevronRight className="i i-sm flip dim" aria-hidden />
            <a href={trashHref(id, at)} aria-current={at === (folder || ROOT) ? 'page' : undefined}>
              <bdi>{shownName(nameOf(at === ROOT ? path : at))}</bdi>
            </a>
          </span>
        ))}
      </nav>
      {item && <Answers item={item} act={act} />}
    </div>
  )
}

interface AnswersProps {
  item: TrashItem
  act: (work: Promise<string[]>) => Promise<void>
}

function Answers({ item, act }: AnswersProps) {
  return (
    <>
      {item.canRestore && (
        <>
          <Button icon={RotateCcw} flipIcon onClick={() => act(restoreEntries([item]))}>
            <Trans>Restore</Trans>
          </Button>
          <Button icon={FolderInput} flipIcon onClick={() => act(restoreElsewhere([item]))}>
            <Trans>Restore to…</Trans>
          </Button>
        </>
      )}
      {item.canErase && (
        <Button tone="danger-text" icon={Trash2} onClick={() => act(eraseEntries([item]))}>
          <Trans>Delete for good</Trans>
        </Button>
      )}
    </>
  )
}

interface ItemsProps {
  id: string
  path: string
  items: readonly FileEntry[]
  canDownload: boolean
  canRestore: boolean
  onTaken: () => void
}

function Items({ items, ...of }: ItemsProps) {
  const { t } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  // The link that was followed is gone: the keyboard goes on in the list that has come.
  useEffect(() => {
    const name = box.current?.querySelector<HTMLElement>('.trash__name') ?? box.current
    if (document.activeElement === document.body) name?.focus({ preventScroll: true })
  }, [])
  if (items.length === 0) {
    return <EmptyState art="folder" title={<Trans>This folder is empty</Trans>} />
  }
  return (
    <StackTable
      ref={box}
      heads={
        <>
          <th>{t`Name`}</th>
          <th>{t`Modified`}</th>
          <th>{t`Size`}</th>
          <ActionsHead />
        </>
      }
    >
      {items.map((item) => (
        <Row key={item.path} item={item} {...of} />
      ))}
    </StackTable>
  )
}

function Row(props: Omit<ItemsProps, 'items'> & { item: FileEntry }) {
  const { id, path, item, canDownload, canRestore, onTaken } = props
  const { t } = useLingui()
  const name = shownName(item.name)
  const below = trimPath(item.path).slice(path.length)

  async function restore() {
    const { isDir } = item
    const back = await restoreEntries([{ id: `${id}${below}`, path: item.path, isDir }])
    if (back.length > 0) onTaken()
  }

  return (
    <tr className="trash__row">
      <td>
        <a className="row trash__entry trash__name" href={trashHref(id, below)}>
          <FileTile entry={item} />
          <bdi className="shrinks">{name}</bdi>
        </a>
      </td>
      <td className="mid" data-label={t`Modified`}>
        <DateText moment={item.modified} />
      </td>
      <td className="mid num" data-label={t`Size`}>
        {!item.isDir && formatSize(item.size)}
      </td>
      <td className="tbl__acts nowrap">
        {canRestore && (
          <IconButton
            size="sm"
            icon={RotateCcw}
            flipIcon
            label={t`Restore`}
            onClick={() => restore()}
          />
        )}
        {canDownload && (
          <IconButton
            size="sm"
            icon={Download}
            label={t`Download ${name}`}
            onClick={() => saveUrl(deletedUrl(id, below), item.name)}
          />
        )}
      </td>
    </tr>
  )
}
