// Where the keyboard focus goes when the element that had it is gone.

let fallback: (() => HTMLElement | null) | null = null

/**
 * Names the element to focus when a dialog or menu closes and its opener no longer exists. The
 * screen that is shown sets it, and clears it by calling the function it gets back.
 */
export function setFocusFallback(find: () => HTMLElement | null): () => void {
  fallback = find
  return () => {
    if (fallback === find) fallback = null
  }
}

export function focusFallback(): HTMLElement | null {
  return fallback?.() ?? document.querySelector<HTMLElement>('main')
}

/**
 * Gives the focus back when a dialog or menu closes. An opener in the list counts as gone: the row that the list
 * stands on by now may be another, such as a folder just made.
 */
export function giveFocusBack(opener: Element | null): void {
  const stays =
    opener instanceof HTMLElement && opener.isConnected && !opener.closest('#listing [data-index]')
  const back = stays ? opener : focusFallback()
  back?.focus({ preventScroll: true })
}

/** True when key presses belong to the element: it is typed into, or has keys of its own. */
export function takesKeys(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable) return true
  if (target instanceof HTMLInputElement) {
    return !['checkbox', 'radio', 'button', 'submit', 'reset'].includes(target.type)
  }
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLMediaElement ||
    target.closest('[role="menu"], dialog, [data-own-keys]') !== null
  )
}

/** True while a dialog or menu is open, which has the keys for itself. */
export function isLayerOpen(): boolean {
  return document.querySelector('dialog[open], [role="menu"]:popover-open') !== null
}
