// A folder beside the open one: links to what is in it, of which those in sight exist.

import { Trans } from '@lingui/react/macro'
import { type MouseEvent, useEffect, useRef } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { messageOf } from '../../api/error-text.ts'
import { useRows } from '../../lib/page/use-rows.ts'
import { filesHref } from '../../lib/paths.ts'
import { openEntry, openFolder } from '../../operations/commands/open-entry.ts'
import { folderTitle } from '../../operations/failure-toasts.ts'
import { selectOnArrival } from '../../operations/open-folder.ts'
import { prefetchFolder } from '../../state/listed-folder.ts'
import { session } from '../../state/session.ts'
import { EntryIcon } from '../grid/entry-cells.tsx'
import { noteClick } from '../grid/grid-pointer.ts'
import { NameLabel } from '../grid/name-label.tsx'
import { useFolderEntries } from './use-folder-entries.ts'

const ROW_REM = 2.25

interface SideColumnProps {
  vpath: string
  /** The one of its entries that the next column is. */
  current: string | null
  /** It is below the open folder, and looked into only. */
  isNext?: boolean
}

export function SideColumn({ vpath, current, isNext = false }: SideColumnProps) {
  const { entries, failure } = useFolderEntries(vpath)
  const scroller = useRef<HTMLElement>(null)
  const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
  const rows = useRows(() => scroller.current, entries?.length ?? 0, ROW_REM * remPx)
  const at = entries?.findIndex(({ path }) => path === current) ?? -1

  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at, { align: 'auto' })
  }, [at, rows])

  const open = (event: MouseEvent, entry: FileEntry) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    if (session.user?.singleClick === true) return openEntry(entry)
    // A second click comes down on the same entry in the grid.
    noteClick(entry.path, event.timeStamp)
    selectOnArrival(vpath, [entry.path])
    openFolder(vpath)
  }

  return (
    <nav
      ref={scroller}
      className={isNext ? 'side-column' : 'column side-column'}
      aria-label={folderTitle(vpath)}
      aria-busy={entries === null && failure === null}
    >
      {failure !== null && <p className="column__words dim fs-md">{messageOf(failure)}</p>}
      {entries?.length === 0 && (
        <p className="column__words dim fs-md">
          <Trans>This folder is empty</Trans>
        </p>
      )}
      {entries !== null && entries.length > 0 && (
        <div className="relative" role="list" style={{ blockSize: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const entry = entries[index]
            if (entry === undefined) return null
            return (
              <div
                key={entry.path}
                role="listitem"
                className="side-column__line"
                style={{ insetBlockStart: start }}
              >
                <a
                  href={filesHref(entry.path, entry.isDir)}
                  className="side-column__entry row"
                  tabIndex={entry.path === current ? 0 : -1}
                  aria-label={entry.name}
                  aria-current={entry.path === current ? 'true' : undefined}
                  data-dir={entry.isDir}
                  data-drop-path={entry.isDir ? entry.path : undefined}
                  draggable={false}
                  onClick={(event) => open(event, entry)}
                  onPointerEnter={() => {
                    if (entry.isDir) void prefetchFolder(entry.path)
                  }}
                >
                  <EntryIcon entry={entry} />
                  <NameLabel name={entry.name} />
                </a>
              </div>
            )
          })}
        </div>
      )}
    </nav>
  )
}
