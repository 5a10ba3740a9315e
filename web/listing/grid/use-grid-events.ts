// Everything a person can do to the listing by mouse, finger and keyboard, handled in one place for
// all its rows.

import {
  type DragEvent,
  type HTMLAttributes,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { isRtl } from '../../lib/i18n.ts'
import { isLayerOpen, takesKeys } from '../../lib/page/focus.ts'
import { useDocumentKeys } from '../../lib/page/keys.ts'
import { FINGERS, useMedia } from '../../lib/page/media.ts'
import { currentContext } from '../../operations/commands/context.ts'
import { runAction } from '../../operations/commands/registry.ts'
import type { ActionContext } from '../../operations/commands/types.ts'
import { isAsking } from '../../operations/prompts.ts'
import { prefetchFolder } from '../../state/listed-folder.ts'
import { indexOfPath, listing, setShown, shownFolder } from '../../state/listing.ts'
import { selection, selectPaths } from '../../state/selection.ts'
import { beginNativeDrag } from '../drag/native-drag.ts'
import { indexesInBox } from './geometry.ts'
import { handleEscape, handleGridKey } from './grid-keys.ts'
import { openGridMenu } from './grid-menu.tsx'
import {
  entryOf,
  handleClick,
  handleMiddleClick,
  isTouch,
  notePointer,
  selectForAction,
} from './grid-pointer.ts'
import type { Metrics } from './metrics.ts'

interface Given {
  scroller: RefObject<HTMLDivElement | null>
  content: RefObject<HTMLDivElement | null>
  metrics: Metrics
  widthPx: number
  viewportPx: number
  focusEntry(path: string): void
}

/** A context menu event this soon after the menu key belongs to it. */
const MENU_KEY_MS = 500

/** Hovering this long means a folder will probably be opened. */
const PREFETCH_AFTER_MS = 65

export function useGridEvents(given: Given): {
  attributes: HTMLAttributes<HTMLDivElement>
  hover: number
} {
  const { scroller } = given
  const menuKeyAtMs = useGridKeys(given)
  const press = usePress(given)
  const { hover, onPointerOver, onPointerLeave } = useHover()

  const hasFingers = useMedia(FINGERS)
  useEffect(() => {
    const element = scroller.current
    if (element === null || !hasFingers) return
    const ended = new AbortController()
    void import('./touch-handlers.ts').then(({ attachTouch }) => attachTouch(element, ended.signal))
    return () => ended.abort()
  }, [scroller, hasFingers])

  const attributes: HTMLAttributes<HTMLDivElement> & Record<`data-${string}`, string> = {
    'data-listing-keys': '',
    ...press,
    onAuxClick: (event) => handleMiddleClick(event.nativeEvent),
    onContextMenu(event) {
      // Shift gives the browser's own menu.
      if (event.shiftKey) return
      event.preventDefault()
      // Some systems send this after the key that has opened the menu already.
      if (event.timeStamp - menuKeyAtMs.current < MENU_KEY_MS || isTouch()) return
      openGridMenu(entryOf(event.target), { x: event.clientX + 2, y: event.clientY })
    },
    onPointerOver,
    onPointerLeave,
    onFocus(event) {
      const entry = entryOf(event.target)
      if (entry === null) {
        // Reached by Tab while the entry with the tab stop was out of sight.
        const stop = shownFolder().focus ?? shownFolder().visible[0]?.path
        const byKey = event.target === scroller.current && event.target.matches(':focus-visible')
        if (byKey && event.relatedTarget !== null && stop !== undefined) given.focusEntry(stop)
        return
      }
      setShown({ focus: entry.path })
      if (entry.isDir) void prefetchFolder(entry.path)
    },
    onTouchStart(event) {
      const entry = entryOf(event.target)
      if (entry?.isDir === true) void prefetchFolder(entry.path)
    },
  }

  return { attributes, hover }
}

/** Keys of the listing. Gives the time at which the menu key was pressed last, in ms. */
function useGridKeys({ scroller, metrics, viewportPx, focusEntry }: Given) {
  // Not 0: a click in the first moments of the page is near that.
  const menuKeyAtMs = useRef(Number.NEGATIVE_INFINITY)

  // Before the shortcuts of the page, which listen on the document, too.
  useDocumentKeys((event) => {
    if (event.defaultPrevented) return
    if (event.key === 'Escape' && isForFiles(event)) {
      if (handleEscape()) event.preventDefault()
      return
    }
    if (!isForGrid(event, scroller.current)) return
    if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault()
      menuKeyAtMs.current = event.timeStamp
      openMenuByKey(scroller.current)
      return
    }
    const used = handleGridKey(event, { metrics, viewportPx, focusEntry })
    if (used) event.preventDefault()
    else if (event.key === ' ' && runAction('preview', keyContext())) event.preventDefault()
    else if (event.key === 'Enter' && runAction('open', keyContext())) event.preventDefault()
  }, true)
  return menuKeyAtMs
}

/** Presses of the mouse: a click, dragging what was pressed, or drawing a box. */
function usePress({ scroller, content, metrics, widthPx }: Given) {
  const swallowClick = useRef(false)
  /** The press was on a handle or on a selected entry: moving drags it. */
  const onHandle = useRef(false)

  const selectInBand = useEffectEvent((box: Parameters<typeof indexesInBox>[1], base: string[]) => {
    const indexes = indexesInBox(metrics.geometry, box, widthPx, metrics.gapPx, isRtl())
    const paths = indexes.flatMap((index) => shownFolder().visible[index]?.path ?? [])
    selectPaths([...base, ...paths])
    const last = paths.at(-1)
    if (last !== undefined) setShown({ focus: last })
  })

  function onPointerDown(event: PointerEvent) {
    notePointer(event.pointerType)
    const target = event.target as Element
    onHandle.current = false
    if (event.pointerType !== 'mouse' || event.button !== 0) return
    if (target.closest('button, input') !== null) return
    // Pressing a name or icon, or anything selected, takes hold of it; elsewhere a box begins.
    const entry = entryOf(target)
    onHandle.current = entry !== null && (isHandle(target) || selection.paths.has(entry.path))
    if (onHandle.current) return
    if (scroller.current !== null && content.current !== null)
      void drawBand(event.nativeEvent, scroller.current, content.current)
  }

  async function drawBand(down: globalThis.PointerEvent, view: HTMLElement, inside: HTMLElement) {
    const base: string[] = []
    // There before it is needed: screens/page-commands.tsx.
    const { followBand } = await import('./rubber-band.ts')
    followBand(down, {
      scroller: view,
      content: inside,
      onStart(add) {
        if (add) base.push(...selection.paths)
        swallowClick.current = true
      },
      onChange: (box) => selectInBand(box, base),
      onEnd() {
        // The click of this release comes next; without one the next real click must count.
        setTimeout(() => {
          swallowClick.current = false
        })
      },
    })
  }

  return {
    onPointerDown,
    onClick(event: MouseEvent) {
      if (swallowClick.current) event.preventDefault()
      else handleClick(event.nativeEvent, { openMenu: openGridMenu })
    },
    onDragStart(event: DragEvent) {
      const entry = entryOf(event.target)
      if (entry === null || !onHandle.current || isTouch()) {
        event.preventDefault()
        return
      }
      selectForAction(entry)
      beginNativeDrag(event.nativeEvent, currentContext().selected)
    },
  }
}

function useHover() {
  const [hover, setHover] = useState(-1)
  const prefetchTimer = useRef<ReturnType<typeof setTimeout>>(undefined)
  return {
    hover,
    onPointerOver(event: PointerEvent) {
      if (event.pointerType !== 'mouse') return
      const entry = entryOf(event.target)
      setHover(entry === null ? -1 : indexOfPath(entry.path))
      clearTimeout(prefetchTimer.current)
      if (entry === null) return
      showWholeName(event.target as Element, entry.name)
      prefetchTimer.current = setTimeout(() => prefetchEntry(entry), PREFETCH_AFTER_MS)
    },
    onPointerLeave() {
      setHover(-1)
      clearTimeout(prefetchTimer.current)
    },
  }
}

/** A name that is cut short can be read in a tooltip. */
function showWholeName(target: Element, name: string): void {
  const label = target.closest('[data-index]')?.querySelector<HTMLElement>('.fname')
  const stem = label?.querySelector('.fname__stem')
  if (label == null || stem == null) return
  if (stem.scrollWidth > stem.clientWidth) label.dataset.tip = name
  else delete label.dataset.tip
}

/** Name and icon are the handle of an entry. */
function isHandle(target: Element): boolean {
  return target.closest('.tile, .fname, .fcard, .card, .gtile, .trow') !== null
}

/** Escape clears from the bars around the listing, too. */
function isForFiles({ target }: KeyboardEvent): boolean {
  if (listing.phase.kind === 'file' || isLayerOpen() || takesKeys(target)) return false
  if (!(target instanceof Element)) return false
  return target === document.body || target.closest('#main') !== null
}

/** Keys that move through the listing act while it has the focus, or nothing in particular has. */
function isForGrid(event: KeyboardEvent, scroller: HTMLElement | null): boolean {
  const { target } = event
  if (listing.phase.kind !== 'folder' || event.isComposing) return false
  if (isLayerOpen() || isAsking() || !(target instanceof Element)) return false
  if (target === document.body || target.id === 'main') return true
  if (scroller === null || !scroller.contains(target) || takesKeys(target)) return false
  // Buttons and boxes inside the listing keep Enter and Space.
  const own = target.closest('button, input')
  return own === null || (event.key !== 'Enter' && event.key !== ' ')
}

/** For Enter and Space: the entry with the focus ring, selected or not, else what is selected. */
function keyContext(): ActionContext {
  const context = currentContext()
  const { focused } = context
  const ringed = document.activeElement?.matches('[data-index]:focus-visible') === true
  return focused !== null && ringed ? { ...context, selected: [focused] } : context
}

/** Where the focused entry is, or at the top of the listing for the folder itself. */
function openMenuByKey(scroller: HTMLElement | null): void {
  const index = indexOfPath(shownFolder().focus)
  const cell = scroller?.querySelector<HTMLElement>(`[data-index="${index}"]`)
  const box = (cell ?? scroller)?.getBoundingClientRect()
  const rtl = isRtl()
  const x = box === undefined ? 0 : rtl ? box.right - 56 : box.left + 56
  const y = box === undefined ? 0 : Math.min(box.bottom, box.top + 40)
  openGridMenu(shownFolder().visible[index] ?? null, { x, y }, true)
}

function prefetchEntry(entry: FileEntry): void {
  if (entry.isDir) void prefetchFolder(entry.path)
  else
    import('../../viewers/frame/prefetch-editor.ts').then(
      ({ prefetchEditorFor }) => prefetchEditorFor(entry),
      // Opening the file will say what is wrong.
      () => {},
    )
}
