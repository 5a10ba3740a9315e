// A custom.css written for File Browser finds the elements it was written for: a style for each name
// of the list of promised names changes what is seen.

import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { beforeAll, expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { sharedSite } from './browser-steps.ts'
import { addUser, entry, showList, userLogin } from './listing-steps.ts'
import { changeSettings } from './settings-steps.ts'
import { makeShare } from './share-steps.ts'
import { holdEntry } from './touch-steps.ts'
import { pickFiles } from './upload-steps.ts'

const names = [
  ...'#listing #search #previewer #editor-container #login #dropdown #file-selection'.split(' '),
  ...'#multiple-selection #loading #modal-background .item .header .name .size .modified .action'.split(
    ' ',
  ),
  ...'.button .button--flat .button--block .input .card .floating .card-title'.split(' '),
  ...'.card-content .card-action .breadcrumbs .credits .dashboard .shell .share .file-icons'.split(
    ' ',
  ),
  ...'.context-menu .upload-files .message .overlay .mosaic .gallery .list'.split(' '),
  ...'header nav main [data-dir] [data-type] [data-ext] [aria-label] [aria-selected]'.split(' '),
]
/** Each rule weighs as much as its name alone, and is in force while the page is told its number. */
const CSS = names.map(
  (name, n) => `:where([data-probe="${n}"]) ${name} { background: #f0a; outline: 4px solid #f0a }`,
)
/** So many pixels are the least of what a person notices. */
const NOTICED_PIXELS = 20

let hash = ''

const site = sharedSite(
  () => ({
    'brand/custom.css': CSS.join('\n'),
    'files/note.txt': 'words',
    'files/sound.bin': Buffer.from([0, 1, 2, 3]),
    'files/folder/inside.txt': 'x',
    'files/empty': null,
  }),
  { args: ['--disableExec=false'] },
)

beforeAll(async () => {
  await addUser(site.program, 'mara', ['execute', 'download'])
  await changeSettings(site.program, ({ branding }) => ({
    branding: { ...branding, files: site.tree.at('brand') },
  }))
  hash = await makeShare(site.program, '/files/')
})

/** Names that have been seen to mark a visible element, over all tests of this file. */
const seen = new Set<string>()

/** Waits for something visible of each name, and gives it the colour of its rule. */
async function expectMarked(page: Page, wanted: string) {
  let plain: Buffer | undefined
  for (const name of wanted.split(' ')) {
    await page.locator(name).filter({ visible: true }).first().waitFor()
    plain ??= await page.screenshot()
    const before = plain
    const number = names.indexOf(name)
    await waitFor(`${name} in its colour`, async () => {
      await page.evaluate(
        (n) => document.documentElement.setAttribute('data-probe', `${n}`),
        number,
      )
      const marked = await page.screenshot()
      await page.evaluate(() => document.documentElement.removeAttribute('data-probe'))
      return (await countReddened(before, marked)) >= NOTICED_PIXELS
    })
    seen.add(name)
  }
}

/** Pixels that changed and are more of the rule's colour now; those under a dialog are darkened. */
async function countReddened(before: Buffer, after: Buffer): Promise<number> {
  const [old, now] = await Promise.all(
    [before, after].map((png) => sharp(png).removeAlpha().raw().toBuffer()),
  )
  if (old === undefined || now === undefined || old.length !== now.length) return 0
  let count = 0
  for (let at = 0; at < now.length; at += 3) {
    const red = (pixels: Buffer) => (pixels[at] ?? 0) - (pixels[at + 1] ?? 0)
    if (red(now) > red(old) + 60) count++
  }
  return count
}

it('in the listing', async () => {
  await using opened = await site.open({ path: '/files/files/' })
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
  await using opened = await site.open({ path: '/files/files/' })
  const { page } = opened
  await entry(page, 'note.txt').click({ button: 'right' })
  await expectMarked(page, '.context-menu')
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.keyboard.press('Alt+n')
  await page.getByRole('dialog').waitFor()
  await expectMarked(page, '.floating .card .card-title .card-content .card-action .input .button')
  await expectMarked(page, '.button--flat #modal-background .overlay')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await expectMarked(page, '#dropdown')
})

it('in viewer, editor, settings, share, login and uploads', async () => {
  await using opened = await site.open({
    path: '/files/files/sound.bin',
  })
  const { page } = opened
  await expectMarked(page, '#previewer')
  await page.goto('/files/files/note.txt')
  await expectMarked(page, '#editor-container')
  await page.goto('/settings/profile')
  await expectMarked(page, '.dashboard')
  await page.goto(`/share/${hash}`)
  await expectMarked(page, '.share')
  await page.goto('/files/files/')
  await pickFiles(page, [site.tree.at('brand/custom.css')])
  await expectMarked(page, '.upload-files')
  // The panel brings styles of its own; the last word stays with those of the administrator.
  const last = () => page.evaluate(() => [...document.styleSheets].at(-1)?.href)
  await expect.poll(last).toContain('/custom.css')
  await using stranger = await site.open({ path: '/login', as: null })
  await expectMarked(stranger.page, '#login .button--block')
})

it('while a folder is on its way', async () => {
  await using opened = await site.open({ path: '/files/files/' })
  const { page } = opened
  await showList(page)
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  await page.route('**/api/resources/files/folder', async (route) => {
    await arrived
    await route.continue()
  })
  await entry(page, 'folder').dblclick()
  await expectMarked(page, '#loading')
  arrive()
  await entry(page, 'inside.txt').waitFor()
  await page.locator('#loading').waitFor({ state: 'detached' })
})

it('in the shell', async () => {
  await using opened = await site.open({
    path: '/files/files/',
    as: userLogin('mara'),
  })
  const { page } = opened
  await showList(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('terminal')
  await page.getByRole('option', { name: 'Open in terminal' }).click()
  await expectMarked(page, '.shell')
})

it('on a phone', async () => {
  await using opened = await site.open({
    path: '/files/files/',
    viewport: PHONE,
    isMobile: true,
    hasTouch: true,
  })
  const { page } = opened
  await holdEntry(page, entry(page, 'note.txt'))
  await expectMarked(page, '#file-selection')
})

it('and nowhere is a name missing', () => {
  expect(names.filter((name) => !seen.has(name))).toEqual([])
})
