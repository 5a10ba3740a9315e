// What a person does to upload: choosing in the file dialog, dropping, on a slow line.
import type { BrowserContext, Locator, Page, Route } from 'playwright-core'
import { devtoolsOf } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'

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

/**
 * Drags files and folders of the disk from outside the browser to a point of the page, and drops them, when
 * the page shows `target`.
 */
export async function dragFromOutside(
  page: Page,
  { x, y }: { x: number; y: number },
  files: string[],
  target?: Locator,
): Promise<void> {
  const client = await page.context().newCDPSession(page)
  // What the drag allows, as a set of bits: copying is the first.
  const data = { items: [], files, dragOperationsMask: 1 }
  const send = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    client.send('Input.dispatchDragEvent', { type, x, y, data })
  await send('dragEnter')
  await send('dragOver')
  if (target !== undefined) {
    // A hand moves on until the page follows: one that is just being drawn is told of no drag.
    await waitFor('a place that takes it', async () => {
      await send('dragOver')
      return (await target.count()) > 0
    })
  }
  await send('drop')
  await client.detach()
}

/**
 * Keeps the pieces of uploads from some byte of each file on away from the server: what is under way does not
 * come to its end while a test looks at it. Only for files named in `names`. The result lets them go.
 */
export async function holdUploads(
  pages: Page | BrowserContext,
  names: readonly string[],
  fromByte: number,
): Promise<() => Promise<void>> {
  const held: Route[] = []
  const isHeld = (url: URL) => {
    return url.pathname.startsWith('/api/tus/') && names.some((name) => url.pathname.endsWith(name))
  }
  const hold = async (route: Route) => {
    const request = route.request()
    const isLater = Number(request.headers()['upload-offset']) >= fromByte
    if (request.method() === 'PATCH' && isLater) held.push(route)
    else await route.continue()
  }
  await pages.route(isHeld, hold)
  return async () => {
    await pages.unroute(isHeld, hold)
    // The page they came from may be gone.
    await Promise.all(held.map((route) => route.continue().catch(() => {})))
  }
}

/** True while the journal of the page holds the file: it would be asked for after a reload. */
export async function isRemembered(page: Page, name: string): Promise<boolean> {
  return page.evaluate(async (file) => {
    const found = (await indexedDB.databases()).find((each) => each.name?.startsWith('fb-uploads'))
    if (found?.name === undefined) return false
    const opening = indexedDB.open(found.name)
    await new Promise((resolve) => {
      opening.onsuccess = resolve
      opening.onerror = resolve
    })
    const journal = opening.result
    const reading = journal.transaction('items').objectStore('items').getAllKeys()
    await new Promise((resolve) => {
      reading.onsuccess = resolve
      reading.onerror = resolve
    })
    journal.close()
    return JSON.stringify(reading.result).includes(file)
  }, name)
}

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
  const session = await devtoolsOf(page)
  await session.send('Network.emulateNetworkConditions', {
    offline,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond === 0 ? -1 : bytesPerSecond,
  })
}
