// Telling screen readers: one polite and one assertive region, at most one message a second each,
// the newest winning, so that fast changes do not queue up.

import { topModal } from './top-modal.ts'

const GAP_MS = 1000
/** Until readers have noticed a region that is new where it stands. */
const NOTICED_MS = 100

interface Region {
  element: HTMLElement | null
  next: string | null
  timer: ReturnType<typeof setTimeout> | undefined
}

const polite: Region = { element: null, next: null, timer: undefined }
const assertive: Region = { element: null, next: null, timer: undefined }

/** Reads `text` out; `urgent` interrupts what is being read. The text is already translated. */
export function announce(text: string, urgent = false): void {
  if (typeof document === 'undefined') return
  const region = urgent ? assertive : polite
  region.next = text
  if (region.timer === undefined) flush(region, urgent)
}

function flush(region: Region, urgent: boolean): void {
  region.timer = undefined
  if (region.next === null) return
  region.element ??= create(urgent)
  const { element } = region
  const home = topModal()
  if (element.parentElement !== home) {
    element.textContent = ''
    home.append(element)
    region.timer = setTimeout(() => flush(region, urgent), NOTICED_MS)
    return
  }
  // A repeated text would not be read again; an invisible difference makes it new.
  element.textContent = element.textContent === region.next ? `${region.next}\u00a0` : region.next
  region.next = null
  region.timer = setTimeout(() => flush(region, urgent), GAP_MS)
}

function create(urgent: boolean): HTMLElement {
  const element = document.createElement('div')
  element.className = 'sr'
  element.setAttribute('role', urgent ? 'alert' : 'status')
  element.setAttribute('aria-live', urgent ? 'assertive' : 'polite')
  element.setAttribute('aria-atomic', 'true')
  return element
}
