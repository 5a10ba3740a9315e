// Where a floating box goes: beside its anchor, inside the window, flipped where there is no room.

const GAP = 6
const EDGE = 8

/** Puts a menu under its button (above when there is no room), or with a corner at a point. */
export function placeMenu(box: HTMLElement, anchor: HTMLElement | { x: number; y: number }): void {
  const rtl = document.documentElement.dir === 'rtl'
  // Not the bounding box: that one is scaled and moved while the opening animation runs.
  const width = box.offsetWidth
  const height = box.offsetHeight
  const { innerWidth, innerHeight } = window
  let left: number
  let top: number
  if (anchor instanceof HTMLElement) {
    const at = anchor.getBoundingClientRect()
    // Start edges meet, unless the menu would leave the window; then end edges do.
    left = rtl ? at.right - width : at.left
    if (left + width > innerWidth - EDGE) left = at.right - width
    if (left < EDGE) left = at.left
    top = at.bottom + GAP
    if (top + height > innerHeight - EDGE && at.top - GAP - height >= EDGE) {
      top = at.top - GAP - height
    }
  } else {
    left = rtl ? anchor.x - width : anchor.x
    if (left + width > innerWidth - EDGE) left = anchor.x - width
    if (left < EDGE) left = anchor.x
    top = anchor.y
    // Above the pointer when it fits there; otherwise it is pushed up as far as needed.
    if (top + height > innerHeight - EDGE && anchor.y - height >= EDGE) top = anchor.y - height
  }
  left = Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))
  top = Math.max(EDGE, Math.min(top, innerHeight - height - EDGE))
  box.style.left = `${left}px`
  box.style.top = `${top}px`
}

/** Centres a small box above its anchor, or below when there is no room. */
export function placeTip(box: HTMLElement, at: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = box
  const left = at.left + at.width / 2 - width / 2
  const below = at.bottom + GAP
  const top = below + height > window.innerHeight - EDGE ? at.top - GAP - height : below
  box.style.left = `${Math.max(EDGE, Math.min(left, window.innerWidth - width - EDGE))}px`
  box.style.top = `${Math.max(EDGE, top)}px`
}
