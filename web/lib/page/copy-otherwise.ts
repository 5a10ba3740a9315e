// Copying where the browser’s own way is refused, or is not there: over plain http it is not.

/** True when the text was copied after all. */
export async function askForPermission(text: string): Promise<boolean> {
  try {
    const name = 'clipboard-write' as PermissionName
    const { state } = await navigator.permissions.query({ name })
    if (state === 'denied') return false
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Firefox and Safari do not know this permission.
    return false
  }
}

/** Selects the text in a field nobody sees; inside an open dialog, as the rest cannot be focused. */
export function copyTheOldWay(text: string): boolean {
  const home = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'sr'
  home.append(field)
  field.focus({ preventScroll: true })
  field.setSelectionRange(0, text.length)
  let copied = false
  try {
    copied = document.execCommand('copy')
  } catch {
    // Some browsers throw instead of answering false.
  }
  field.remove()
  if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  return copied
}
