// Keys inside the viewer. The shown viewer is asked first, so that ← and → seek in a film instead of
// turning to the next file; what it leaves belongs to the frame.

import { useEffectEvent, useLayoutEffect } from 'react'

/** Returns true when the key was used; the frame then prevents the browser's own effect. */
type KeyHandler = (event: KeyboardEvent) => boolean

const handlers: KeyHandler[] = []

/** Lets the mounted viewer handle keys before the frame does. */
export function useViewerKeys(handler: KeyHandler) {
  const latest = useEffectEvent(handler)
  // In the same turn as the viewer is shown: an effect comes some time later.
  useLayoutEffect(() => {
    const stable: KeyHandler = (event) => latest(event)
    handlers.push(stable)
    return () => {
      handlers.splice(handlers.indexOf(stable), 1)
    }
  }, [])
}

/** Offers a key to the registered viewers, the latest first. */
export function offerKey(event: KeyboardEvent): boolean {
  for (let at = handlers.length - 1; at >= 0; at--) {
    if (handlers[at]?.(event)) return true
  }
  return false
}

/** What moves a slider that has the focus. */
const SLIDER_KEYS = /^(Arrow|Page|Home|End)/

/** True while keys belong to a field, a dialog or a menu and the viewer must not react. */
export function keysAreTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return true
  const target = event.target instanceof Element ? event.target : null
  if (target?.closest('input:not([type=range]), textarea, select, [contenteditable=true]'))
    return true
  if (target?.matches('input[type=range]') && SLIDER_KEYS.test(event.key)) return true
  // Toasts and tooltips are popovers, too; they take no keys.
  return document.querySelector('dialog[open], [role=menu]:popover-open') !== null
}

/** The Left key means "previous" where text runs left to right, "next" where it does not. */
export function stepOf(event: KeyboardEvent): -1 | 0 | 1 {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return 0
  const rtl = document.documentElement.dir === 'rtl'
  if (event.key === 'ArrowRight') return rtl ? -1 : 1
  if (event.key === 'ArrowLeft') return rtl ? 1 : -1
  return 0
}

/** What stays in sight of the screen before, in px. */
const OVERLAP_PX = 40

/**
 * Scrolls a document by its keys wherever in the viewer the focus is. False where there is nothing
 * left to scroll, so that a page around the document goes on.
 */
export function scrollByKey(event: KeyboardEvent, box: HTMLElement | null): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false
  const page = (box?.clientHeight ?? 0) - OVERLAP_PX
  const steps: Record<string, number> = {
    PageDown: page,
    PageUp: -page,
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
  }
  const step = steps[event.key]
  if (step === undefined) return false
  if (!box) return false
  const before = box.scrollTop
  const to = Math.min(box.scrollHeight - box.clientHeight, Math.max(0, before + step))
  box.scrollTop = to
  // Half a pixel is what browsers round by.
  return Math.abs(to - before) >= 1
}

/** Gives the scrolling part its keys without drawing a ring around it; Tab still does. */
export function focusQuietly(element: HTMLElement | null) {
  const options: FocusOptions & { focusVisible?: boolean } = {
    preventScroll: true,
    focusVisible: false,
  }
  element?.focus(options)
}
