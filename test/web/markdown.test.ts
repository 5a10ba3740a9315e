// Markdown as it is read: beside its source, as a share, and when it was written to do harm.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { sharedSite } from './browser-steps.ts'

/** The smallest picture there is, two pixels wide here. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

const README = `---
title: Front matter
---
# Reading

- [x] done
- [ ] open

> [!WARNING]
> Careful.

| a | b |
|---|---|
| 1 | ~~2~~ |

\`\`\`ts
const answer: number = 42
\`\`\`

![near](img/near%20by.png) ![up](../pixel.png) ![root](/pixel.png)
![far](https://example.org/tracker.png)

[sibling](other.md) [folder](../docs/) [heading](#reading) [away](https://example.org/)
`

/** Each would say so in \`window.harmed\` or fetch what nobody asked for. */
const HARM = `
<script>window.harmed = 'script'</script>
<img src=x onerror="window.harmed='onerror'">
<svg><script>window.harmed='svg'</script><animate onbegin="window.harmed='begin'" attributeName=x /></svg>
<a href="javascript:window.harmed='link'">js</a> [md](javascript:window.harmed='mdlink')
<a href="data:text/html,<script>parent.harmed='data'</script>">data</a>
<iframe src="javascript:parent.harmed='frame'"></iframe>
<iframe srcdoc="<script>parent.harmed='srcdoc'</script>"></iframe>
<object data="data:text/html,<script>parent.harmed=1</script>"></object><embed src="x">
<form action="/api/logout" method="post"><button>send</button><input name="username"></form>
<style>body { display: none } @import url(/api/raw/steal)</style>
<link rel="stylesheet" href="/api/raw/steal"><meta http-equiv="refresh" content="0;url=/gone">
<base href="https://example.org/"><div style="position:fixed;inset:0;z-index:999">cover</div>
<noscript><p title="</noscript><img src=x onerror=window.harmed='noscript'>"></p></noscript>
<input type="image" src="x" onerror="window.harmed='input'"><video><source onerror="window.harmed='source'"></video>
<div id="app" name="app">clobber</div><img name="getElementById"><form id="head"></form>
<details open ontoggle="window.harmed='toggle'"><summary>s</summary></details>
<img src="https://example.org/spy.gif"><img srcset="https://example.org/spy2.gif 1x">

Still standing.

<math><mtext><table><mglyph><style><img src=x onerror="window.harmed='mxss'"></style></mglyph></table></mtext></math>
`

const FORMULAS = `Euler: $e^{i\\pi}+1=0$, prices: $5 and $6.

$$
\\int_0^1 x^2\\,dx = \\frac{1}{3}
$$

\`\`\`math
\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}
\`\`\`

No TeX: $\\nonsense{$.
`

/** Each alone is short; shown without bounds they would stop or cover the page. */
const HOSTILE_FORMULAS = [
  '\\def\\a{\\a\\a}\\a',
  `\\def\\a{${'x'.repeat(1900)}}${'\\a'.repeat(40)}`,
  `${'x^{'.repeat(400)}${'}'.repeat(400)}`,
  '\\href{javascript:window.harmed=1}{x}',
  '\\htmlStyle{position:fixed;inset:0}{x}',
  '\\includegraphics{https://example.org/spy.gif}',
  '\\text{<img src=x onerror="window.harmed=1">}',
  '\\rule{99999em}{99999em}',
]

const site = sharedSite(() => ({
  'formulas.md': FORMULAS,
  'hostile-formulas.md':
    `${HOSTILE_FORMULAS.map((tex) => `$$${tex}$$\n\n`).join('')}$$${'\\frac{1}{2}'.repeat(100)}$$\n\n`
      .repeat(100)
      .concat('Still standing.\n'),
  'pixel.png': PIXEL,
  'docs/readme.md': README,
  'docs/other.md': '# The other\n',
  'docs/img/near by.png': PIXEL,
  'harm.md': HARM,
  'live.md': '# One\n',
  'missing.md': '# Missing\n\nHere ![the plan](plan.png) stood.\n',
  'deep.md': `${'>'.repeat(20_000)} words\n`,
  'long.md': 'Some *more* words in a [line](x.md).\n\n'.repeat(120_000),
}))

const rendered = (page: Page) => page.locator('article.md')

it('renders what people write, with pictures from beside the file', async () => {
  await using opened = await site.open({ path: '/files/docs/readme.md' })
  const { page } = opened
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await rendered(page).getByRole('heading', { name: 'Reading', level: 1 }).waitFor()
  await waitFor('three pictures', () =>
    rendered(page)
      .locator('img')
      .evaluateAll(
        (all) =>
          all.length === 3 && all.every((img) => (img as HTMLImageElement).naturalWidth === 1),
      ),
  )
  const task = (name: string) => rendered(page).getByRole('checkbox', { name, exact: true })
  expect(await task('done').isChecked()).toBe(true)
  expect(await task('open').isChecked()).toBe(false)
  await rendered(page).getByText('Warning', { exact: true }).waitFor()
  await rendered(page).locator('pre span[class]', { hasText: 'const' }).waitFor()
  await rendered(page).getByText('title: Front matter').waitFor()
  expect(await rendered(page).locator('del').textContent()).toBe('2')
  // What lies elsewhere is a link, not a request.
  expect(await rendered(page).getByRole('link', { name: 'far' }).getAttribute('rel')).toBe(
    'noopener noreferrer',
  )
  expect(asked.filter((url) => url.includes('example.org'))).toEqual([])
  expect(await rendered(page).getByRole('link', { name: 'away' }).getAttribute('target')).toBe(
    '_blank',
  )
  await rendered(page).getByRole('link', { name: 'sibling' }).click()
  await rendered(page).getByRole('heading', { name: 'The other' }).waitFor()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/files/docs/other.md')
  expect(opened.problems).toEqual([])
})

it('shows the words of a picture that is not there in its place', async () => {
  await using opened = await site.open({ path: '/files/missing.md' })
  const { page } = opened
  await rendered(page).locator('.md-missing').getByText('the plan').waitFor()
  expect(await rendered(page).locator('img').count()).toBe(0)
})

it('shows formulas, and loads what draws them only for a text that has one', async () => {
  await using opened = await site.open({ path: '/files/docs/readme.md' })
  const { page } = opened
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await rendered(page).getByRole('heading', { name: 'Reading', level: 1 }).waitFor()
  const before = await page.evaluate(
    () =>
      performance.getEntriesByType('resource').filter(({ name }) => /formula/.test(name)).length,
  )
  expect(before).toBe(0)
  await page.goto('/files/formulas.md')
  await waitFor('three formulas', async () => (await rendered(page).locator('math').count()) === 3)
  await expect.poll(() => asked.some((url) => /formula/.test(url))).toBe(true)
  await rendered(page).getByText('prices: $5 and $6.').waitFor()
  expect(await rendered(page).locator('p math msup').first().textContent()).toBe('eiπ')
  expect(await rendered(page).locator('math[display=block] mfrac').textContent()).toBe('13')
  expect(await rendered(page).locator('math mtable mtd').allTextContents()).toEqual([
    'a',
    'b',
    'c',
    'd',
  ])
  await rendered(page).locator('code', { hasText: '\\nonsense{' }).waitFor()
  // The measures of this font make browsers draw root signs.
  const loaded = () =>
    page.evaluate(() =>
      [...document.fonts].some(
        ({ family, status }) => family === 'Formulas' && status === 'loaded',
      ),
    )
  await waitFor('the font of formulas', loaded)
  expect(opened.problems).toEqual([])
})

it('lets no formula act, cover the page or hold it up', async () => {
  await using opened = await site.open({ path: '/files/hostile-formulas.md?view=markdown' })
  const { page } = opened
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await rendered(page).getByText('Still standing.').waitFor()
  await rendered(page).locator('math').first().waitFor()
  expect(
    await rendered(page)
      .locator('math :is([href], [style], [src], [class], a, img), math[style]')
      .count(),
  ).toBe(0)
  const tallest = () =>
    rendered(page)
      .locator('.md-math')
      .evaluateAll((all) => Math.max(...all.map((box) => box.getBoundingClientRect().height)))
  await expect.poll(tallest).toBeLessThan(2000)
  expect(await page.evaluate(() => 'harmed' in window)).toBe(false)
  expect(asked.filter((url) => url.includes('example.org'))).toEqual([])
})

it('follows the typing', async () => {
  await using opened = await site.open({ path: '/files/live.md' })
  const { page } = opened
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('\nand **bold** words')
  await rendered(page).locator('strong', { hasText: 'bold' }).waitFor()
  await page.getByRole('radio', { name: 'Preview' }).check({ force: true })
  await page.locator('.cm-content').waitFor({ state: 'hidden' })
  await page.getByRole('radio', { name: 'Source' }).check({ force: true })
  await rendered(page).waitFor({ state: 'detached' })
  const source = page.locator('.cm-content')
  await expect.poll(() => source.textContent()).toContain('and **bold** words')
})

it('leaves the text alone when it cannot be rendered, and renders again when it can', async () => {
  await using opened = await site.open({ path: '/files/deep.md' })
  const { page } = opened
  await page.getByRole('heading', { name: 'Couldn’t show this document' }).waitFor()
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('# Shallow')
  await rendered(page).getByRole('heading', { name: 'Shallow' }).waitFor()
  await page.goto('/files/deep.md?view=markdown')
  await page.getByText('This file couldn’t be shown.').waitFor()
})

it('does not render beside the source what is too long for that', async () => {
  await using opened = await site.open({ path: '/files/long.md' })
  const { page } = opened
  await page.getByRole('heading', { name: 'This document is very long' }).waitFor()
  await page.locator('.cm-line').first().getByText('Some').waitFor()
  expect(opened.problems).toEqual([])
})

it.each([
  ['editor', '/files/harm.md'],
  ['viewer', '/files/harm.md?view=markdown'],
])('lets nothing in a hostile text act, in the %s', async (_place, path) => {
  await using opened = await site.open({ path })
  const { page } = opened
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await rendered(page).getByText('Still standing.').waitFor()
  for (const link of await rendered(page).locator('a').all()) {
    expect((await link.getAttribute('href')) ?? '').not.toMatch(/^(javascript|data|vbscript):/i)
  }
  expect(
    await rendered(page)
      .locator(
        'script, iframe, object, embed, form, style, link, meta, base, svg, math, video, button, [style], [name], input:not([type=checkbox])',
      )
      .count(),
  ).toBe(0)
  expect(
    await rendered(page).evaluate((article) =>
      [...article.querySelectorAll('*')]
        .flatMap((element) => element.getAttributeNames())
        .filter((name) => name.startsWith('on')),
    ),
  ).toEqual([])
  expect(
    await rendered(page)
      .locator('[id]')
      .evaluateAll((all) => all.every(({ id }) => id.startsWith('md-'))),
  ).toBe(true)
  expect(
    await page.evaluate(() => (window as unknown as { harmed?: string }).harmed),
  ).toBeUndefined()
  expect(asked.filter((url) => /example\.org|steal|logout/.test(url))).toEqual([])
  expect(await page.evaluate(() => getComputedStyle(document.body).display)).not.toBe('none')
  await expect.poll(() => new URL(page.url()).pathname).toBe('/files/harm.md')
})

it('lets nothing in a hostile text act in a share, nor asks anybody else for anything', async () => {
  const { fetch } = await loginAs(site.program.origin)
  const made = await fetch('/api/share/harm.md', { method: 'POST', body: '{}' })
  const { hash } = (await made.json()) as { hash: string }
  await using opened = await site.open({
    path: `/share/${hash}`,
    as: null,
  })
  const { page } = opened
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await rendered(page).getByText('Still standing.').waitFor()
  expect(await rendered(page).locator('script, iframe, form, style, [style], button').count()).toBe(
    0,
  )
  expect(
    await page.evaluate(() => (window as unknown as { harmed?: string }).harmed),
  ).toBeUndefined()
  expect(asked.filter((url) => new URL(url).origin !== site.program.origin)).toEqual([])
})
