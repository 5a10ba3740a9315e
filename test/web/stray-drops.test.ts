// A file dropped where nothing takes it leaves the page as it is.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { sharedSite } from './browser-steps.ts'
import { entry, showList } from './listing-steps.ts'
import { dragFromOutside } from './upload-steps.ts'

let file = ''
const site = sharedSite(() => ({ 'note.txt': 'words', 'noise.dat': Buffer.from([0, 1, 2]) }))

beforeAll(async () => {
  file = join(site.tree.base, 'dropped.txt')
  await writeFile(file, 'from outside')
})

/** Drops the file in the middle of the page; whether the browser was told not to open it. */
async function dropInTheMiddle(page: Page): Promise<boolean | undefined> {
  await page.evaluate(() => {
    Reflect.deleteProperty(window, 'refused')
    // After everything else that listens. A refused drag ends without a drop.
    for (const type of ['dragover', 'drop']) {
      addEventListener(type, (event) => {
        if (!event.defaultPrevented) Object.assign(window, { refused: false })
        else if (type === 'drop' || (event as DragEvent).dataTransfer?.dropEffect === 'none') {
          Object.assign(window, { refused: true })
        }
      })
    }
  })
  const refused = () => page.evaluate(() => Reflect.get(window, 'refused') as boolean | undefined)
  // A hand moves on until the page follows: one that is just being drawn is told of no drag.
  await waitFor('the drag', async () => {
    await dragFromOutside(page, { x: 640, y: 400 }, [file])
    return (await refused()) !== undefined
  })
  return refused()
}

describe('a file from outside is refused', () => {
  it.each(['/login', '/settings/profile', '/files/noise.dat'])('at %s', async (path) => {
    const as = path === '/login' ? { as: null } : {}
    await using open = await site.open({ path, ...as })
    const { page } = open
    await page.getByRole('main').first().waitFor()
    expect(await dropInTheMiddle(page)).toBe(true)
    await expect.poll(() => new URL(page.url()).pathname).toBe(path)
  })

  it('over a dialog and while a folder loads', async () => {
    await using open = await site.open({ path: '/files/' })
    const { page } = open
    await showList(page)
    await entry(page, 'note.txt').click()
    await page.keyboard.press('Alt+n')
    await page.getByRole('dialog').waitFor()
    expect(await dropInTheMiddle(page)).toBe(true)

    await page.route('**/api/resources/**', () => {})
    await page.reload()
    await page.getByRole('navigation', { name: 'Places' }).waitFor()
    expect(await dropInTheMiddle(page)).toBe(true)
    expect(await site.tree.read('note.txt')).toBe('words')
  })
})
