// A program over the samples of every kind of file, and opening one of them.
import type { Page } from 'playwright-core'
import { sampleTree } from '../support/pictures.ts'
import { type SharedSite, sharedSite } from './browser-steps.ts'

/** A browser and a program over the samples, for all tests of a file. Filled before the tests run. */
export function sampleSite(): SharedSite {
  return sharedSite(sampleTree)
}

/** Opens a file of the root in its viewer. */
export async function openViewer(page: Page, name: string): Promise<void> {
  await page.goto(`/files/${encodeURIComponent(name)}`)
  await page.locator('.vw-head h1').getByText(name).waitFor()
}
