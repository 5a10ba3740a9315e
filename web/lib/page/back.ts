// What Back closes on a touch screen before it leaves the place: menu, dialog, then whatever a screen
// has going on, such as the selection. With a mouse and a keyboard Back goes back, and Escape closes.

interface Layer {
  close: () => void
  /** Menus lie above dialogs. */
  menu: boolean
}

const layers: Layer[] = []

/** `close` is called for the next Back, unless something opened later takes it. Returns the release. */
export function closeOnBack(close: () => void, options: { menu?: boolean } = {}): () => void {
  const layer = { close, menu: options.menu === true }
  layers.push(layer)
  return () => {
    const at = layers.indexOf(layer)
    if (at >= 0) layers.splice(at, 1)
  }
}

/** Closes what is on top. False when Back should go back. */
export function closeTopLayer(): boolean {
  if (!matchMedia('(hover: none) and (pointer: coarse)').matches) return false
  const menu = layers.findLast((layer) => layer.menu)
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1)
  if (menu !== undefined) menu.close()
  // As browsers ask that have a gesture for it; the dialog may refuse to lose what was typed.
  else if (dialog !== undefined) dialog.dispatchEvent(new Event('cancel', { cancelable: true }))
  else if (layers.length > 0) layers.at(-1)?.close()
  else return false
  return true
}
