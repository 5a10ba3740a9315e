// Shares in the browser tests: making them, looking at their pages, taking what they give.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import qrcode from 'qrcode'
import sharp from 'sharp'
import { expect } from 'vitest'
import type { ShareRecord } from '../../src/api-types.ts'
import type { Opened, OpenPage, PageOptions } from '../support/browser.ts'
import { loginAs } from '../support/login.ts'
import { SAMPLES } from '../support/pictures.ts'
import { ADMIN, type Program } from '../support/program.ts'
import type { Home, sharedBrowser } from './browser-steps.ts'

/** Shares `path`, which is encoded already, and gives the hash of the link. */
export async function makeShare(
  server: Pick<Program, 'origin'> | Home,
  path: string,
  body: object = {},
  as: { username: string; password: string } = 'as' in server ? server.as : ADMIN,
): Promise<string> {
  const owner = await loginAs(server.origin, as.username, as.password)
  const request = { method: 'POST', body: JSON.stringify(body) }
  const response = await owner.fetch(`/api/share${path}`, request)
  expect(response.status).toBe(200)
  return ((await response.json()) as ShareRecord).hash
}

/** Opens the page of a link as somebody who has nothing but the link. */
export function visit(
  openIn: ReturnType<typeof sharedBrowser>,
  server: Opened,
  path: string,
  options: PageOptions = {},
): Promise<OpenPage> {
  return openIn(server, { path, as: null, ...options })
}

/** The row of an entry in the list of a shared folder. */
export const sharedRow = (page: Page, name: string): Locator =>
  page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })

export async function downloaded(page: Page, press: () => Promise<void>) {
  const [download] = await Promise.all([page.waitForEvent('download'), press()])
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

export function makePicture(): Promise<Buffer> {
  return sharp({ create: { width: 640, height: 480, channels: 3, background: '#884422' } })
    .jpeg()
    .toBuffer()
}

export const sample = (name: string): Promise<Buffer> => readFile(join(SAMPLES, name))

export const copied = (page: Page): Promise<string> =>
  page.evaluate(() => navigator.clipboard.readText())

/** Options of a page that may read what was copied. */
export const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] }

/** The dark modules a QR code on the screen draws, as `x,y`, row by row. */
async function drawnModules(code: Locator): Promise<string[]> {
  const path = (await code.locator('path').getAttribute('d')) ?? ''
  return [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)].flatMap(([, x, y, width]) =>
    Array.from({ length: Number(width) }, (_, i) => `${Number(x) + i},${y}`),
  )
}

/** What a code with this text has to draw, in the same form. */
function darkModules(text: string, errorCorrectionLevel: 'L' | 'M' | 'Q' | 'H'): string[] {
  const { modules } = qrcode.create(text, { errorCorrectionLevel })
  return [...modules.data].flatMap((module, at) =>
    module ? [`${at % modules.size},${Math.floor(at / modules.size)}`] : [],
  )
}

/** Checks that a QR code says `text` at level M, and at no other level. */
export async function expectCode(code: Locator, text: string): Promise<void> {
  await expect.poll(() => drawnModules(code)).toEqual(darkModules(text, 'M'))
  const drawn = await drawnModules(code)
  for (const level of ['L', 'Q', 'H'] as const) expect(drawn).not.toEqual(darkModules(text, level))
}

/** Everything of the page that could give the way past the password away. */
export async function addresses(page: Page): Promise<string> {
  const codes = await page
    .locator('svg[data-text]')
    .evaluateAll((all) => all.map((code) => code.getAttribute('data-text')))
  return [page.url(), ...codes].join('\n')
}
