// The column view: the folders above the open one, the open one itself, and what is selected in it, side by
// side. The open folder is the grid of the other views; the columns around it lead to other folders.

import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { isRtl } from '../../lib/i18n.ts'
import { isLayerOpen, takesKeys } from '../../lib/page/focus.ts'
import { useDocumentKeys } from '../../lib/page/keys.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { lineageOf } from '../../lib/paths.ts'
import { openEntry, openParent } from '../../operations/commands/open-entry.ts'
import { selectOnArrival } from '../../operations/open-folder.ts'
import { cachedFolder } from '../../state/folder-cache.ts'
import { entryAt, listing, shownFolder } from '../../state/listing.ts'
import { useListing, useSelection } from '../use-listing.ts'
import { inColumnOrder } from './column-order.ts'
import styles from './columns.css?url'
import { FilePreview } from './file-preview.tsx'
import { SideColumn } from './side-column.tsx'

await loadStylesheet(styles)

export function Columns({ children }: { children: ReactNode }) {
  const { t } = useLingui()
  const phase = useListing()
  const { kind, vpath } = phase
  const { folder } = phase.shown
  // The folder before stays while another is on its way, and behind a file.
  const stays = kind === 'file' || (kind === 'loading' && !phase.slow)
  const here = stays ? (folder?.vpath ?? vpath) : vpath
  const lineage = lineageOf(here)
  const active = useRef<HTMLDivElement>(null)
  const next = useRef<HTMLDivElement>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each folder
  useLayoutEffect(() => {
    next.current?.scrollIntoView({ inline: 'nearest', block: 'nearest' })
    active.current?.scrollIntoView({ inline: 'nearest', block: 'nearest' })
  }, [here])

  useDocumentKeys((event) => {
    if (event.defaultPrevented || !isForColumns(event)) return
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      event.preventDefault()
      if ((event.key === 'ArrowLeft') !== isRtl()) openParent(here)
      else openFocused()
    }
  })

  return (
    <div className="columns" role="group" aria-label={t`Columns`}>
      {lineage.slice(0, -1).map((above, i) => (
        <SideColumn key={above} vpath={above} current={lineage[i + 1] ?? null} />
      ))}
      <div ref={active} className="column column--open">
        {children}
      </div>
      <div ref={next} className="column column--next">
        {kind === 'folder' && <Next />}
      </div>
    </div>
  )
}

/** What is in the only one selected. */
function Next() {
  const { paths } = useSelection()
  const [path] = paths
  const entry = paths.size === 1 && path !== undefined ? entryAt(path) : undefined
  if (entry === undefined) return null
  if (!entry.isDir) return <FilePreview key={entry.path} entry={entry} />
  if (entry.unreachable) return null
  return <SideColumn key={entry.path} vpath={entry.path} current={null} isNext />
}

/** Keys act where those of the listing do. */
function isForColumns({ target, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  if (altKey || ctrlKey || metaKey || shiftKey || isLayerOpen() || takesKeys(target)) return false
  if (listing.phase.kind !== 'folder' || !(target instanceof Element)) return false
  return target === document.body || target.id === 'main' || target.closest('#listing') !== null
}

/** Opens the folder with the focus, and begins at its first entry. */
function openFocused(): void {
  const { focus, visible } = shownFolder()
  const entry = focus === null ? visible[0] : entryAt(focus)
  if (!entry?.isDir) return
  const folder = cachedFolder(entry.path)
  const first = folder === null ? undefined : inColumnOrder(folder)[0]
  if (first !== undefined) selectOnArrival(entry.path, [first.path])
  openEntry(entry)
}
