// A custom.css written for File Browser finds the elements it was written for: each name of the
// list in the contract marks something that can be seen.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openPage, PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'
import { entry, showList } from './listing-steps.ts'
import { pickFiles } from './upload-steps.ts'

/** Of a property that nothing else sets, that is not inherited and that cannot be seen. */
const MARK = '1234px'
const names = [
  ...'#listing #search #previewer #editor-container #login #dropdown #file-selection'.split(' '),
  ...'#multiple-selection #modal-background .item .header .name .size .modified .action'.split(' '),
  ...'.button .button--flat .button--block .input .card .floating .card-title'.split(' '),
  ...'.card-content .card-action .breadcrumbs .credits .dashboard .share .file-icons'.split(' '),
  ...'.context-menu .upload-files .message .overlay .mosaic .gallery .list'.split(' '),
  ...'header nav main [data-dir] [data-type] [data-ext] [aria-label] [aria-selected]'.split(' '),
]
const CSS = names.map((name) => `${name} { scroll-margin-top: ${MARK} }`)

let browser: Browser
let tree: Tree
let program: Program
let hash = ''

beforeAll(async () => {
  browser = await launchBrowser()
  tree = await makeTree({
    'brand/custom.css': CSS.join('\n'),
    'files/note.txt': 'words',
    'files/sound.bin': Buffer.from([0, 1, 2, 3]),
    'files/folder/inside.txt': 'x',
    'files/empty': null,
  })
  program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  const settings = (await (await admin.fetch('/api/settings')).json()) as { branding: object }
  const branding = { ...settings.branding, files: tree.at('brand') }
  await admin.fetch('/api/settings', {
    method: 'PUT',
    body: JSON.stringify({ ...settings, branding }),
  })
  const shared = await admin.fetch('/api/share/files/', { method: 'POST', body: '{}' })
  hash = ((await shared.json()) as { hash: string }).hash
})

afterAll(async () => {
  await program[Symbol.asyncDispose]()
  await tree[Symbol.asyncDispose]()
  await browser.close()
})

/** Names that have been seen to mark a visible element, over all tests of this file. */
const seen = new Set<string>()

/** Waits until each name marks something visible. */
async function expectMarked(page: Page, wanted: string) {
  for (const name of wanted.split(' ')) {
    await waitFor(`a visible ${name}`, () =>
      page.locator(name).evaluateAll(
        (found, mark) =>
          found.some((element) => {
            const { width, height } = element.getBoundingClientRect()
            const style = getComputedStyle(element)
            return (
              width > 0 && height > 0 && element.checkVisibility() && style.scrollMarginTop === mark
            )
          }),
        MARK,
      ),
    )
    seen.add(name)
  }
}

it('in the listing', async () => {
  await using opened = await openPage(browser, program, { path: '/files/files/' })
  const { page } = opened
  await showList(page)
  await expectMarked(page, '#listing #search header nav main .item .header')
  await expectMarked(page, '.name .size .modified .breadcrumbs .credits .file-icons .list .action')
  await expectMarked(page, '[data-dir] [data-type] [data-ext] [aria-label] [aria-selected]')
  await entry(page, 'note.txt').click()
  await expectMarked(page, '#multiple-selection')
  await page.keyboard.press('Escape')
  await page.getByRole('radio', { name: 'Grid' }).check()
  await expectMarked(page, '.mosaic .card')
  await page.getByRole('radio', { name: 'Gallery' }).check()
  await expectMarked(page, '.gallery')
  await page.getByRole('radio', { name: 'List' }).check()
  await page.goto('/files/files/empty/')
  await expectMarked(page, '.message')
})

it('in dialogs and menus', async () => {
  await using opened = await openPage(browser, program, { path: '/files/files/' })
  const { page } = opened
  await entry(page, 'note.txt').click({ button: 'right' })
  await expectMarked(page, '.context-menu')
  await page.keyboard.press('Escape')
  await page.keyboard.press('F2')
  await page.getByRole('dialog').waitFor()
  await expectMarked(page, '.floating .card .card-title .card-content .card-action .input .button')
  await expectMarked(page, '.button--flat #modal-background .overlay')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await expectMarked(page, '#dropdown')
})

it('in viewer, editor, settings, share, login and uploads', async () => {
  await using opened = await openPage(browser, program, { path: '/files/files/sound.bin' })
  const { page } = opened
  await expectMarked(page, '#previewer')
  await page.goto('/files/files/note.txt')
  await expectMarked(page, '#editor-container')
  await page.goto('/settings/profile')
  await expectMarked(page, '.dashboard')
  await page.goto(`/share/${hash}`)
  await expectMarked(page, '.share')
  await page.goto('/files/files/')
  await pickFiles(page, [tree.at('brand/custom.css')])
  await expectMarked(page, '.upload-files')
  await using stranger = await openPage(browser, program, { path: '/login', as: null })
  await expectMarked(stranger.page, '#login .button--block')
})

it('on a phone', async () => {
  await using opened = await openPage(browser, program, {
    path: '/files/files/',
    viewport: PHONE,
    isMobile: true,
    hasTouch: true,
  })
  const { page } = opened
  // Press and hold selects.
  const finger = await opened.context.newCDPSession(page)
  const box = await entry(page, 'note.txt').boundingBox()
  const at = { x: (box?.x ?? 0) + 100, y: (box?.y ?? 0) + 10 }
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] })
  await page.locator('#listing [aria-selected="true"]').waitFor()
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await expectMarked(page, '#file-selection')
})

it('and nowhere is a name missing', () => {
  expect(names.filter((name) => !seen.has(name))).toEqual([])
})
