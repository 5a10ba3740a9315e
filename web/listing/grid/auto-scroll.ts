// Scrolls the listing while something is dragged near its upper or lower edge, faster towards the rim.

const EDGE_PX = 56
const MAX_STEP_PX = 18

/** Feed it pointer positions in viewport pixels; `stop` when the drag ends. */
export function createAutoScroll(scroller: () => HTMLElement | null) {
  let y: number | null = null
  let frame = 0

  function step() {
    frame = 0
    const element = scroller()
    if (element === null || y === null) return
    const box = element.getBoundingClientRect()
    const up = EDGE_PX - (y - box.top)
    const down = EDGE_PX - (box.bottom - y)
    const depth = up > 0 ? -up : Math.max(down, 0)
    if (depth === 0) return
    const share = Math.max(-1, Math.min(1, depth / EDGE_PX))
    element.scrollTop += share * MAX_STEP_PX
    frame = requestAnimationFrame(step)
  }

  return {
    at(clientY: number) {
      y = clientY
      if (frame === 0) frame = requestAnimationFrame(step)
    },
    stop() {
      y = null
      cancelAnimationFrame(frame)
      frame = 0
    },
  }
}
