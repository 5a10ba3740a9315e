// What a hand does before a picture is taken, in whatever language the page speaks.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { entry } from '../../test/web/listing-steps.ts'

export interface Scene {
  page: Page
  /** The text on the screen for an English one of the interface, without placeholders. */
  say(english: string): string
  /** Where the photographed folder lies on the disk. */
  folder: string
}

/** Small, larger, largest: the first one arrives while the others are on their way. */
const UPLOADS = ['notes.txt', 'stage-plan.pdf', 'rehearsal.mov']
const SLOW_BYTES_PER_S = 400 * 1024

export async function listed({ page }: Scene): Promise<void> {
  await entry(page, 'launch-plan.md').waitFor()
}

export async function view(scene: Scene, name: 'List' | 'Grid' | 'Gallery'): Promise<void> {
  await scene.page.locator('#listing').waitFor()
  await scene.page.getByRole('radio', { name: scene.say(name), exact: true }).check()
}

/** The bar that takes the toolbar's place. */
export function selectionBar({ page, say }: Scene): Locator {
  return page.getByRole('toolbar', { name: say('Selection') })
}

export async function selectThree(scene: Scene): Promise<void> {
  const { page } = scene
  await view(scene, 'List')
  await entry(page, 'dawn-hero.jpg').click()
  for (const name of ['launch-plan.md', 'mountain-lake.jpg']) {
    await entry(page, name).click({ modifiers: ['Control'] })
  }
}

/** A finger that stays until the entry is selected. */
export async function hold({ page }: Scene, name: string): Promise<void> {
  const finger = await page.context().newCDPSession(page)
  const box = await entry(page, name).boundingBox()
  const at = { x: (box?.x ?? 0) + 120, y: (box?.y ?? 0) + 20 }
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] })
  await page.locator('#listing [aria-selected="true"]').first().waitFor()
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

/** Files held over the listing, as the browser tells it. */
export async function dragFiles(scene: Scene, count: number): Promise<void> {
  await view(scene, 'List')
  await scene.page.evaluate((amount) => {
    const data = new DataTransfer()
    for (let n = 0; n < amount; n++) data.items.add(new File(['x'], `${n}.jpg`))
    const init = { bubbles: true, cancelable: true, dataTransfer: data, clientX: 700, clientY: 500 }
    const target = document.querySelector('#listing')
    target?.dispatchEvent(new DragEvent('dragenter', init))
    target?.dispatchEvent(new DragEvent('dragover', init))
  }, count)
}

/** Over a line slow enough to see the files on their way. */
export async function upload(scene: Scene, names: string[]): Promise<void> {
  const { page, say } = scene
  await listed(scene)
  const line = await page.context().newCDPSession(page)
  await line.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 20,
    downloadThroughput: -1,
    uploadThroughput: SLOW_BYTES_PER_S,
  })
  const opener = page
    .getByRole('button', { name: say('Upload'), exact: true })
    .or(page.getByRole('button', { name: say('New'), exact: true }))
  await opener.filter({ visible: true }).first().click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: say('Upload files') }).click()
  await (await chooser).setFiles(
    names.map((name, n) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.alloc(n === 0 ? 3000 : 2_000_000 * n),
    })),
  )
  await page.getByRole('region', { name: say('Uploads') }).waitFor()
}

export async function uploadThree(scene: Scene): Promise<void> {
  await upload(scene, UPLOADS)
  // The speed is known a moment later.
  await scene.page
    .locator('.up__sub')
    .getByText(/[1-9٠-٩].*\/.*·.*·/)
    .waitFor()
  await scene.page.mouse.move(640, 20)
}

/** So that the next picture finds the folder as it was. */
export async function cancelUploads({ page, say, folder }: Scene): Promise<void> {
  await page.getByRole('button', { name: say('Cancel all') }).click()
  await page.getByRole('button', { name: say('Cancel uploads') }).click()
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await rm(join(folder, UPLOADS[0] ?? ''), { force: true })
}

/** The share dialog of a picture. */
export async function openShare(scene: Scene): Promise<void> {
  const { page, say } = scene
  await view(scene, 'List')
  await entry(page, 'dawn-hero.jpg').click()
  await selectionBar(scene)
    .getByRole('button', { name: say('Share') })
    .click()
  await page.getByRole('dialog').waitFor()
}

export async function pictureShown({ page }: Scene): Promise<void> {
  await page.locator('.vw-picture > img[data-shown=true]').waitFor()
  await page.locator('.vw-frame img').first().waitFor()
}

/** A page of settings with everything it asks the server for. */
export async function settingsShown({ page }: Scene): Promise<void> {
  await page.getByRole('heading').nth(2).waitFor()
}
