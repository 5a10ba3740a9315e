// The beginning of most browser tests: one browser for a file, for each test a page, mostly with a server
// and a folder of its own.
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launchBrowser, type OpenPage, openPage, type PageOptions } from '../support/browser.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeTree, type Tree, type TreeContent } from '../support/tree.ts'

/** Some folders are large. */
const SITE_MS = 120_000

/** A browser, by `launch`, for all tests of a file; gives what opens a page of a program in it. */
export function sharedBrowser(
  launch: () => Promise<Browser> = launchBrowser,
): (program: Program, options?: PageOptions) => Promise<OpenPage> {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())
  return (program, options) => openPage(browser, program, options)
}

/** A page of a server with a folder of its own. Disposing it ends page, server and folder. */
export interface ServedPage extends OpenPage {
  tree: Tree
  program: Program
}

export interface ServedPageOptions extends PageOptions {
  /** Options of the server. */
  args?: string[]
  /** What is done before the page opens, such as making a user. */
  prepare?: (program: Program, tree: Tree) => Promise<unknown>
}

export type OpenServed = (content?: TreeContent, options?: ServedPageOptions) => Promise<ServedPage>

/**
 * One browser for all tests of a file, that of `openIn` if there is one already; gives what serves a
 * folder with `content`, the awkward one of `makeTree` by default, and opens a page of it.
 */
export function servedPages(openIn = sharedBrowser()): OpenServed {
  return async (content, { args = [], prepare, ...options } = {}) => {
    await using begun = new AsyncDisposableStack()
    const tree = begun.use(await makeTree(content))
    const program = begun.use(await startProgram(tree, { args }))
    await prepare?.(program, tree)
    const open = begun.use(await openIn(program, options))
    // From here on the test disposes them; what failed before has been disposed by now.
    const all = begun.move()
    return { ...open, tree, program, [Symbol.asyncDispose]: () => all.disposeAsync() }
  }
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
 * A browser, by `launch`, and a server over the folder that `makeContent` gives, for all tests of a file
 * and ended after them. `args` are options of the server. Filled before the tests run.
 */
export function sharedSite(
  makeContent: () => TreeContent | Promise<TreeContent>,
  { args = [], launch = launchBrowser }: { args?: string[]; launch?: () => Promise<Browser> } = {},
): SharedSite {
  const site = {
    open: (options) => openPage(site.browser, site.program, options),
  } as SharedSite
  beforeAll(async () => {
    site.browser = await launch()
    site.tree = await makeTree(await makeContent())
    site.program = await startProgram(site.tree, { args })
  }, SITE_MS)
  afterAll(async () => {
    await site.program[Symbol.asyncDispose]()
    await site.tree[Symbol.asyncDispose]()
    await site.browser.close()
  })
  return site
}

/** Where an element lies, in pixels of the window; throws when it is not on the screen. */
export async function boxOf(target: Locator) {
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
