// Files with script, opened in a browser by their address of WebDAV: none runs, and the interface of the
// same origin is out of their reach.
import { describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { basic } from '../support/dav.ts'
import { waitFor } from '../support/deadline.ts'
import { CANARY, scriptedFiles } from '../support/hostile.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN } from '../support/program.ts'
import { servedPages, sharedBrowser } from './browser-steps.ts'
import { entry } from './listing-steps.ts'

/** Without TLS and not of this machine: browsers do not say there that they navigate, and the file itself comes. */
const HOST = 'files.example'
const ARGS = [
  `--host-resolver-rules=MAP ${HOST} 127.0.0.1`,
  // The server is on this machine, which pages that were not fetched from it may not ask otherwise.
  '--disable-features=LocalNetworkAccessChecks',
]
const openServed = servedPages(sharedBrowser(() => launchBrowser(ARGS)))
const SECRET = 'what the page has stored'
const scripted = await scriptedFiles()
const FILES = {
  'evil.html': String(scripted['evil.html']),
  'evil.svg': String(scripted['evil.svg']),
}

/** A page signed in at a host of the network, whose requests to WebDAV carry the password. */
async function openInNetwork() {
  await using begun = new AsyncDisposableStack()
  const open = begun.use(
    await openServed(FILES, { as: null, path: 'about:blank', args: ['--davPasswords'] }),
  )
  const { page, context, program } = open
  const origin = `http://${HOST}:${program.port}`
  const { token: value } = await loginAs(program.origin)
  await context.addCookies([{ name: 'auth', value, url: origin, httpOnly: true }])
  const own = basic(ADMIN.username, ADMIN.password)
  // As a browser does that has answered the question for a password once.
  await page.route('**/dav/**', (route) =>
    route.continue({ headers: { ...route.request().headers(), ...own } }),
  )
  const signs: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith(`/${CANARY}`)) signs.push(request.url())
  })
  await page.goto(`${origin}/files/`)
  await entry(page, 'evil.svg').waitFor()
  await page.evaluate((text) => {
    localStorage.setItem('secret', text)
    // biome-ignore lint/suspicious/noDocumentCookie: what scripts of the origin can read
    document.cookie = `secret=${text}; path=/`
  }, SECRET)
  const all = begun.move()
  return { page, origin, signs, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** Runs in the page of a file: what a script of it would get of the interface. */
async function reach(): Promise<Record<string, unknown>> {
  const attempt = async (read: () => unknown) => {
    try {
      return await read()
    } catch (error) {
      return (error as Error).name
    }
  }
  return {
    origin: self.origin,
    storage: await attempt(() => localStorage.getItem('secret')),
    cookies: await attempt(() => document.cookie.includes('secret')),
    api: await attempt(async () => (await fetch('/api/resources/')).status),
  }
}

describe.each(Object.entries(FILES))('%s by WebDAV', (name, content) => {
  it('runs nothing and reaches nothing of the interface', async () => {
    await using open = await openInNetwork()
    const { page, origin, signs } = open
    const answer = await page.goto(`${origin}/dav/${name}`)
    expect(await answer?.text()).toBe(content)
    expect(new URL(page.url()).pathname).toBe(`/dav/${name}`)
    await page.waitForLoadState()
    expect(await page.evaluate(reach)).toEqual({
      origin: 'null',
      storage: 'SecurityError',
      cookies: 'SecurityError',
      api: 'TypeError',
    })
    expect(await page.evaluate((canary) => canary in window, CANARY)).toBe(false)
    expect(signs).toEqual([])
  })

  it('would run and reach it without what guards it', async () => {
    await using open = await openInNetwork()
    const { page, origin, signs } = open
    const contentType = name.endsWith('svg') ? 'image/svg+xml' : 'text/html'
    await page.route('**/dav/**', (route) => route.fulfill({ contentType, body: content }))
    await page.goto(`${origin}/dav/${name}`)
    await waitFor('the canary', () => signs.length > 0)
    expect(await page.evaluate(reach)).toEqual({
      origin,
      storage: SECRET,
      cookies: true,
      api: 200,
    })
  })
})

it('a browser that says that it navigates is led to the interface', async () => {
  await using open = await openServed(FILES, { args: ['--davPasswords'] })
  const { page } = open
  await page.goto('/dav/evil.html')
  await page.waitForURL('**/files/evil.html')
  await page.locator('.vw-head h1, .ed').first().waitFor()
})
