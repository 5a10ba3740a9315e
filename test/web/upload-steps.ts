// What a person does to upload: choosing in the file dialog, dropping, on a slow line.
import type { CDPSession, Locator, Page } from 'playwright-core'

/** The panel of all uploads. */
export const panel = (page: Page): Locator => page.getByRole('region', { name: 'Uploads' })

/** What asks, after a reload, for the files of an upload that was cut short. */
export const notice = (page: Page): Locator =>
  page.getByRole('region', { name: 'Interrupted upload' })

/** Gives the notice what it asks for. */
export async function chooseAgain(
  page: Page,
  button: 'Choose files' | 'Choose folder',
  paths: string | string[],
): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await notice(page).getByRole('button', { name: button }).click()
  await (await chooser).setFiles(paths)
}

/** Chooses files, or one folder, in the dialog behind an entry of the Upload or New menu. */
export async function pickFiles(
  page: Page,
  paths: string[],
  entry: 'Upload files' | 'Upload folder' = 'Upload files',
): Promise<void> {
  const opener = page
    .getByRole('button', { name: 'Upload', exact: true })
    .or(page.getByRole('button', { name: 'New', exact: true }))
  // The wish to hear of the dialog must reach the browser before what opens it.
  const chooser = page.waitForEvent('filechooser')
  await opener.filter({ visible: true }).first().click()
  await page.getByRole('menuitem', { name: entry }).click()
  const [first = ''] = paths
  await (await chooser).setFiles(entry === 'Upload folder' ? first : paths)
}

/** Names to contents; an object is a folder, null a file that cannot be read. */
export interface DroppedTree {
  [name: string]: string | null | DroppedTree
}

/**
 * Drops a tree on the listing. Browsers let no script make a dropped folder, so its entries are
 * played to the page as the browser would give them, a hundred at a time.
 */
export async function dropTree(page: Page, tree: DroppedTree): Promise<void> {
  await page.evaluate((roots) => {
    type Value = string | null | { [name: string]: Value }
    function toEntry(name: string, value: Value): object {
      if (value === null) {
        const file = (_done: unknown, fail: (error: DOMException) => void) =>
          setTimeout(() => fail(new DOMException('', 'NotReadableError')))
        return { name, isFile: true, isDirectory: false, file }
      }
      if (typeof value === 'string') {
        const file = new File([value], name, { lastModified: 1_700_000_000_000 })
        return {
          name,
          isFile: true,
          isDirectory: false,
          file: (done: (file: File) => void) => setTimeout(() => done(file)),
        }
      }
      return {
        name,
        isFile: false,
        isDirectory: true,
        createReader() {
          const left = Object.entries(value)
          return {
            readEntries(done: (entries: object[]) => void) {
              const some = left.splice(0, 100).map(([child, sub]) => toEntry(child, sub))
              setTimeout(() => done(some))
            },
          }
        },
      }
    }
    const data = new DataTransfer()
    data.items.add(new File(['x'], 'placeholder'))
    const items = Object.entries(roots as { [name: string]: Value }).map(([name, value]) => ({
      kind: 'file',
      type: '',
      webkitGetAsEntry: () => toEntry(name, value),
      getAsFile: () => null,
    }))
    Object.defineProperty(data, 'items', { value: items })
    const target = document.querySelector('#listing') ?? document.body
    for (const type of ['dragenter', 'dragover', 'drop']) {
      const event = new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data })
      Object.defineProperty(event, 'dataTransfer', { value: data })
      target.dispatchEvent(event)
    }
  }, tree as object)
}

/** Drags files and folders of the disk from outside the browser to a point of the page, and drops them. */
export async function dragFromOutside(
  page: Page,
  { x, y }: { x: number; y: number },
  files: string[],
): Promise<void> {
  const client = await page.context().newCDPSession(page)
  // What the drag allows, as a set of bits: copying is the first.
  const data = { items: [], files, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await client.send('Input.dispatchDragEvent', { type, x, y, data })
  }
  await client.detach()
}

const sessions = new WeakMap<Page, CDPSession>()

/** Limits what the page sends to so many bytes a second; 0 lifts the limit. */
export async function slowUploads(page: Page, bytesPerSecond: number): Promise<void> {
  await setNetwork(page, { offline: false, bytesPerSecond })
}

/** Pulls the plug. `slowUploads` puts it back. */
export async function goOffline(page: Page): Promise<void> {
  await setNetwork(page, { offline: true, bytesPerSecond: 0 })
}

interface Network {
  offline: boolean
  bytesPerSecond: number
}

async function setNetwork(page: Page, { offline, bytesPerSecond }: Network): Promise<void> {
  let session = sessions.get(page)
  if (session === undefined) {
    session = await page.context().newCDPSession(page)
    sessions.set(page, session)
  }
  await session.send('Network.emulateNetworkConditions', {
    offline,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond === 0 ? -1 : bytesPerSecond,
  })
}
