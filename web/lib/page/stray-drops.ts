// A browser opens what is dropped on a page in place of the page. Nothing is lost by a drop beside its
// target here: what nothing takes is refused.

/** Refuses drops that nothing else in the page takes. Call once, at the start. */
export function refuseStrayDrops(): void {
  // On the window, where everything has had its turn before.
  addEventListener('dragover', (event) => {
    if (!isStray(event)) return
    event.preventDefault()
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none'
  })
  addEventListener('drop', (event) => {
    if (isStray(event)) event.preventDefault()
  })
}

function isStray(event: DragEvent): boolean {
  const types = event.dataTransfer?.types ?? []
  const hasFiles = types.includes('Files')
  if (event.defaultPrevented || !(hasFiles || types.includes('text/uri-list'))) return false
  const { target } = event
  if (!(target instanceof HTMLElement)) return true
  // Text editors take the text of files, fields take addresses and file fields take files.
  if (target.isContentEditable) return false
  return !target.matches(hasFiles ? 'input[type="file"]' : 'input, textarea')
}
