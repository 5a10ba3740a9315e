// The door to uploads for the rest of the interface. Small, because every screen has it: the queue,
// the protocol and the panel are loaded with the first upload.

import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { retryOnceOnline } from '../lib/page/network.ts'
import { toastError } from '../operations/toasts.ts'
import { captureDrop } from './drop/capture-drop.ts'
import type { Scan } from './dropped-files.ts'

/** Uploads what was dropped, folders included. Call it inside the drop handler. */
export function addDroppedItems(data: DataTransfer, targetVPath: string): Promise<void> {
  const drop = captureDrop(data)
  return add(({ scanDrop }) => scanDrop(drop), targetVPath)
}

/** Uploads files by their names, or by their paths when they come from a folder picker. */
export function addFiles(files: Iterable<File>, targetVPath: string): Promise<void> {
  const list = Array.from(files)
  return add(({ scanFiles }) => scanFiles(list), targetVPath)
}

/**
 * Uploads the files of a paste, such as a screenshot. False when there are none; the paste is then
 * somebody else's.
 */
export function addPasted(data: DataTransfer, targetVPath: string): boolean {
  const files = Array.from(data.files)
  if (files.length === 0) return false
  const [nowMs, label] = [Date.now(), i18n._(msg`Pasted picture`)]
  void add(
    ({ scanFiles, nameClipboardFiles }) => scanFiles(nameClipboardFiles(files, nowMs, label)),
    targetVPath,
  )
  return true
}

/**
 * Asks for files or a folder with the browser's own dialog and uploads them. `camera` takes a photo
 * on devices that can. Call it inside a click or key handler.
 */
export function pickFiles(kind: 'files' | 'folder' | 'camera', targetVPath: string): void {
  const input = fileInput((files) => void addFiles(files, targetVPath))
  input.multiple = kind !== 'camera'
  input.webkitdirectory = kind === 'folder'
  if (kind === 'camera') {
    input.accept = 'image/*'
    // As an attribute: browsers of computers do not know the property.
    input.setAttribute('capture', 'environment')
  }
  input.click()
}

/** Asks for files once it is clicked. */
export function fileInput(onFiles: (files: File[]) => void): HTMLInputElement {
  const input = document.createElement('input')
  input.type = 'file'
  // In the page, not only in memory: some browsers forget the answer otherwise.
  input.hidden = true
  input.className = 'upload-input'
  document.body.append(input)
  input.addEventListener('change', () => {
    const files = Array.from(input.files ?? [])
    input.remove()
    if (files.length > 0) onFiles(files)
  })
  input.addEventListener('cancel', () => input.remove())
  return input
}

/** Looks for uploads that a reload or crash cut short. Call when somebody signed in. */
export async function findInterrupted(): Promise<void> {
  const { loadInterrupted } = await retryOnceOnline(() => import('./resume.ts'))
  await loadInterrupted()
}

type Scans = typeof import('./dropped-files.ts')

async function add(scanOf: (scans: Scans) => Scan, targetVPath: string): Promise<void> {
  try {
    const [{ addScan }, scans] = await Promise.all([
      import('./add.ts'),
      import('./dropped-files.ts'),
    ])
    await addScan(scanOf(scans), targetVPath)
  } catch (error) {
    // The code of uploads could not be loaded: no connection, or a new version on the server.
    toastError(error)
  }
}
