// The page in frames of dashboards, and style sheets from elsewhere: only where options name them.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { ADMIN } from '../support/program.ts'
import { TLS } from '../support/serve.ts'
import { type ServedPage, servedPages, sharedBrowser } from './browser-steps.ts'
import { changeSettings } from './settings-steps.ts'

const PANEL = 'https://home.example/'
const THEME = 'https://themes.example/dark.css'
/** The panel is on the net and the server on this machine, which browsers ask people about. */
const UNASKED = '--disable-features=LocalNetworkAccessChecks'
const openServed = servedPages(sharedBrowser(() => launchBrowser([UNASKED])))

/** A dashboard on another site with the program in a frame. */
async function openPanel({ page, program }: ServedPage) {
  await page.route(PANEL, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<iframe src="https://127.0.0.1:${program.port}/" style="width: 1000px; height: 700px"></iframe>`,
    }),
  )
  await page.goto(PANEL)
  return page.frameLocator('iframe')
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const overTls = {
  as: null,
  ignoreHTTPSErrors: true,
  path: 'about:blank',
} as const
const tlsArgs = ['--cert', join(TLS, 'first-cert.pem'), '--key', join(TLS, 'first-key.pem')]

it('stays out of the frame of a site that was not named', async () => {
  await using open = await openServed({ 'a.txt': 'x' }, { ...overTls, args: tlsArgs })
  const frame = await openPanel(open)
  await expect.poll(() => open.problems.join()).toContain('frame-ancestors')
  expect(await frame.getByRole('button', { name: 'Sign in' }).count()).toBe(0)
})

it('signs in within the panel of a named site, and is still signed in after a reload', async () => {
  await using open = await openServed(
    { 'pixel.png': PIXEL },
    { ...overTls, args: [...tlsArgs, '--frameAncestors', 'https://home.example'] },
  )
  const { page } = open
  const frame = await openPanel(open)
  await frame.getByLabel('Username').fill(ADMIN.username)
  await frame.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await frame.getByRole('button', { name: 'Sign in' }).click()
  await frame.getByText('pixel.png').first().waitFor()
  await page.reload()
  await frame.getByText('pixel.png').first().waitFor()
  // The cookie is of this panel: the same server in a tab of its own asks for a password.
  const tab = await open.context.newPage()
  await tab.goto(`https://127.0.0.1:${open.program.port}/`)
  await tab.getByRole('button', { name: 'Sign in' }).waitFor()
  expect(open.problems).toEqual([])
})

it('lets custom.css import the sheets of a named origin, and no others', async () => {
  for (const [args, themed] of [
    [['--styleSources', 'https://themes.example'], true],
    [[], false],
  ] as const) {
    await using open = await openServed(
      { 'brand/custom.css': `@import url("${THEME}");` },
      {
        as: null,
        path: '/health',
        args: [...args],
        prepare: (program, tree) =>
          changeSettings(program, ({ branding }) => ({
            branding: { ...branding, files: tree.at('brand') },
          })),
      },
    )
    const { page } = open
    await page.route(THEME, (route) =>
      route.fulfill({ contentType: 'text/css', body: 'html { outline-color: rgb(1, 2, 3) }' }),
    )
    await page.goto('/login', { waitUntil: 'load' })
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    const isThemed = () =>
      page.evaluate(
        () => getComputedStyle(document.documentElement).outlineColor === 'rgb(1, 2, 3)',
      )
    // The refusal is told beside the page; what was let in has no such end.
    if (!themed) await expect.poll(() => open.problems.join()).toMatch(/style-src/)
    await expect.poll(isThemed).toBe(themed)
    if (themed) expect(open.problems).toEqual([])
  }
})
