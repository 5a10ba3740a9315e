// The rows of a folder in an archive, or of what was found in it.

import { Trans, useLingui } from '@lingui/react/macro'
import { Download, Lock } from 'lucide-react'
import { useRef } from 'react'
import { formatDate, formatSize } from '../../lib/format.ts'
import { useRows } from '../../lib/page/use-rows.ts'
import { IconButton } from '../../ui/button.tsx'
import { FileTile } from '../../ui/file-icon.tsx'
import { Checkbox } from '../../ui/toggle.tsx'
import { scrollByKey, useViewerKeys } from '../frame/viewer-keys.ts'
import type { ArchiveItem } from './archive-item.ts'
import type { FolderRow } from './archive-tree.ts'

const ROW_PX = 44

interface RowsProps {
  rows: FolderRow[]
  busy: string | null
  onOpen(row: FolderRow): void
  onSave(item: ArchiveItem): void
  /** What is to be unpacked on the server, by path; null where that cannot be. */
  chosen: ReadonlySet<string> | null
  onChoose(path: string, isChosen: boolean): void
}

export function Rows({ rows, busy, onOpen, onSave, chosen, onChoose }: RowsProps) {
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
      <ul className={chosen ? 'vw-archive-pick' : ''} style={{ blockSize: list.getTotalSize() }}>
        {list.getVirtualItems().map((virtual) => {
          const row = rows[virtual.index]
          if (!row) return null
          return (
            <li key={row.path} style={{ transform: `translateY(${virtual.start}px)` }}>
              {chosen && (
                <span className="center">
                  <Checkbox
                    aria-label={t`Select ${row.name}`}
                    checked={chosen.has(row.path)}
                    onChange={(isChosen) => onChoose(row.path, isChosen)}
                  />
                </span>
              )}
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
