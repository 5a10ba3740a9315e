// The beginning of most browser tests: one browser for a file, for each test a page, mostly with a server
// and a folder of its own.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launchBrowser, type OpenPage, openPage, type PageOptions } from '../support/browser.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeTree, type Tree, type TreeContent } from '../support/tree.ts'

/** A browser for all tests of a file; gives what opens a page of a program in it. */
export function sharedBrowser(): (program: Program, options?: PageOptions) => Promise<OpenPage> {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
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
