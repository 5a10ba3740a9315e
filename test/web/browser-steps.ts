// The beginning of most browser tests: a page for each test, with a folder of its own and, where it
// matters, a server of its own.
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, inject } from 'vitest'
import { readEntries } from '../../scripts/build/catalogues.ts'
import { ROOT } from '../../scripts/build/paths.ts'
import type { UserRecord } from '../../src/api-types.ts'
import {
  forgetContexts,
  forgetLoaded,
  type Opened,
  type OpenPage,
  openPage,
  type PageOptions,
  workerBrowser,
} from '../support/browser.ts'
import { makeFirstDatabase } from '../support/first-database.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, type Program, servePages, startProgram } from '../support/program.ts'
import { accountId, cookieOf, takeAccount } from '../support/shared-server.ts'
import { makeTree, type Tree, type TreeContent } from '../support/tree.ts'

servePages(makeFirstDatabase)

/** Some folders are large. */
const SITE_MS = 120_000

export type OpenIn = (server: Opened, options?: PageOptions) => Promise<OpenPage>

/** Gives what opens a page of a program: in a browser that `launch` starts for this file, else in the worker's. */
export function sharedBrowser(launch?: () => Promise<Browser>): OpenIn {
  let browser: Browser
  beforeAll(async () => {
    browser = await (launch ?? workerBrowser)()
  })
  afterAll(() => (launch ? browser.close() : undefined))
  return (program, options) => openPage(browser, program, options)
}

/** A page of a server with a folder of its own. Disposing it ends page, server and folder. */
export interface ServedPage extends FolderPage {
  program: Program
}

export interface ServedPageOptions extends PageOptions {
  /** Options of the server. */
  args?: string[]
  /** What is done before the page opens, such as making a user. */
  prepare?: (program: Program, tree: Tree) => Promise<unknown>
}

export type OpenServed = (content?: TreeContent, options?: ServedPageOptions) => Promise<ServedPage>

/** Gives what serves a folder with `content`, by default the awkward one of `makeTree`, and opens a page of it. */
export function servedPages(openIn = sharedBrowser()): OpenServed {
  return async (content, { args = [], prepare, ...options } = {}) => {
    await using begun = new AsyncDisposableStack()
    const tree = begun.use(await makeTree(content))
    const program = begun.use(await startProgram(tree, { args }))
    await prepare?.(program, tree)
    const open = begun.use(await openIn(program, options))
    // From here on the test disposes them; what failed before has been disposed by now.
    const all = begun.move()
    const { origin } = program
    return { ...open, tree, origin, program, [Symbol.asyncDispose]: () => all.disposeAsync() }
  }
}

/** A page of the server that all tests share, as an account that sees `tree` alone. */
export interface FolderPage extends OpenPage {
  tree: Tree
  origin: string
}

export interface FolderPageOptions extends Omit<PageOptions, 'as'> {
  /** What the account has chosen in its profile before the page opens. */
  profile?: Partial<Pick<UserRecord, 'locale' | 'viewMode'>>
}

export type OpenFolder = (content?: TreeContent, options?: FolderPageOptions) => Promise<FolderPage>

/** Like `servedPages`, on the server that all tests share: for what needs no server of its own. */
export function folderPages(openIn = sharedBrowser()): OpenFolder {
  return async (content, { profile, ...options } = {}) => {
    await using begun = new AsyncDisposableStack()
    const home = begun.use(await takeHome(content, profile))
    const open = begun.use(await openIn(home, { ...options, as: home.as }))
    const all = begun.move()
    const { tree, origin } = home
    return { ...open, tree, origin, [Symbol.asyncDispose]: () => all.disposeAsync() }
  }
}

/** The folder of an account of the server that all tests share. Disposing it removes what is in it. */
export interface Home extends Opened, AsyncDisposable {
  tree: Tree
  /** Who sees it, and has signed in. */
  as: { username: string; password: string; cookie: string }
}

/** Takes an account that no test has had; `profile` is what it has chosen. */
export async function takeHome(
  content?: TreeContent,
  profile?: FolderPageOptions['profile'],
): Promise<Home> {
  const { origin, root } = inject('sharedServer')
  const username = await takeAccount(root)
  if (profile) await changeProfile(origin, username, profile)
  const tree = await makeTree(content, join(root, username))
  const as = { username, password: ADMIN.password, cookie: await cookieOf(root, username) }
  const dispose = () => tree[Symbol.asyncDispose]()
  return { tree, origin, reopened: 'same', as, [Symbol.asyncDispose]: dispose }
}

async function changeProfile(
  origin: string,
  username: string,
  profile: Partial<UserRecord>,
): Promise<void> {
  const user = await loginAs(origin, username)
  const id = accountId(username)
  const data = { id, ...profile }
  const body = JSON.stringify({ what: 'user', which: Object.keys(profile), data })
  const answer = await user.fetch(`/api/users/${id}`, { method: 'PUT', body })
  if (!answer.ok) throw new Error(`profile of ${username}: ${answer.status}`)
}

/** What all tests of a file share. */
export interface SharedSite {
  browser: Browser
  tree: Tree
  program: Program
  /** Opens a page of the program. */
  open(options?: PageOptions): Promise<OpenPage>
}

/**
 * A server over the folder that `makeContent` gives, for all tests of a file and ended after them, and a
 * browser: the worker's, which remembers compiled scripts from test to test, or one that `launch` starts,
 * which does not. `args` are options of the server. Filled before the tests run.
 */
export function sharedSite(
  makeContent: () => TreeContent | Promise<TreeContent>,
  { args = [], launch }: { args?: string[]; launch?: () => Promise<Browser> } = {},
): SharedSite {
  const site = {
    open: (options) => {
      // Each page has a session of its own: tests end theirs.
      const { origin } = site.program
      const reopened = launch === undefined ? 'same' : undefined
      return openPage(site.browser, { origin, reopened }, options)
    },
  } as SharedSite
  beforeAll(async () => {
    site.browser = await (launch ?? workerBrowser)()
    site.tree = await makeTree(await makeContent())
    site.program = await startProgram(site.tree, { args: ['--trash', 'off', ...args] })
  }, SITE_MS)
  afterAll(async () => {
    await (site.program.reopened ? forgetLoaded : forgetContexts)(site.program.origin)
    await site.program[Symbol.asyncDispose]()
    await site.tree[Symbol.asyncDispose]()
    if (launch) await site.browser.close()
  })
  return site
}

/** Where an element lies, in pixels of the window, once it is shown; throws when it is not on the screen. */
export async function boxOf(target: Locator) {
  await target.waitFor()
  const box = await target.boundingBox()
  if (box === null) throw new Error('not on the screen')
  return { ...box, right: box.x + box.width, bottom: box.y + box.height }
}

/** Goes to another address within the page, as a click on a link to it does. */
export function followLink(page: Page, path: string): Promise<void> {
  return page.evaluate((to) => {
    const link = document.createElement('a')
    link.href = to
    document.body.append(link)
    link.click()
    link.remove()
  }, path)
}

/** Keeps back the answers to requests for an address until `resolve` is called. */
export async function holdAnswers(page: Page, address: string): Promise<{ resolve(): void }> {
  const held = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await held.promise
    await route.continue()
  })
  return held
}

/** Gives an English text in the language of a page. */
export type Word = (english: string) => string

/** Words of that language, without those that need a context. */
export async function dictionary(locale: string): Promise<Word> {
  const entries = Object.values(await readEntries(join(ROOT, `locales/${locale}.po`)))
  return (english) => {
    const found = entries.find(({ message, context }) => message === english && !context)
    if (!found?.translation) throw new Error(`${locale} has no “${english}”`)
    return found.translation
  }
}

/** Cuts the page off from the network: resolves once its calls fail, which the browser brings about a moment later. */
export async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true)
  await page.waitForFunction(() =>
    fetch('/health').then(
      () => false,
      () => true,
    ),
  )
}

/** Ends the session with the first such request, before that goes on: no other call of the page meets its end first. */
export async function endSessionAt(
  page: Page,
  method: 'GET' | 'POST' | 'PUT',
  address: RegExp,
): Promise<void> {
  const { request } = page.context()
  let logout: Promise<unknown> | undefined
  await page.route(address, async (route) => {
    if (route.request().method() !== method) return route.continue()
    logout ??= (async () => {
      const token = await (await request.get('/api/renew')).text()
      const answer = await request.post('/api/logout', { headers: { 'X-Auth': token } })
      if (!answer.ok()) throw new Error(`the session stays: ${answer.status()}`)
    })()
    await logout
    await route.continue()
  })
}
