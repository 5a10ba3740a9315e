// The browser's own drag and drop for mice: entries inside the page and out to the desktop, files from
// outside in. Listens on the document, so that breadcrumbs and the sidebar are targets, too.

import type { FileEntry } from '../../../src/api-types.ts'
import { absoluteUrl, rawUrl } from '../../api/files.ts'
import { filesHref } from '../../lib/paths.ts'
import { isApple } from '../../operations/commands/shortcut.ts'
import { listing, openFolderPath } from '../../state/listing.ts'
import { abilitiesOn } from '../../state/rights.ts'
import { createAutoScroll } from '../grid/auto-scroll.ts'
import {
  drag,
  dragOver,
  dropEntries,
  droppable,
  endDrag,
  startEntryDrag,
  startFileDrag,
} from './drag-session.ts'

/** Marks drags that began in this page. */
const OWN_TYPE = 'application/x-filebrowser-entries'

/** Browsers repeat `dragover` at least this often while the pointer is inside. */
const GONE_AFTER_MS = 450

function holdsCopyKey(event: DragEvent): boolean {
  return isApple() ? event.altKey : event.ctrlKey || event.metaKey
}

let emptyImage: HTMLElement | null = null

/** Begins a drag of entries: our own ghost is drawn instead of the browser's picture. */
export function beginNativeDrag(event: DragEvent, entries: readonly FileEntry[]): void {
  const { dataTransfer } = event
  if (dataTransfer === null) return
  dataTransfer.effectAllowed = 'copyMove'
  dataTransfer.setData(OWN_TYPE, JSON.stringify(entries.map((entry) => entry.path)))
  const links = entries.map((entry) => absoluteUrl(filesHref(entry.path, entry.isDir)))
  dataTransfer.setData('text/uri-list', links.join('\r\n'))
  dataTransfer.setData('text/plain', links.join('\n'))
  const [only] = entries
  if (
    entries.length === 1 &&
    only !== undefined &&
    !only.isDir &&
    abilitiesOn(only.path).download
  ) {
    // Dropped on the desktop, Chromium fetches the file itself.
    const name = only.name.replaceAll(':', '-')
    const url = absoluteUrl(rawUrl(only.path))
    dataTransfer.setData('DownloadURL', `application/octet-stream:${name}:${url}`)
  }
  emptyImage ??= createEmptyImage()
  dataTransfer.setDragImage(emptyImage, 0, 0)
  startEntryDrag(entries, event.clientX, event.clientY)
}

function createEmptyImage(): HTMLElement {
  const element = document.createElement('div')
  element.className = 'drag-nothing'
  document.body.append(element)
  return element
}

function isFileDrag(event: DragEvent): boolean {
  const types = event.dataTransfer?.types ?? []
  return types.includes('Files') && !types.includes(OWN_TYPE)
}

/** Must read the data before it returns: the browser empties it afterwards. */
type FileDrop = (data: DataTransfer, folder: string) => void

export function watchNativeDrags(
  scroller: () => HTMLElement | null,
  onFiles: FileDrop,
): () => void {
  const autoScroll = createAutoScroll(scroller)

  let gone: ReturnType<typeof setTimeout> | undefined

  const onOver = (event: DragEvent) => {
    clearTimeout(gone)
    if (drag.kind !== 'entries') {
      if (!isFileDrag(event) || !takesFiles()) return
      const count = event.dataTransfer?.items.length ?? 0
      if (drag.kind === null || drag.count !== count) startFileDrag(count)
    }
    const element = event.target instanceof Element ? event.target : null
    dragOver(element, event.clientX, event.clientY, holdsCopyKey(event))
    if (drag.kind === 'files' && drag.target === null) drag.target = droppable(openFolderPath())
    if (event.dataTransfer === null) return
    event.preventDefault()
    const effect = drag.kind === 'files' || drag.copy ? 'copy' : 'move'
    event.dataTransfer.dropEffect = drag.target === null ? 'none' : effect
    autoScroll.at(event.clientY)
  }
  const onDrop = (event: DragEvent) => {
    clearTimeout(gone)
    if (drag.kind === null) return
    event.preventDefault()
    autoScroll.stop()
    if (drag.kind === 'entries') {
      dropEntries()
      return
    }
    const folder = drag.target
    endDrag()
    if (folder !== null && event.dataTransfer !== null) onFiles(event.dataTransfer, folder)
  }
  const onLeave = (event: DragEvent) => {
    // Leaving the window: the next element is none, and nothing is heard from inside any more.
    if (event.relatedTarget !== null || drag.kind === null) return
    clearTimeout(gone)
    gone = setTimeout(() => {
      autoScroll.stop()
      if (drag.kind === 'files') endDrag()
      else drag.target = null
    }, GONE_AFTER_MS)
  }
  const onEnd = () => {
    clearTimeout(gone)
    autoScroll.stop()
    endDrag()
  }
  // A folder opened while dragging takes the dragged row away, and with it its `dragend`.
  const onMove = (event: PointerEvent) => {
    if (drag.kind !== null && event.pointerType === 'mouse' && event.buttons === 0) onEnd()
  }

  const ended = new AbortController()
  const { signal } = ended
  document.addEventListener('dragover', onOver, { signal })
  document.addEventListener('drop', onDrop, { signal })
  document.addEventListener('dragleave', onLeave, { signal })
  document.addEventListener('dragend', onEnd, { signal })
  document.addEventListener('pointermove', onMove, { signal })
  return () => {
    ended.abort()
    onEnd()
  }
}

/** Dialogs and viewers over the listing do not pass files on to it. */
function takesFiles(): boolean {
  return listing.phase.kind === 'folder' && document.querySelector('dialog[open]') === null
}
