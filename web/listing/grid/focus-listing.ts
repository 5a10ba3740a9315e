import { focusFallback } from '../../lib/page/focus.ts'

/** Gives the keyboard to the listing: to its focused entry, or to the listing as a whole. */
export function focusListing(): void {
  // After the change that led here was drawn.
  requestAnimationFrame(() => focusFallback()?.focus({ preventScroll: true }))
}
