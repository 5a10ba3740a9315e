// The tree of folders in the sidebar: follows the folder that is shown, takes drops, and draws only the
// rows in sight.

import { useLingui } from '@lingui/react/macro'
import { ChevronRight, TriangleAlert } from 'lucide-react'
import { memo, useCallback, useEffect, useId, useRef, useState } from 'react'
import { messageOf } from '../../api/error-text.ts'
import { isRtl } from '../../lib/i18n.ts'
import { goHref } from '../../lib/page/navigate.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { filesHref } from '../../lib/paths.ts'
import { findTyped, TypedText } from '../../lib/type-ahead.ts'
import type { TreeRow } from '../../state/folder-tree.ts'
import { FolderGlyph } from '../../ui/file-icon.tsx'
import { Spinner } from '../../ui/progress.tsx'
import styles from './folder-tree.css?url'
import { treeMove } from './tree-keys.ts'
import { useFolderTree } from './use-folder-tree.ts'

await loadStylesheet(styles)

/** Rows drawn beyond what is in sight, each way. */
const OVERSCAN_ROWS = 8

export function FolderTree({ here }: { here: string | null }) {
  const { t } = useLingui()
  const { rows, loading, failed, toggle } = useFolderTree(here)
  const [focus, setFocus] = useState<string | null>(null)
  const [typed] = useState(() => new TypedText())
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const sight = useRowsInSight(box, rows.length)
  const at = rows.findIndex((row) => row.path === (focus ?? here))
  useFollowed(box, sight, rows, here)

  const moveTo = (index: number) => {
    setFocus(rows[index]?.path ?? null)
    bringIntoView(box.current, index, sight.rowPx)
  }

  function onKeyDown(event: React.KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { key } = event
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / sight.rowPx) - 1)
    const move = treeMove(rows, at, { key, rtl: isRtl(), page })
    if (move === null) {
      if (key.length !== 1) return
      const names = { length: rows.length, at: (index: number) => rows[index]?.name }
      const found = findTyped(names, typed.add(key, event.timeStamp), at)
      if (found !== null) moveTo(found)
    } else if ('to' in move) moveTo(move.to)
    else if ('toggle' in move) toggle(rows[move.toggle]?.path ?? '', move.expanded)
    else void goHref(filesHref(rows[move.open]?.path ?? '/', true))
    event.preventDefault()
    event.stopPropagation()
  }

  const active = at >= sight.from && at < sight.to ? `${id}-${at}` : undefined
  return (
    <div
      ref={box}
      className="ftree"
      role="tree"
      aria-label={t`Folders`}
      aria-activedescendant={active}
      tabIndex={0}
      data-own-keys
      onKeyDown={onKeyDown}
      onFocus={() => at >= 0 && bringIntoView(box.current, at, sight.rowPx)}
      onBlur={() => setFocus(null)}
      onScroll={sight.look}
    >
      <div role="presentation" style={{ blockSize: rows.length * sight.rowPx }}>
        <div role="presentation" style={{ transform: `translateY(${sight.from * sight.rowPx}px)` }}>
          {rows.slice(sight.from, sight.to).map((row, i) => (
            <Row
              key={row.path}
              id={`${id}-${sight.from + i}`}
              row={row}
              current={row.path === here}
              active={sight.from + i === at}
              loading={loading.has(row.path)}
              problem={failed.get(row.path)}
              onToggle={toggle}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

interface RowProps {
  id: string
  row: TreeRow
  current: boolean
  active: boolean
  loading: boolean
  problem: unknown
  onToggle(path: string, expanded: boolean): void
}

const Row = memo(function Row({ id, row, current, active, loading, problem, onToggle }: RowProps) {
  const { t } = useLingui()
  const link = useRef<HTMLAnchorElement>(null)
  const why = row.unreachable
    ? t`The disk isn’t responding. Try again later.`
    : problem === undefined
      ? undefined
      : messageOf(problem)

  // A folder that is hovered while something is dragged opens here instead of on the screen.
  useEffect(() => {
    const open = (event: Event) => {
      event.preventDefault()
      onToggle(row.path, true)
    }
    const element = link.current
    element?.addEventListener('springopen', open)
    return () => element?.removeEventListener('springopen', open)
  })

  return (
    <a
      ref={link}
      id={id}
      role="treeitem"
      tabIndex={-1}
      href={filesHref(row.path, true)}
      aria-label={why === undefined ? row.name : `${row.name}. ${why}`}
      aria-level={row.level - 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={row.hasChildren === false ? undefined : row.expanded}
      aria-current={current ? 'page' : undefined}
      aria-busy={loading || undefined}
      className={active ? 'ftree__row is-active' : 'ftree__row'}
      style={{ '--level': row.level - 2 } as React.CSSProperties}
      data-drop-path={row.path}
      draggable={false}
      // The tree keeps the keyboard.
      onMouseDown={(event) => event.preventDefault()}
      onPointerEnter={showWholeName}
    >
      <span
        className={row.expanded ? 'ftree__twist center is-open' : 'ftree__twist center'}
        aria-hidden
        hidden={row.hasChildren === false}
        onClick={(event) => {
          event.preventDefault()
          event.stopPropagation()
          onToggle(row.path, !row.expanded)
        }}
      >
        {loading ? <Spinner /> : <ChevronRight className="i i-sm flip" />}
      </span>
      <FolderGlyph />
      <bdi className="trunc">{row.name}</bdi>
      {why !== undefined && (
        <span className="ftree__why" data-tip={why}>
          <TriangleAlert className="i i-sm" aria-hidden />
        </span>
      )}
    </a>
  )
})

/** A name that is cut short can be read in a tooltip. */
function showWholeName({ currentTarget }: React.PointerEvent<HTMLElement>): void {
  const name = currentTarget.querySelector<HTMLElement>('bdi')
  if (name === null) return
  if (name.scrollWidth > name.clientWidth) currentTarget.dataset.tip = name.textContent ?? ''
  else delete currentTarget.dataset.tip
}

function bringIntoView(box: HTMLElement | null, index: number, rowPx: number): void {
  if (box === null || index < 0) return
  const topPx = index * rowPx
  if (topPx < box.scrollTop) box.scrollTop = topPx
  else if (topPx + rowPx > box.scrollTop + box.clientHeight) {
    box.scrollTop = topPx + rowPx - box.clientHeight
  }
}

/** Which rows to draw, and how high each is as the style sheet says. */
function useRowsInSight(box: React.RefObject<HTMLElement | null>, count: number) {
  const [view, setView] = useState({ topPx: 0, heightPx: 0, rowPx: 32 })
  const look = useCallback(() => {
    const element = box.current
    if (element === null) return
    const rowPx = Number.parseFloat(getComputedStyle(element).lineHeight) || 32
    const next = { topPx: element.scrollTop, heightPx: element.clientHeight, rowPx }
    setView((now) =>
      Math.floor(now.topPx / rowPx) === Math.floor(next.topPx / rowPx) &&
      now.heightPx === next.heightPx &&
      now.rowPx === rowPx
        ? now
        : next,
    )
  }, [box])
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, look])
  const first = Math.floor(view.topPx / view.rowPx)
  const from = Math.max(0, Math.min(first - OVERSCAN_ROWS, count))
  const inSight = Math.ceil(view.heightPx / view.rowPx)
  const to = Math.min(count, first + inSight + OVERSCAN_ROWS)
  return { from, to, rowPx: view.rowPx, look }
}

/** Brings the folder that is shown into sight, once for each, as soon as its row is there. */
function useFollowed(
  box: React.RefObject<HTMLElement | null>,
  { rowPx }: { rowPx: number },
  rows: readonly TreeRow[],
  here: string | null,
): void {
  const followed = useRef<string | null>(null)
  useEffect(() => {
    if (here === null || followed.current === here) return
    const index = rows.findIndex((row) => row.path === here)
    if (index < 0 || box.current?.clientHeight === 0) return
    followed.current = here
    bringIntoView(box.current, index, rowPx)
  })
}
