// Keeps the place in a chapter: pictures get their height after the place was looked up, and the text
// size changes how tall everything is. No React here.

import { ID_PREFIX } from '../office/safe-html.ts'

/** The browser rounds what it is told to scroll to. */
const ROUNDING_PX = 2
/** Where to look for the first thing in sight, from the upper edge; between blocks there is nothing. */
const PROBES_PX = [4, 20, 40, 70, 110]

interface Kept {
  element: Element
  /** How much of the element is above the upper edge, as a share of its height. */
  share: number
}

/**
 * Goes to `at` (0 to 1, or an id of the chapter) and stays there while the chapter takes its shape;
 * later what is being read stays in sight. `view` scrolls, `page` holds the chapter in its shadow
 * root. `onMoved` is told the share scrolled. The result ends it.
 */
export function keepPlace(
  view: HTMLElement,
  page: HTMLElement,
  at: number | string,
  onMoved: (ratio: number) => void,
): () => void {
  const root = page.shadowRoot
  let settled = false
  let ended = false
  let target = 0
  let kept: Kept | null = null

  const room = () => view.scrollHeight - view.clientHeight
  const ratio = () => (room() > 0 ? Math.min(1, Math.max(0, view.scrollTop / room())) : 0)

  function go() {
    if (typeof at === 'number') view.scrollTop = at * room()
    else {
      const found = root?.getElementById(ID_PREFIX + at)
      if (found) found.scrollIntoView()
      else view.scrollTop = 0
    }
    target = view.scrollTop
  }

  function hold() {
    const box = view.getBoundingClientRect()
    kept = null
    for (const probe of PROBES_PX) {
      const element = root?.elementFromPoint(box.left + box.width / 2, box.top + probe)
      if (!element || element.classList.contains('document') || !root?.contains(element)) continue
      const { top, height } = element.getBoundingClientRect()
      kept = { element, share: height > 0 ? (box.top - top) / height : 0 }
      return
    }
  }

  function settle() {
    settled = true
    hold()
  }

  function onScroll() {
    if (!settled && Math.abs(view.scrollTop - target) <= ROUNDING_PX) return
    settle()
    onMoved(ratio())
  }

  function onResize() {
    if (!settled) return go()
    if (!kept?.element.isConnected) return
    const { top, height } = kept.element.getBoundingClientRect()
    view.scrollTop += top + kept.share * height - view.getBoundingClientRect().top
  }

  go()
  onMoved(typeof at === 'number' ? at : ratio())
  const observer = new ResizeObserver(onResize)
  observer.observe(page)
  view.addEventListener('scroll', onScroll, { passive: true })
  const pictures = [...(root?.querySelectorAll('img') ?? [])]
  void Promise.allSettled(pictures.map((picture) => picture.decode())).then(() => {
    if (ended || settled) return
    go()
    settle()
    onMoved(ratio())
  })
  return () => {
    ended = true
    observer.disconnect()
    view.removeEventListener('scroll', onScroll)
  }
}
