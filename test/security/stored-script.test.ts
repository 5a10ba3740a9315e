// Script in what people store (class 8): every byte of a user's file leaves under a policy that runs
// nothing, as a download unless asked for otherwise. That nothing really runs is tried in a browser
// with a canary: test/web/viewers-hostile.test.ts.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PASSWORD, startApp, type TestApp } from '../support/app.ts'
import { scriptedFiles } from '../support/hostile.ts'
import { changeRecords } from '../support/records.ts'
import { makeShare } from '../support/shares.ts'

const SCRIPT = '<script>fire()</script>'
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="fire()">${SCRIPT}</svg>`

/** What a browser makes of the answer: policies of all lines together. */
function policyOf(response: Response): string {
  return response.headers.get('content-security-policy') ?? ''
}

async function everyDoor(app: TestApp, name: string): Promise<[string, Response][]> {
  const admin = await app.as('admin')
  const hash = await makeShare(app, '/')
  const encoded = encodeURIComponent(name)
  const own = [`raw/${encoded}`, `raw/${encoded}?inline=true`, `preview/thumb/${encoded}`]
  const more = [`preview/big/${encoded}?inline=true`, `subtitle/${encoded}?inline=true`]
  const open = ['dl', 'preview/big', 'subtitle'].map(
    (door) => `public/${door}/${hash}/${encoded}?inline=true`,
  )
  const paths = [...own, ...more, ...open].map((path) => `/api/${path}`)
  return Promise.all(paths.map(async (path) => [path, await admin.fetch(path)] as const)) as never
}

describe.each([
  ['CVE-2021-37794', /svg|html|xhtml|xml/],
  ['CVE-2025-52902', /\.(md|json|csv|srt|jpg)$/],
  ['CVE-2026-34529', /\.(epub|docx|odt|zip)$/],
])('%s: a file with script in it', (_, kinds) => {
  it('runs nothing, whichever way it leaves the server', async () => {
    const all = Object.entries(await scriptedFiles()).filter(([name]) => kinds.test(name))
    expect(all.length).toBeGreaterThan(1)
    await using app = await startApp({ tree: Object.fromEntries(all) })
    for (const [name] of all)
      for (const [path, response] of await everyDoor(app, name)) {
        await response.arrayBuffer()
        expect(response.headers.get('x-content-type-options'), path).toBe('nosniff')
        if (response.status !== 200) {
          expect(response.headers.get('content-type') ?? '', path).not.toContain('html')
          continue
        }
        expect(policyOf(response), path).toContain("script-src 'none'")
        expect(policyOf(response), path).toContain('sandbox')
        const inline = path.includes('inline=true')
        const disposition = response.headers.get('content-disposition') ?? ''
        expect(disposition, path).toMatch(inline ? /^inline;/ : /^attachment;/)
        if (!inline)
          expect(response.headers.get('content-type'), path).toBe('application/octet-stream')
      }
  })
})

it('CVE-2021-37794: a PDF, which browsers do not show in a sandbox, still runs no script of ours', async () => {
  const { 'evil.pdf': pdf } = await scriptedFiles()
  await using app = await startApp({ tree: { 'evil.pdf': pdf ?? '' } })
  const admin = await app.as('admin')
  const response = await admin.fetch('/api/raw/evil.pdf?inline=true')
  expect(policyOf(response)).toContain("script-src 'none'")
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
})

it.each([
  '/files/"><script>fire()</script>',
  '/files/%22%3E%3Cscript%3Efire()%3C/script%3E',
  '/share/%3Cscript%3Efire()%3C%2Fscript%3E',
  '/login?redirect=%22%3E%3Cscript%3Efire()%3C/script%3E',
  '/login?redirect=javascript:fire()',
  '/%3Cscript%3Efire()%3C/script%3E/',
  "/files/';fire();//",
])('CVE-2023-39612: an address is no part of the page: %s', async (path) => {
  await using app = await startApp()
  const response = await app.fetch(path)
  const text = await response.text()
  expect(text).not.toContain('fire()')
  expect(response.headers.get('location') ?? '').not.toMatch(/<|javascript:/)
  if (response.headers.get('content-type')?.includes('html') && response.status === 200)
    expect(policyOf(response)).toMatch(/script-src 'self' 'nonce-[\w+/=]{20,}'/)
})

it('CVE-2023-39612: nor are an address and a name part of a redirect’s body', async () => {
  await using app = await startApp()
  for (const path of [
    '/api/raw//%3Cscript%3Efire()%3C/script%3E',
    '/api/search//"><script>fire()',
  ]) {
    const response = await app.fetch(path)
    expect(await response.text(), path).not.toContain('<script>')
    expect(response.headers.get('location') ?? '', path).not.toMatch(/[<>"]/)
  }
})

describe('CVE-2026-34530: what administrators write', () => {
  const values = [
    `</script>${SCRIPT}`,
    `'; fire(); '`,
    `"><img src=x onerror=fire()>`,
    '\u2028fire()//',
    '<!--<script>',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: would-be template.
    '${fire()}',
    '[{[ fire ]}]',
  ]

  it.each(values)('stays text in the page: %j', async (name) => {
    await using app = await startApp()
    await changeRecords(app.store, (doc) => {
      const branding = { ...doc.settings.branding, name, color: name, theme: name }
      return { ...doc, settings: { ...doc.settings, branding } }
    })
    for (const path of ['/', '/files/', '/login']) {
      const response = await app.fetch(path)
      const text = await response.text()
      expect(text, path).not.toContain(SCRIPT)
      expect(text, path).not.toContain('<img src=x')
      expect(text, path).not.toContain("'; fire(); '")
      const nonce = /'nonce-([^']+)'/.exec(policyOf(response))?.[1]
      const scripts = [...text.matchAll(/<script\b([^>]*)>/g)].map(([, attributes]) => attributes)
      expect(scripts.length).toBeGreaterThan(0)
      // Script in the page itself needs the nonce; the bundle comes from our own origin.
      const own = /^ type="module" src="\/static\/[\w.-]+\.js"$/
      for (const attributes of scripts) {
        if (!own.test(attributes ?? '')) expect(attributes).toContain(`nonce="${nonce}"`)
      }
    }
    const manifest = await app.fetch('/static/site.webmanifest')
    expect(manifest.headers.get('content-type')).toContain('application/manifest+json')
    expect(manifest.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await manifest.json()).toMatchObject({ name })
  })

  it('and the drawings they put beside it run nothing', async () => {
    await using app = await startApp()
    const files = join(app.tree.base, 'brand')
    await mkdir(join(files, 'img'), { recursive: true })
    await writeFile(join(files, 'img', 'logo.svg'), SVG)
    await writeFile(join(files, 'custom.css'), '</style><script>fire()</script>')
    await changeRecords(app.store, (doc) => {
      const branding = { ...doc.settings.branding, files }
      return { ...doc, settings: { ...doc.settings, branding } }
    })
    for (const path of ['/static/img/logo.svg', '/static/custom.css']) {
      const response = await app.fetch(path)
      expect(response.status).toBe(200)
      expect(policyOf(response), path).toContain("default-src 'none'")
      expect(policyOf(response), path).toContain('sandbox')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect(await (await app.fetch('/')).text()).not.toContain('fire()')
  })

  it('and names of people and files are data in every answer', async () => {
    const nasty = '<img src=x onerror=fire()>'
    await using app = await startApp({
      tree: { [`${nasty.replace('/', '')}.txt`]: 'a' },
      users: [{ username: nasty }],
    })
    const admin = await app.as('admin')
    for (const path of [
      '/api/resources/',
      '/api/users',
      '/api/search/?query=img',
      '/api/sessions',
    ]) {
      const response = await admin.fetch(path)
      expect(response.headers.get('content-type'), path).not.toContain('html')
      expect(await response.text(), path).not.toMatch(path.includes('search') ? /^$/ : /<img/)
    }
    const login = await app.fetch('/api/login', {
      method: 'POST',
      body: JSON.stringify({ username: nasty, password: `${PASSWORD}${nasty}` }),
    })
    expect(await login.text()).not.toContain('<img')
  })
})
