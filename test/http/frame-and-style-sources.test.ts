// Who may frame the page and what custom.css may load: nobody and nothing else, unless options say so.
import { describe, expect, it } from 'vitest'
import { parseSources } from '../../src/config/option-values.ts'
import { PASSWORD, startApp, type TestApp } from '../support/app.ts'

/** The sources of one directive in the page's policy. */
async function sourcesOf(app: TestApp, directive: string): Promise<string[]> {
  const policy = (await app.fetch('/files/')).headers.get('content-security-policy') ?? ''
  const found = policy.split('; ').find((part) => part.startsWith(`${directive} `))
  return found?.split(' ').slice(1) ?? []
}

const signIn = (app: TestApp, headers: Record<string, string> = {}) =>
  app.fetch('/api/login', {
    method: 'POST',
    headers,
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  })

describe('frameAncestors', () => {
  it('lets our own pages frame the page and nobody else by default', async () => {
    await using app = await startApp()
    expect(await sourcesOf(app, 'frame-ancestors')).toEqual(["'self'"])
    expect((await app.fetch('/files/')).headers.get('x-frame-options')).toBe('SAMEORIGIN')
  })

  it('names the origins in the policy, and X-Frame-Options does not contradict it', async () => {
    const frameAncestors = parseSources('https://home.example http://nas.lan:8123')
    await using app = await startApp({ config: { frameAncestors } })
    expect(await sourcesOf(app, 'frame-ancestors')).toEqual([
      "'self'",
      'https://home.example',
      'http://nas.lan:8123',
    ])
    expect((await app.fetch('/files/')).headers.get('x-frame-options')).toBeNull()
    expect(await sourcesOf(app, 'script-src')).not.toContain('https://home.example')
  })

  it('gives frames a cookie of their own over TLS, and takes the older one away', async () => {
    await using app = await startApp({ config: { frameAncestors: ['https://home.example'] } })
    const cookies = (await signIn(app, { 'X-Forwarded-Proto': 'https' })).headers.getSetCookie()
    expect(cookies).toEqual([
      'auth=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure',
      expect.stringMatching(
        /^auth=[\w.-]{20,}; Path=\/; HttpOnly; SameSite=None; Max-Age=\d+; Secure; Partitioned$/,
      ),
    ])
    const plain = (await signIn(app)).headers.getSetCookie()
    expect(plain).toEqual([expect.stringContaining('; SameSite=Strict; ')])
  })

  it('refuses the cookie when another site asks with it, whatever the browser thinks of SameSite', async () => {
    await using app = await startApp({ tree: { 'a.txt': 'mine' } })
    const { cookie, token } = await app.as('admin')
    const statusFrom = async (site: string, headers: Record<string, string>) =>
      (await app.fetch('/api/raw/a.txt', { headers: { ...headers, 'Sec-Fetch-Site': site } }))
        .status
    expect(await statusFrom('cross-site', { Cookie: cookie })).toBe(401)
    for (const site of ['same-origin', 'same-site', 'none'])
      expect(await statusFrom(site, { Cookie: cookie }), site).toBe(200)
    expect(await statusFrom('cross-site', { 'X-Auth': token })).toBe(200)
  })
})

describe('styleSources', () => {
  it('let style sheets, their images and fonts in, and never a script', async () => {
    const styleSources = parseSources('https://theme-park.dev,https://fonts.gstatic.com')
    await using app = await startApp({ config: { styleSources } })
    for (const directive of ['style-src', 'img-src', 'font-src'])
      expect(await sourcesOf(app, directive)).toEqual(expect.arrayContaining(styleSources))
    for (const directive of ['script-src', 'connect-src', 'frame-src', 'style-src-attr'])
      expect(await sourcesOf(app, directive)).not.toEqual(expect.arrayContaining(styleSources))
  })
})

describe('origins given as options', () => {
  it('are written as a browser compares them, each once', () => {
    expect(parseSources('')).toEqual([])
    expect(
      parseSources(
        'HTTPS://Home.Example/, https://home.example:443 https://*.example.org  http://10.0.0.2:8123 https://bücher.example',
      ),
    ).toEqual([
      'https://home.example',
      'https://*.example.org',
      'http://10.0.0.2:8123',
      'https://xn--bcher-kva.example',
    ])
  })

  it.each([
    '*',
    'https:',
    'https://*',
    'https://*.com',
    'https://*.0.0.1',
    'http://home.*',
    'home.example',
    'ftp://home.example',
    'data:',
    'javascript:alert(1)',
    "'self'",
    "'unsafe-inline'",
    'https://home.example/path',
    'https://home.example?x',
    'https://user:word@home.example',
    "https://home.example;script-src'unsafe-inline'",
    'https://home.example;',
    'https://home.example:*',
    'https://home.example\u0000',
    'https://[::1]:8080',
    'https://',
  ])('are refused where they mean more, or something else: %s', (text) => {
    expect(() => parseSources(text)).toThrow(/is no origin/)
  })

  it('make no second header: line breaks only separate', () => {
    expect(parseSources('https://a.example\r\nhttps://b.example')).toEqual([
      'https://a.example',
      'https://b.example',
    ])
    expect(() => parseSources('https://a.example\r\nX-Evil: 1')).toThrow(/"X-Evil:" is no origin/)
  })

  it('are not too many for one header', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `https://h${n}.example`)
    expect(parseSources(many(50).join(' '))).toHaveLength(50)
    expect(() => parseSources(many(51).join(' '))).toThrow('at most 50')
  })
})
