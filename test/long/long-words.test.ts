// English that is 40 % longer, from the left and from the right: no word of the interface may be cut or run
// out of its button, row or column, on any screen.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { OUT_DIR } from '../../scripts/build/paths.ts'
import { LAUNCH, makeSampleTree } from '../../scripts/screenshots/sample-folder.ts'
import type { UserRecord } from '../../src/api-types.ts'
import { type PageOptions, PHONE } from '../support/browser.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, type Program, startProgram } from '../support/program.ts'
import type { Tree } from '../support/tree.ts'
import { sharedBrowser } from '../web/browser-steps.ts'
import { addUser, entry, userLogin } from '../web/listing-steps.ts'

/** One language from each side; its catalogue is replaced on the way to the page. */
const LOCALES = ['de', 'ar']
/** Around each text, so that names of files are told from words. */
const [BEGIN, END] = ['⟦', '⟧']
const RIGHTS = 'admin execute create rename modify delete share download'.split(' ')

const openIn = sharedBrowser()
let tree: Tree
let program: Program

beforeAll(async () => {
  tree = await makeSampleTree()
  program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  for (const locale of LOCALES) await addUser(program, locale, RIGHTS)
  const users = (await (await admin.fetch('/api/users')).json()) as UserRecord[]
  for (const user of users.filter(({ username }) => LOCALES.includes(username))) {
    const data = { ...user, locale: user.username }
    const body = { what: 'user', which: ['locale'], current_password: ADMIN.password, data }
    const request = { method: 'PUT', body: JSON.stringify(body) }
    expect((await admin.fetch(`/api/users/${user.id}`, request)).status).toBe(200)
  }
  return async () => {
    await program.stop()
    await tree[Symbol.asyncDispose]()
  }
})

/** A message as Lingui compiles it: texts, and arrays of placeholders and plural forms. */
type Message = string | (string | unknown[])[]

/** The English message between marks, two fifths longer. */
function lengthened(message: Message): Message {
  const parts = typeof message === 'string' ? [message] : message
  const chars = parts.filter((part) => typeof part === 'string').join('').length
  const more = 'öẍ'.repeat(Math.ceil((chars * 0.4) / 2)).replace(/.{6}/g, '$& ')
  return [BEGIN, ...parts, chars > 0 ? ` ${more.trim()}` : '', END]
}

/** The module of a catalogue with other messages in it. */
function lengthenedCatalogue(): string {
  const folder = join(OUT_DIR, 'web', 'static')
  const name = readdirSync(folder).find((each) => /^c-en-[^.]+\.js$/.test(each)) ?? ''
  const code = readFileSync(join(folder, name), 'utf8')
  const [whole = '', , text = ''] = /JSON\.parse\((["'`])(.*)\1\)/s.exec(code) ?? []
  const messages = JSON.parse(text.replaceAll("\\'", "'").replaceAll('\\\\', '\\'))
  const longer = Object.entries<Message>(messages).map(([id, each]) => [id, lengthened(each)])
  expect(longer.length).toBeGreaterThan(1000)
  const literal = JSON.stringify(JSON.stringify(Object.fromEntries(longer)))
  return code.replace(whole, () => `JSON.parse(${literal})`)
}

/** Words of the interface that are in sight in part only, each with what cuts it or what it runs out of. */
function cutWords(page: Page): Promise<string[]> {
  return page.evaluate(
    ([begin, end]) => {
      const found = new Set<string>()
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        const text = node.textContent ?? ''
        const element = node.parentElement
        if (!element || !(text.includes(begin) || text.includes(end))) continue
        if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
        const range = document.createRange()
        range.selectNodeContents(node)
        for (const box of range.getClientRects()) {
          const cutter = box.width > 1 && cutterOf(element, box)
          if (cutter) found.add(`${text.trim()} in ${element.className}: ${cutter}`)
        }
      }
      return [...found]

      function isForReaders(element: Element): boolean {
        for (let each: Element | null = element; each; each = each.parentElement)
          if (each.getBoundingClientRect().width <= 1 || getComputedStyle(each).clipPath !== 'none')
            return true
        return false
      }

      function cutterOf(element: Element, box: DOMRect): string | null {
        // What shows in a tooltip as a whole may be cut.
        if (element.closest('[data-tip]') || isForReaders(element)) return null
        for (let each: Element | null = element; each; each = each.parentElement) {
          const edge = each.getBoundingClientRect()
          const { overflowX, position } = getComputedStyle(each)
          if (overflowX === 'auto' || overflowX === 'scroll') return null
          const holds = each.matches('button, a, td, th, li, label, [role=menuitem], [role=option]')
          const isOut = box.right > edge.right + 2 || box.left < edge.left - 2
          if (isOut && (overflowX !== 'visible' || holds))
            return `${each.tagName} ${each.className}`
          // The window alone cuts what is fixed to it.
          if (position === 'fixed') break
        }
        return box.right > innerWidth + 2 || box.left < -2 ? 'the window' : null
      }
    },
    [BEGIN, END] as const,
  )
}

interface Screen {
  path?: string
  options?: Omit<PageOptions, 'as' | 'path'>
  visitor?: true
  prepare(page: Page): Promise<unknown>
}

const phone = { viewport: PHONE, isMobile: true, hasTouch: true }
const tablet = { viewport: { width: 820, height: 1180 }, hasTouch: true }
const listed = (page: Page) => entry(page, 'deploy.sh').waitFor()
const headed = (page: Page) => page.locator('.set__page').waitFor()
const pictured = (page: Page) => page.locator('.vw-picture > img[data-shown=true]').waitFor()
const texted = (page: Page) => page.locator('.cm-content').waitFor()

async function pressed(page: Page, keys: string): Promise<void> {
  await entry(page, 'dawn-hero.jpg').click()
  await page.keyboard.press(keys)
}

const screens: Record<string, Screen> = {
  list: { prepare: listed },
  selection: {
    prepare: async (page) => {
      await entry(page, 'deploy.sh').click()
      await entry(page, 'dawn-hero.jpg').click({ modifiers: ['Control'] })
    },
  },
  menu: {
    prepare: async (page) => {
      await entry(page, 'deploy.sh').click({ button: 'right' })
      await page.getByRole('menu').waitFor()
    },
  },
  details: { prepare: (page) => pressed(page, 'Control+i') },
  deletion: {
    prepare: async (page) => {
      await pressed(page, 'Shift+Delete')
      await page.getByRole('alertdialog').waitFor()
    },
  },
  help: {
    prepare: async (page) => {
      await pressed(page, 'F1')
      await page.getByRole('dialog').waitFor()
    },
  },
  palette: {
    prepare: async (page) => {
      await pressed(page, 'Control+k')
      await page.getByRole('option').nth(3).waitFor()
    },
  },
  'list on a phone': { options: phone, prepare: listed },
  'menu on a phone': {
    options: phone,
    prepare: async (page) => {
      await entry(page, 'dawn-hero.jpg').getByRole('button').last().tap()
      await page.getByRole('menu').waitFor()
    },
  },
  'list on a tablet': { options: tablet, prepare: listed },
  editor: { path: `/files/${LAUNCH}launch-plan.md`, prepare: texted },
  'editor on a phone': {
    path: `/files/${LAUNCH}launch-plan.md`,
    options: phone,
    prepare: texted,
  },
  picture: { path: `/files/${LAUNCH}dawn-hero.jpg`, prepare: pictured },
  'picture on a phone': {
    path: `/files/${LAUNCH}dawn-hero.jpg`,
    options: phone,
    prepare: pictured,
  },
  'no such folder': {
    path: '/files/none/',
    prepare: (page) => page.getByRole('heading').first().waitFor(),
  },
  ...settings(['profile', 'global', 'users', 'users/new', 'groups', 'folders']),
  ...settings(['activity', 'history', 'trash', 'shares']),
}

function settings(names: string[]): Record<string, Screen> {
  const all = names.flatMap((name): [string, Screen][] => [
    [`settings/${name}`, { path: `/settings/${name}`, prepare: headed }],
    [`settings/${name} on a phone`, { path: `/settings/${name}`, options: phone, prepare: headed }],
  ])
  return Object.fromEntries(all)
}

for (const [name, screen] of Object.entries(screens)) {
  it.each(LOCALES)(
    `cuts no words that are longer than in English: ${name} (%s)`,
    async (locale) => {
      const { path = `/files/${LAUNCH}`, options = {}, prepare } = screen
      const as = userLogin(locale)
      await using open = await openIn(program, {
        viewport: { width: 1440, height: 900 },
        ...options,
        as,
        path: '/health',
      })
      const body = lengthenedCatalogue()
      await open.page.route(new RegExp(`/static/c-${locale}-[^/]*\\.js$`), (route: Route) =>
        route.fulfill({ body, contentType: 'text/javascript' }),
      )
      await open.page.goto(path)
      await prepare(open.page)
      await open.page.getByText(BEGIN).first().waitFor()
      await expect.poll(() => cutWords(open.page)).toEqual([])
    },
  )
}
