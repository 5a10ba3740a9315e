import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/build/paths.ts'
import type { BootSettings } from '../../src/api-types.ts'
import { renderPage } from '../../src/routes/page.ts'
import { defaultSettings } from '../../src/store/document.ts'
import { type OpenedApp, openApp } from '../support/app.ts'
import { changeRecords } from '../support/records.ts'

/** The settings in the page, read the way the page's own script does. */
function bootOf(html: string): BootSettings {
  const match = /window\.FileBrowser = (\{.*\});\n/.exec(html)
  if (!match?.[1]) throw new Error(`no settings in ${html}`)
  return JSON.parse(match[1]) as BootSettings
}

async function brand(app: OpenedApp, files: Record<string, string>): Promise<string> {
  const folder = join(app.tree.base, 'brand')
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  await changeRecords(app.store, ({ settings }) => ({
    settings: { ...settings, branding: { ...settings.branding, files: folder } },
  }))
  return folder
}

describe('the page', () => {
  it('lets run only what carries its nonce, a new one each time', async () => {
    await using app = await openApp()
    const seen = new Set<string>()
    for (let i = 0; i < 2; i++) {
      const response = await app.fetch('/files/')
      const policy = response.headers.get('content-security-policy') ?? ''
      const nonce = /script-src [^;]*'nonce-([\w+/=]{20,})'/.exec(policy)?.[1] ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toMatch(/script-src [^;]*'unsafe-(inline|eval)'/)
      expect(await response.text()).toContain(`<script nonce="${nonce}">`)
      seen.add(nonce)
    }
    expect(seen.size).toBe(2)
  })

  it('keeps a hostile name inside its script and its title', async () => {
    const name = `it's <b>"mine"</b></script><script>alert(1)</script>\u2028`
    const branding = { ...defaultSettings().branding, name }
    await using app = await openApp({ settings: { branding } })
    const html = await (await app.fetch('/')).text()
    expect(html).not.toContain('</script><script>alert')
    expect(html).not.toContain('<b>"mine"')
    expect(bootOf(html).Name).toBe(name)
    expect(/<title>([^<]*)<\/title>/.exec(html)?.[1]).toContain('&lt;/script&gt;')
  })

  it('puts the base URL before everything it asks for', async () => {
    await using app = await openApp({ config: { baseURL: '/fb' } })
    const boot = bootOf(await (await app.fetch('/fb/login')).text())
    expect(boot).toMatchObject({ BaseURL: '/fb', StaticURL: '/fb/static' })
    const html = renderPage({
      boot: { ...boot, CSS: true },
      hasOwnIco: false,
      page: {
        template: await readFile(join(ROOT, 'web/index.html'), 'utf8'),
        entry: 'main-1.js',
        imports: ['shared-1.js'],
        styles: ['main-1.css'],
        locales: { de: 'c-de-1.js', en: 'c-en-1.js' },
      },
      nonce: 'n',
      acceptLanguage: 'de',
    })
    const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1])
    for (const address of addresses) expect(address).toMatch(/^\/fb\/static\/[^/]/)
    for (const name of ['main-1.js', 'shared-1.js', 'main-1.css', 'c-de-1.js', 'custom.css']) {
      expect(addresses).toContain(`/fb/static/${name}`)
    }
    expect(html).not.toMatch(/\{\{|c-en-1/)
  })

  it('tells nothing about the human check until it is set up', async () => {
    await using app = await openApp()
    const boot = bootOf(await (await app.fetch('/')).text())
    expect(boot.ReCaptcha).toBe(false)
    expect(boot).not.toHaveProperty('ReCaptchaKey')
  })
})

describe('branding files', () => {
  it('come from the folder, with ranges, and below a policy that runs nothing', async () => {
    await using app = await openApp()
    await brand(app, { 'custom.css': 'body { color: teal }', 'img/logo.svg': '<svg/>' })
    const style = await app.fetch('/static/custom.css')
    expect(await style.text()).toBe('body { color: teal }')
    expect(style.headers.get('cache-control')).toBe('public, max-age=86400')
    const part = await app.fetch('/static/img/logo.svg', { headers: { Range: 'bytes=1-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'svg'])
    expect(part.headers.get('content-security-policy')).toContain('sandbox')
    const changed = { Range: 'bytes=1-3', 'If-Range': new Date(0).toUTCString() }
    const whole = await app.fetch('/static/img/logo.svg', { headers: changed })
    expect([whole.status, await whole.text()]).toEqual([200, '<svg/>'])
    expect(bootOf(await (await app.fetch('/')).text()).CSS).toBe(true)
  })

  it('are nothing else in that folder, and no link out of it', async () => {
    await using app = await openApp()
    const folder = await brand(app, { 'private.txt': 'PRIVATE', 'img/a.txt': 'a' })
    await symlink(join(app.tree.outside, 'secret.txt'), join(folder, 'img', 'secret.txt'))
    for (const path of [
      '/static/private.txt',
      '/static/img/secret.txt',
      '/static/img/..%2fprivate.txt',
    ]) {
      const response = await app.fetch(path, { redirect: 'manual' })
      const body = await response.text()
      expect([path, response.status >= 300]).toEqual([path, true])
      expect(body).not.toContain('PRIVATE')
      expect(body).not.toContain('secret outside')
    }
  })
})

describe('static files', () => {
  it('that are missing are not kept by caches', async () => {
    await using app = await openApp()
    const response = await app.fetch('/static/none.js')
    expect(response.status).toBe(404)
    expect(response.headers.get('cache-control') ?? '').not.toContain('public')
  })

  it('describe the installed app under its own name', async () => {
    const branding = { ...defaultSettings().branding, name: 'Attic' }
    await using app = await openApp({ settings: { branding }, config: { baseURL: '/fb' } })
    const manifest = await (await app.fetch('/fb/static/site.webmanifest')).json()
    expect(manifest).toMatchObject({
      ...{ name: 'Attic', start_url: '/fb/', scope: '/fb/' },
      share_target: { action: '/fb/share-target', method: 'POST' },
      file_handlers: [{ action: '/fb/files/' }],
    })
  })

  it('lead somebody who shares a file without the service worker to the files', async () => {
    await using app = await openApp({ config: { baseURL: '/fb' } })
    const response = await app.fetch('/fb/share-target', { method: 'POST', redirect: 'manual' })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/fb/files/')
  })
})

it('answers the health check to anybody, by any method', async () => {
  await using app = await openApp()
  for (const method of ['GET', 'HEAD', 'POST']) {
    const response = await app.fetch('/health', { method })
    expect(response.status).toBe(200)
    if (method !== 'HEAD') expect(await response.json()).toEqual({ status: 'OK' })
  }
})

describe('the icon of the instance', () => {
  const icons = (html: string) =>
    [...html.matchAll(/<link rel="icon" href="([^"]+)"/g)].map(([, href]) => href)

  it('is answered where browsers ask for it without a page, below the base URL too', async () => {
    await using app = await openApp({ config: { baseURL: '/fb' } })
    for (const path of ['/favicon.ico', '/fb/favicon.ico', '/fb/static/img/icons/favicon.ico']) {
      const response = await app.fetch(path)
      expect(response.headers.get('content-type'), path).toBe('image/x-icon')
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(bytes.subarray(0, 4), path).toEqual(Buffer.from([0, 0, 1, 0]))
    }
  })

  it('comes from the branding folder as soon as there is one in it', async () => {
    await using app = await openApp()
    expect(icons(await (await app.fetch('/')).text())).toEqual([
      '/static/img/icons/favicon.ico',
      '/static/img/icons/favicon.svg',
    ])
    const folder = await brand(app, { 'img/icons/favicon.ico': 'mine' })
    expect(await (await app.fetch('/favicon.ico')).text()).toBe('mine')
    // Browsers prefer the drawing, which would be ours.
    expect(icons(await (await app.fetch('/')).text())).toEqual(['/static/img/icons/favicon.ico'])
    await writeFile(join(folder, 'img/icons/favicon.svg'), '<svg/>')
    expect(icons(await (await app.fetch('/')).text())).toHaveLength(2)
  })
})
