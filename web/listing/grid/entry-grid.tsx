// The entries of the open folder in any view: a scroller in which only the lines in sight exist.

import { useLingui } from '@lingui/react/macro'
import {
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useSnapshot } from 'valtio'
import type { FileEntry } from '../../../src/api-types.ts'
import { setFocusFallback, takesKeys } from '../../lib/page/focus.ts'
import { PHONE, TOUCHED, useMedia } from '../../lib/page/media.ts'
import { onDemandBeside } from '../../lib/page/on-demand.tsx'
import { parentOf } from '../../lib/paths.ts'
import { takenOf } from '../../lib/sorting/sort-queue.ts'
import { scroll } from '../../operations/open-folder.ts'
import { indexOfPath, setShown, shownFolder } from '../../state/listing.ts'
import { prefs } from '../../state/prefs.ts'
import { renaming } from '../../state/renaming.ts'
import { provide } from '../../state/slots.ts'
import { drag } from '../drag/drag-session.ts'
import { daysOf } from '../taken/days.ts'
import { useColumnView } from '../use-columns.ts'
import { useClipboard, useListing, useSelection } from '../use-listing.ts'
import { band } from './band.ts'
import { ColumnHeader } from './column-header.tsx'
import {
  type CellProps,
  FileCard,
  FolderCard,
  GalleryTile,
  ListRow,
  loadRenameField,
  TouchRow,
} from './entry-cells.tsx'
import { type Geometry, type Line, lineAt, linesBetween, lineTop, placeOf } from './geometry.ts'
import { Heading } from './headings.tsx'
import { type Metrics, measure } from './metrics.ts'
import { useGridEvents } from './use-grid-events.ts'
import { useGridSize } from './use-grid-size.ts'

const DayMark = onDemandBeside(async () => (await import('../taken/day-mark.tsx')).DayMark)

/** Folders up to this size are drawn whole, so that the browser's own find works in them. */
const WHOLE_UP_TO = 200
const OVERSCAN_LINES = 10
/** Scrolling by less than this draws nothing new. */
const CHUNK_PX = 176

export function EntryGrid() {
  const { t } = useLingui()
  const { kind, shown } = useListing()
  const { visible, view, focus, folder } = shown
  const { mode, paths } = useSelection()
  const { compactRows } = useSnapshot(prefs)
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const { widthPx, heightPx, remPx } = useGridSize(scroller)
  const [chunk, setChunk] = useState(0)
  const metrics = useMetrics(widthPx, remPx)
  const { geometry, layout } = metrics
  const lines = useMemo(
    () => linesInSight(metrics, chunk * CHUNK_PX, heightPx),
    [metrics, chunk, heightPx],
  )
  const tabStop = focus ?? visible[0]?.path ?? null
  const headerPx = layout === 'list' ? Math.round(2.25 * remPx) : 0
  const look = (px: number) => setChunk(Math.floor(px / CHUNK_PX))
  const focusEntry = useFocusAndScroll({
    scroller,
    geometry,
    headerPx,
    coverPx: metrics.coverPx,
    lines,
    ready: widthPx > 0,
    look,
  })
  useRowNames(layout === 'list' || layout === 'column')
  const events = useGridEvents({
    scroller,
    content,
    metrics,
    widthPx,
    viewportPx: heightPx - headerPx,
    focusEntry,
  })

  const classes = ['grid', `grid--${layout}`, 'file-icons', view]
  if (layout === 'column' || (layout === 'list' && compactRows)) classes.push('is-compact')
  if (mode || paths.size > 0) classes.push('is-selecting')
  if (folder?.search) classes.push('is-hits')
  const stop = indexOfPath(tabStop)
  const stopInSight = lines.some((line) => holds(line, stop))

  return (
    <div
      {...events.attributes}
      ref={scroller}
      id="listing"
      role="grid"
      aria-label={t`Files`}
      aria-multiselectable
      aria-rowcount={geometry.lines + (layout === 'list' ? 1 : 0)}
      aria-colcount={layout === 'list' ? 6 : layout === 'column' ? 2 : metrics.columns}
      aria-busy={kind === 'loading'}
      tabIndex={stopInSight ? -1 : 0}
      className={classes.join(' ')}
      onScroll={(event) => {
        const { scrollTop } = event.currentTarget
        scroll.px = scrollTop
        look(scrollTop)
      }}
    >
      {layout === 'list' && <ColumnHeader />}
      {metrics.coverPx > 0 && <DayMark scroller={scroller} geometry={geometry} />}
      <div
        ref={content}
        role="presentation"
        className="relative"
        style={{ blockSize: geometry.totalPx }}
      >
        <div
          role="presentation"
          className="grid__lines"
          style={{ insetBlockStart: lineTop(geometry, lines[0]?.line ?? 0) }}
        >
          <Lines {...{ lines, metrics, visible, tabStop }} hover={events.hover} />
        </div>
        <Band />
      </div>
    </div>
  )
}

/** Names are typed in rows, but for fingers, which need the room of a dialog. */
function useRowNames(hasRows: boolean): void {
  const touched = useMedia(TOUCHED)
  const someSelected = useSelection().paths.size > 0
  const possible = hasRows && !touched
  useEffect(() => {
    if (possible) return provide('rowNames', { load: loadRenameField })
  }, [possible])
  useEffect(() => {
    // What is typed right after the key belongs into the field.
    if (possible && someSelected) loadRenameField().catch(() => {})
  }, [possible, someSelected])
}

function useMetrics(widthPx: number, remPx: number): Metrics {
  const { visible, view, sort, folder } = useListing().shown
  // Hits stand as well as they fit, folders among files.
  const isFlat = folder?.search !== undefined
  const folders = useMemo(() => (isFlat ? 0 : countFolders(visible)), [isFlat, visible])
  const byDay = view === 'mosaic gallery' && sort.column === 'taken' && folder?.taken !== undefined
  const dates = folder?.taken
  const days = useMemo(
    () => (byDay ? daysOf(visible.slice(folders), dates) : null),
    [byDay, visible, folders, dates],
  )
  const { compactRows } = useSnapshot(prefs)
  const phone = useMedia(PHONE)
  const column = useColumnView()
  return useMemo(
    () =>
      measure({
        view,
        column,
        phone,
        compact: compactRows,
        isFlat,
        widthPx: Math.max(widthPx, 1),
        folders,
        files: visible.length - folders,
        days,
        remPx,
      }),
    [view, column, phone, compactRows, isFlat, widthPx, folders, visible.length, days, remPx],
  )
}

/** Folders come first. */
function countFolders(entries: readonly FileEntry[]): number {
  const files = entries.findIndex((entry) => !entry.isDir)
  return files < 0 ? entries.length : files
}

interface Placing {
  scroller: RefObject<HTMLElement | null>
  geometry: Geometry
  /** Height of the column headings, which cover the first pixels. */
  headerPx: number
  /** What is covered at the upper edge by the heading of the day that is there. */
  coverPx: number
  lines: readonly Line[]
  /** False before the first layout. */
  ready: boolean
  look(px: number): void
}

/** Lands where a folder opens, and keeps the focused entry in sight. Gives what moves the focus. */
function useFocusAndScroll(placing: Placing) {
  const { scroller, geometry, headerPx, coverPx, lines, ready, look } = placing
  const { focus, landing } = useListing().shown
  /** The focused row is to have the keyboard; until it is drawn, the list itself has it. */
  const wanted = useRef<'no' | 'yes' | 'undrawn'>('no')

  const bringIntoView = useEffectEvent((path: string, where: 'nearest' | 'middle') => {
    const element = scroller.current
    const index = indexOfPath(path)
    if (element === null || index < 0) return
    const { topPx, heightPx: linePx } = placeOf(geometry, index)
    const top = topPx + headerPx
    const seen = element.clientHeight
    if (where === 'middle') {
      if (topPx - coverPx >= element.scrollTop && top + linePx <= element.scrollTop + seen) return
      element.scrollTop = Math.max(0, top - (seen - linePx) / 2)
    } else if (topPx - coverPx < element.scrollTop) {
      // At the very first line the heading above it comes along.
      element.scrollTop = index === 0 ? 0 : topPx - coverPx
    } else if (top + linePx > element.scrollTop + seen) element.scrollTop = top + linePx - seen
    look(element.scrollTop)
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: a landing is made once, when it is asked
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || !ready) return
    if (landing.kind === 'top') element.scrollTop = 0
    else if (landing.kind === 'offset') element.scrollTop = landing.scrollPx
    else bringIntoView(landing.path, 'middle')
    scroll.px = element.scrollTop
    look(element.scrollTop)
    const active = document.activeElement
    const idle = active === null || active === document.body || element.contains(active)
    // Coming from a link elsewhere, keys should act here; what is being typed into keeps them.
    if (idle || (landing.arrival && !takesKeys(active))) wanted.current = 'yes'
  }, [landing, ready])

  // The focused row may have been drawn just now, or not be in sight at all.
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines say what is drawn
  useLayoutEffect(() => {
    if (wanted.current === 'no') return
    const element = scroller.current
    const active = document.activeElement
    // Somebody types elsewhere by now, for instance in the shell that made this smaller, or has gone elsewhere.
    if (takesKeys(active) || (wanted.current === 'undrawn' && active !== element)) {
      wanted.current = 'no'
      return
    }
    const cell = focus === null ? null : cellOf(element, indexOfPath(focus))
    // Nothing to wait for without a focused entry; a later try would interrupt a press of the mouse.
    wanted.current = cell === null && focus !== null ? 'undrawn' : 'no'
    ;(cell ?? element)?.focus({ preventScroll: true })
  }, [focus, lines, landing])

  useEffect(
    () =>
      setFocusFallback(() => {
        const element = scroller.current
        return cellOf(element, indexOfPath(shownFolder().focus)) ?? element
      }),
    [scroller],
  )

  return (path: string) => {
    setShown({ focus: path })
    wanted.current = 'yes'
    bringIntoView(path, 'nearest')
  }
}

function linesInSight(metrics: Metrics, scrollPx: number, heightPx: number): Line[] {
  const { geometry } = metrics
  if (geometry.count <= WHOLE_UP_TO) return linesBetween(geometry, 0, geometry.lines)
  const from = lineAt(geometry, scrollPx) - OVERSCAN_LINES
  const to = lineAt(geometry, scrollPx + CHUNK_PX + heightPx) + OVERSCAN_LINES
  return linesBetween(geometry, from, to)
}

function cellOf(scroller: HTMLElement | null, index: number): HTMLElement | null {
  return index < 0 ? null : (scroller?.querySelector(`[data-index="${index}"]`) ?? null)
}

function holds(line: Line, index: number): boolean {
  return line.kind === 'row' && index >= line.first && index < line.first + line.count
}

interface LinesProps {
  lines: readonly Line[]
  metrics: Metrics
  visible: readonly FileEntry[]
  tabStop: string | null
  hover: number
}

function Lines({ lines, metrics, visible, tabStop, hover }: LinesProps) {
  const { paths, mode } = useSelection()
  const { focus, busy, fresh, sort, folder } = useListing().shown
  const { cutPaths } = useClipboard()
  const dragged = useSnapshot(drag).paths
  const { path: renamedPath } = useSnapshot(renaming)
  const { layout } = metrics
  const isList = layout === 'list' || layout === 'column'
  const offset = layout === 'list' ? 2 : 1
  // No pointer hovers where a finger is all there is.
  const still = useMedia(TOUCHED)

  // Neighbouring selected rows become one shape; the two groups stay apart.
  const isNextSelected = (index: number) => {
    const next = visible[index + 1]
    return next !== undefined && next.isDir === visible[index]?.isDir && paths.has(next.path)
  }
  const cell = (entry: FileEntry, index: number, rowIndex: number): CellProps => {
    const { path } = entry
    const selected = paths.has(path)
    return {
      entry,
      index,
      taken: sort.column === 'taken' ? takenOf(folder?.taken, entry) : undefined,
      rowIndex,
      selected,
      tabStop: path === tabStop,
      // On one of many they would act on that one and end the selection.
      showsActions: selected ? paths.size === 1 : still || index === hover || path === focus,
      cut: cutPaths.has(path),
      busy: busy.has(path),
      fresh: fresh.has(path),
      dragged: dragged.has(path),
      joined: selected && isNextSelected(index),
      renamed: isList && path === renamedPath,
      below: folder?.search && parentOf(folder.vpath),
    }
  }

  return lines.map((line) => {
    if (line.kind === 'heading')
      return <Heading key={`${line.group}${line.day}`} line={line} offset={offset} />
    const entry = visible[line.first]
    if (entry === undefined) return null
    if (isList) {
      return <ListRow key={entry.path} {...cell(entry, line.first, line.line + offset)} />
    }
    if (layout === 'touch') {
      const selecting = mode || paths.size > 0
      return (
        <TouchRow
          key={entry.path}
          {...cell(entry, line.first, line.line + offset)}
          selecting={selecting}
        />
      )
    }
    const Cell =
      line.group === 'folders' ? FolderCard : layout === 'mosaic' ? FileCard : GalleryTile
    return (
      <div
        key={`${line.group}${line.line}`}
        role="row"
        aria-rowindex={line.line + offset}
        className="grid__row"
        style={{
          blockSize: line.heightPx,
          gap: metrics.gapPx,
          paddingBlockEnd: metrics.gapPx,
          gridTemplateColumns: `repeat(${metrics.columns}, minmax(0, 1fr))`,
        }}
      >
        {visible.slice(line.first, line.first + line.count).map((each, i) => (
          <Cell key={each.path} {...cell(each, line.first + i, line.line + offset)} />
        ))}
      </div>
    )
  })
}

function Band() {
  const { box } = useSnapshot(band)
  if (box === null) return null
  const { left, top, right, bottom } = box
  return (
    <div
      className="band"
      style={{ left, top, width: right - left, height: bottom - top }}
      aria-hidden
    />
  )
}
