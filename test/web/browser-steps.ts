// The beginning of most browser tests: one browser for a file, a page for each test.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launchBrowser, type OpenPage, openPage, type PageOptions } from '../support/browser.ts'
import type { Program } from '../support/program.ts'

/** A browser for all tests of a file; gives what opens a page of a program in it. */
export function sharedBrowser(): (program: Program, options?: PageOptions) => Promise<OpenPage> {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
  return (program, options) => openPage(browser, program, options)
}
