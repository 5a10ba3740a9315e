// The ten tasks that everybody has, from signing in to uploading: by keyboard alone, and by fingers alone on a
// phone; from the left and from the right.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Download, FileChooser, Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type PageOptions, PHONE } from '../support/browser.ts'
import { loginAs } from '../support/login.ts'
import { dictionary, sharedSite, type Word } from './browser-steps.ts'
import { entry, expectNames, expectSelected, twoFrames } from './listing-steps.ts'
import { createUser, PASSWORD } from './settings-steps.ts'
import { clipboard } from './share-steps.ts'
import { holdEntry } from './touch-steps.ts'

const LOCALES = ['en', 'ar']
const folderOf = (hands: string, locale: string) => `${hands}-${locale}`

const site = sharedSite(() => ({
  ...contentOf(folderOf('keys', 'en')),
  ...contentOf(folderOf('keys', 'ar')),
  ...contentOf(folderOf('fingers', 'en')),
  ...contentOf(folderOf('fingers', 'ar')),
}))

function contentOf(folder: string): Record<string, string> {
  const names = ['one/in.txt', 'a.txt', 'b.txt', 'c.txt']
  return Object.fromEntries(names.map((name) => [`${folder}/${name}`, name]))
}

beforeAll(async () => {
  const perm = { create: true, rename: true, modify: true, delete: true, share: true }
  for (const locale of LOCALES) {
    await createUser(site.program, {
      ...{ username: locale, locale, scope: '/', viewMode: 'list' },
      perm: { ...perm, download: true, admin: false, execute: false },
    })
  }
  await writeFile(join(site.tree.base, 'new.txt'), 'new')
})

/** What a person does; what came of it is looked at by the test. */
interface Hands {
  signIn(username: string): Promise<void>
  /** Opens a folder of the one that is shown, and comes back to it. */
  visit(name: string, whatIsThere: string): Promise<void>
  select(first: string, second: string): Promise<void>
  clearSelection(): Promise<void>
  makeFolder(name: string): Promise<void>
  rename(name: string, stem: string): Promise<void>
  /** By the menu of the entry. */
  duplicate(name: string): Promise<void>
  share(name: string): Promise<void>
  remove(name: string): Promise<void>
  download(name: string): Promise<Download>
  chooseFiles(): Promise<FileChooser>
}

function keys(page: Page, word: Word): Hands {
  const { keyboard } = page
  const focusOn = (selector: string) => page.locator(`${selector}:focus`).waitFor()
  const focusedText = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  /** Presses a key until what has the focus is called so. */
  async function pressUntil(key: string, text: string): Promise<void> {
    for (let presses = 0; presses < 40; presses++) {
      if ((await focusedText()).startsWith(text)) return
      await keyboard.press(key)
    }
    throw new Error(`${key} leads to no “${text}”`)
  }
  async function goTo(name: string): Promise<void> {
    await keyboard.press('Home')
    const isThere = () => entry(page, name).evaluate((row) => row === document.activeElement)
    for (let presses = 0; presses < 20 && !(await isThere()); presses++)
      await keyboard.press('ArrowDown')
    await expectSelected(page, [name])
  }
  async function chooseFromMenu(name: string, command: string): Promise<void> {
    await goTo(name)
    await keyboard.press('Shift+F10')
    await page.locator('[role=menu] :focus').waitFor()
    await pressUntil('ArrowDown', word(command))
    await keyboard.press('Enter')
  }
  return {
    async signIn(username) {
      await focusOn('input[name=username]')
      await keyboard.type(username)
      await keyboard.press('Tab')
      await focusOn('input[name=password]')
      await keyboard.type(PASSWORD)
      await keyboard.press('Enter')
    },
    async visit(name, whatIsThere) {
      await goTo(name)
      await keyboard.press('Enter')
      await entry(page, whatIsThere).waitFor()
      await keyboard.press('Alt+ArrowUp')
      await page.locator(`#listing [aria-label="${name}"]:focus`).waitFor()
    },
    async select(first, second) {
      await goTo(first)
      await keyboard.press('Shift+ArrowDown')
      await expectSelected(page, [first, second])
    },
    clearSelection: () => keyboard.press('Escape'),
    async makeFolder(name) {
      await keyboard.press('Alt+n')
      await focusOn('dialog input')
      await keyboard.type(name)
      await keyboard.press('Enter')
      await expectSelected(page, [name])
    },
    async rename(name, stem) {
      await goTo(name)
      await keyboard.press('F2')
      await focusOn('.rename input')
      await keyboard.type(stem)
      await keyboard.press('Enter')
      await expectSelected(page, [`${stem}.txt`])
    },
    async duplicate(name) {
      await chooseFromMenu(name, 'Duplicate')
      // Once it is done, it is selected, which must not come after what follows.
      await expectSelected(page, [name.replace('.', '(1).')])
    },
    async share(name) {
      await chooseFromMenu(name, 'Share')
      await page.locator('dialog[open] :focus').waitFor()
      await pressUntil('Tab', word('Create and copy link'))
      await keyboard.press('Enter')
      await existingLinks(page, word).waitFor()
      await keyboard.press('Escape')
    },
    async remove(name) {
      await goTo(name)
      await keyboard.press('Delete')
      await page.locator('dialog[open] :focus').waitFor()
      await pressUntil('Tab', word('Delete'))
      await keyboard.press('Enter')
    },
    async download(name) {
      await goTo(name)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        keyboard.press('Control+s'),
      ])
      return download
    },
    async chooseFiles() {
      const chooser = page.waitForEvent('filechooser')
      // The wish to hear of it reaches the page another way than keys, which may overtake it.
      await twoFrames(page)
      await keyboard.press('Alt+u')
      return chooser
    },
  }
}

function fingers(page: Page, word: Word): Hands {
  const button = (within: Page | Locator, label: string) =>
    within.getByRole('button', { name: word(label), exact: true })
  const dialog = page.locator('dialog[open]')
  async function chooseNew(command: string): Promise<void> {
    await button(page, 'New').last().tap()
    await page.getByRole('menuitem', { name: word(command), exact: true }).tap()
  }
  async function chooseFromMenu(name: string, command: string): Promise<void> {
    await button(entry(page, name), 'More').tap()
    await page.getByRole('menuitem', { name: word(command), exact: true }).tap()
  }
  /** Fills in what a finger has touched, by the keys that the phone shows. */
  async function type(field: Locator, text: string): Promise<void> {
    await field.tap()
    await field.fill(text)
  }
  return {
    async signIn(username) {
      await type(page.locator('input[name=username]'), username)
      await type(page.locator('input[name=password]'), PASSWORD)
      await button(page, 'Sign in').tap()
    },
    async visit(name, whatIsThere) {
      await entry(page, name).tap()
      await entry(page, whatIsThere).waitFor()
      const crumbs = page.getByRole('navigation', { name: word('Breadcrumb') })
      const folder = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-3) ?? '')
      await crumbs.getByRole('link', { name: folder, exact: true }).tap()
    },
    async select(first, second) {
      await holdEntry(page, entry(page, first))
      await entry(page, second).tap()
    },
    clearSelection: () => button(page, 'Clear selection').tap(),
    async makeFolder(name) {
      await chooseNew('New folder')
      await type(dialog.getByRole('textbox'), name)
      await button(dialog, 'Create').tap()
    },
    async rename(name, stem) {
      await chooseFromMenu(name, 'Rename')
      await type(dialog.getByRole('textbox'), `${stem}.txt`)
      await button(dialog, 'Rename').tap()
    },
    duplicate: (name) => chooseFromMenu(name, 'Duplicate'),
    async share(name) {
      await chooseFromMenu(name, 'Share')
      await button(dialog, 'Create and copy link').tap()
      await existingLinks(page, word).waitFor()
      await button(dialog, 'Close').first().tap()
    },
    async remove(name) {
      await chooseFromMenu(name, 'Delete')
      await button(dialog, 'Delete').tap()
    },
    async download(name) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        chooseFromMenu(name, 'Download'),
      ])
      return download
    },
    async chooseFiles() {
      const chooser = page.waitForEvent('filechooser')
      await chooseNew('Upload files')
      return chooser
    },
  }
}

const existingLinks = (page: Page, word: Word) =>
  page.getByRole('list', { name: word('Existing links') }).getByRole('listitem')

const means = {
  keys: { take: keys, options: {} },
  fingers: { take: fingers, options: { viewport: PHONE, hasTouch: true, isMobile: true } },
} satisfies Record<string, { take: typeof keys; options: PageOptions }>

const ways = LOCALES.flatMap((locale) =>
  (['keys', 'fingers'] as const).map((name) => [name, locale] as const),
)

it.each(ways)('are done by %s in %s', async (name, locale) => {
  const { take, options } = means[name]
  const folder = folderOf(name, locale)
  const path = `/login?redirect=/files/${folder}/`
  await using opened = await site.open({ path, as: null, ...clipboard, ...options, locale })
  const { page } = opened
  const hands = take(page, await dictionary(locale))

  await hands.signIn(locale)
  const atFirst = ['one', 'a.txt', 'b.txt', 'c.txt']
  await expectNames(page, atFirst)
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe(locale)

  await hands.visit('one', 'in.txt')
  await expectNames(page, atFirst)

  await hands.select('a.txt', 'b.txt')
  await expectSelected(page, ['a.txt', 'b.txt'])
  await hands.clearSelection()
  await expectSelected(page, [])

  await hands.makeFolder('made')
  await expectNames(page, ['made', ...atFirst])

  await hands.rename('b.txt', 'named')
  await expectNames(page, ['made', 'one', 'a.txt', 'c.txt', 'named.txt'])

  await hands.duplicate('named.txt')
  await entry(page, 'named(1).txt').waitFor()

  await hands.share('a.txt')
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
  const owner = await loginAs(site.program.origin, locale, PASSWORD)
  const shares = (await (await owner.fetch('/api/shares')).json()) as { path: string }[]
  expect(shares.map((share) => share.path)).toContain(`/${folder}/a.txt`)

  await hands.remove('c.txt')
  await entry(page, 'c.txt').waitFor({ state: 'detached' })

  const download = await hands.download('a.txt')
  expect(await readFile(await download.path(), 'utf8')).toBe('a.txt')

  await (await hands.chooseFiles()).setFiles(join(site.tree.base, 'new.txt'))
  await entry(page, 'new.txt').waitFor()
  const onDisk = ['a.txt', 'made', 'named(1).txt', 'named.txt', 'new.txt', 'one']
  await expect.poll(async () => (await readdir(site.tree.at(folder))).sort()).toEqual(onDisk)
  expect(opened.problems).toEqual([])
})
