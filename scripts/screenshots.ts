// Photographs every screen of the built product for docs/screenshots, named like the drafts they were
// designed by: `npm run build && npm run screenshots [name...]`. Needs Chromium.

import { mkdir, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import type { UserRecord } from '../src/api-types.ts'
import { launchBrowser, openPage, PHONE } from '../test/support/browser.ts'
import { loginAs } from '../test/support/login.ts'
import { ADMIN, type Program, startProgram } from '../test/support/program.ts'
import { makeTree, type Tree } from '../test/support/tree.ts'
import { addUser, dragTo, entry, selectionBar, userLogin } from '../test/web/listing-steps.ts'
import { makeBook, makePdf } from './sample-documents.ts'

const OUT = join(import.meta.dirname, '..', 'docs', 'screenshots')
const WIDE = { width: 1440, height: 900 }
const MAX_BYTES = 80_000

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const KIB = 1024
const MIB = 1024 * KIB

const HOME = '/files/Projects/Aurora%20launch/'

const PLAN = `# Aurora launch

Everything that has to be **true** on the morning of the 9th.

## Before the doors open

- [x] Press kit approved
- [x] Site build behind the preview address
- [ ] Keynote, fourth draft
- [ ] Teaser cut without the drone shot

| Who   | What            | When  |
| ----- | --------------- | ----- |
| Mara  | Site, redirects | 07:30 |
| Jonas | Press calls     | 08:00 |
| Ines  | Stage and sound | 08:30 |

> The hero picture stays up until noon.

\`\`\`ts
export const opensAt = new Date('2026-12-09T09:00:00+01:00')
\`\`\`
`

/** Size in bytes and age of each file; pictures get their content below. */
const files: Record<string, [sizeBytes: number, ageMs: number]> = {
  'budget-2027.xlsx': [84.2 * KIB, 3 * HOUR_MS],
  'dawn-hero.jpg': [0, DAY_MS],
  'deploy.sh': [0, 15 * DAY_MS],
  'keynote-draft-4.pptx': [31.6 * MIB, 1.2 * DAY_MS],
  'launch-plan.md': [0, 12 * MINUTE_MS],
  'mountain-lake.jpg': [0, 2 * DAY_MS],
  'press-kit.zip': [212 * MIB, 10 * DAY_MS],
  'signed-agreement.pdf': [0, 11 * DAY_MS],
  'team-book.epub': [0, 13 * DAY_MS],
  'theme-final.wav': [38.9 * MIB, 13 * DAY_MS],
  'tokens.json': [0, 3 * DAY_MS],
  'winter-forest.jpg': [0, 5 * DAY_MS],
}
const folders: Record<string, number> = {
  'Brand assets': DAY_MS,
  Contracts: 9 * DAY_MS,
  Interviews: 12 * DAY_MS,
  'Site build': 2 * HOUR_MS,
}

/** Hills below a sky, in colours of one's own. */
async function landscape(sky: [string, string], hills: string[], seed: number): Promise<Buffer> {
  const ridges = hills.map((fill, n) => {
    const base = 520 + n * 110
    let path = `M0 1000 L0 ${base}`
    for (let x = 0; x <= 1500; x += 6) {
      const wave = Math.sin(x / (150 - n * 25) + seed + n) * Math.cos(x / (61 + n * 9) + seed * 2)
      path += ` L${x} ${(base - 70 * (1 + wave)).toFixed(1)}`
    }
    return `<path d="${path} L1500 1000 Z" fill="${fill}"/>`
  })
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1500" height="1000"><defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="${sky[0]}"/><stop offset=".7" stop-color="${sky[1]}"/></linearGradient></defs><rect width="1500" height="1000" fill="url(#s)"/><circle cx="1040" cy="360" r="62" fill="#fff6da" opacity=".9"/>${ridges.join('')}</svg>`
  return sharp(Buffer.from(svg)).jpeg({ quality: 85 }).toBuffer()
}

async function makeHome(): Promise<Tree> {
  const dawn = await landscape(['#4a4f86', '#f0b795'], ['#8a6f9c', '#575587', '#28305a'], 1)
  const pictures: Record<string, Uint8Array | string> = {
    'dawn-hero.jpg': dawn,
    'mountain-lake.jpg': await landscape(
      ['#5fa8d8', '#dff1f7'],
      ['#7fa7b8', '#4b7f8f', '#22505e'],
      3,
    ),
    'winter-forest.jpg': await landscape(
      ['#9fb3c4', '#eef2f5'],
      ['#b9c8d2', '#7d95a3', '#3f5866'],
      6,
    ),
    'deploy.sh': '#!/bin/sh\nset -eu\nnpm ci\nnpm run build\nrsync -a dist/ web:/srv/aurora/\n',
    'launch-plan.md': PLAN,
    'signed-agreement.pdf': makePdf(await sharp(dawn).resize(480, 320).jpeg().toBuffer()),
    'team-book.epub': await makeBook(await sharp(dawn).resize(480, 320).jpeg().toBuffer()),
    'tokens.json': '{\n  "accent": "#2563eb",\n  "radius": 12\n}\n',
  }
  const at = (name: string) => `Projects/Aurora launch/${name}`
  const names = [...Object.keys(files).map((name) => [name, pictures[name] ?? ''] as const)]
  const tree = await makeTree({
    ...Object.fromEntries(names.map(([name, content]) => [at(name), content])),
    ...Object.fromEntries(Object.keys(folders).map((name) => [`${at(name)}/readme.txt`, 'x'])),
    'Projects/Nothing yet': null,
    'Family photos/a.txt': 'a',
    'Invoices 2026/b.txt': 'b',
  })
  const nowMs = Date.now()
  const aged = [
    ...Object.entries(files),
    ...Object.entries(folders).map(([n, age]) => [n, [0, age]]),
  ]
  for (const [name, [sizeBytes, ageMs]] of aged as [string, [number, number]][]) {
    if (sizeBytes > 0) await truncate(tree.at(at(name)), Math.round(sizeBytes))
    const time = new Date(nowMs - ageMs)
    await utimes(tree.at(at(name)), time, time)
  }
  return tree
}

interface Shot {
  path: string
  /** Default both. */
  scheme?: 'light' | 'dark'
  phone?: boolean
  as?: 'mara' | 'maryam' | null
  /** Up to the moment of the picture. */
  prepare(page: Page): Promise<unknown>
  /** Afterwards, so that the next picture finds the folder as it was. */
  after?(page: Page): Promise<unknown>
}

const UPLOADS = ['notes.txt', 'stage-plan.pdf', 'rehearsal.mov']

async function view(page: Page, name: 'List' | 'Grid' | 'Gallery') {
  await page.locator('#listing').waitFor()
  await page.getByRole('radio', { name, exact: true }).check()
}

async function selectThree(page: Page) {
  await view(page, 'List')
  await entry(page, 'dawn-hero.jpg').click()
  for (const name of ['launch-plan.md', 'mountain-lake.jpg']) {
    await entry(page, name).click({ modifiers: ['Control'] })
  }
}

async function hold(page: Page, name: string) {
  const finger = await page.context().newCDPSession(page)
  const box = await entry(page, name).boundingBox()
  const at = { x: (box?.x ?? 0) + 120, y: (box?.y ?? 0) + 20 }
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] })
  await page.locator('#listing [aria-selected="true"]').first().waitFor()
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

/** Files held over the listing, as the browser tells it. */
async function dragFiles(page: Page, count: number) {
  await view(page, 'List')
  await page.evaluate((amount) => {
    const data = new DataTransfer()
    for (let n = 0; n < amount; n++) data.items.add(new File(['x'], `${n}.jpg`))
    const init = { bubbles: true, cancelable: true, dataTransfer: data, clientX: 700, clientY: 500 }
    const target = document.querySelector('#listing')
    target?.dispatchEvent(new DragEvent('dragenter', init))
    target?.dispatchEvent(new DragEvent('dragover', init))
  }, count)
}

/** The first file goes slowly enough to be seen on its way. */
async function upload(page: Page, names: string[]) {
  await entry(page, 'launch-plan.md').waitFor()
  const line = await page.context().newCDPSession(page)
  await line.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 20,
    downloadThroughput: -1,
    uploadThroughput: 400 * KIB,
  })
  const opener = page
    .getByRole('button', { name: 'Upload', exact: true })
    .or(page.getByRole('button', { name: 'New', exact: true }))
  await opener.filter({ visible: true }).first().click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Upload files' }).click()
  await (await chooser).setFiles(
    names.map((name, n) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.alloc(n === 0 ? 3000 : 2_000_000 * n),
    })),
  )
  await page.getByRole('region', { name: 'Uploads' }).waitFor()
}

const shots: Record<string, Shot> = {
  login: {
    path: '/login',
    as: null,
    prepare: (page) => page.getByRole('textbox').first().waitFor(),
  },
  list: { path: HOME, prepare: selectThree },
  'list-rtl': {
    path: HOME,
    as: 'maryam',
    prepare: (page) => entry(page, 'launch-plan.md').waitFor(),
  },
  mosaic: { path: HOME, prepare: (page) => view(page, 'Grid') },
  gallery: { path: HOME, prepare: (page) => view(page, 'Gallery') },
  'context-menu': {
    path: HOME,
    async prepare(page) {
      await view(page, 'List')
      await entry(page, 'dawn-hero.jpg').click({ button: 'right', position: { x: 240, y: 20 } })
      await page.getByRole('menu').waitFor()
    },
  },
  delete: {
    path: HOME,
    async prepare(page) {
      await selectThree(page)
      await page.keyboard.press('Delete')
      await page.getByRole('alertdialog').waitFor()
    },
  },
  drag: {
    path: HOME,
    async prepare(page) {
      await selectThree(page)
      await dragTo(page, entry(page, 'dawn-hero.jpg'), entry(page, 'Brand assets'), { drop: false })
    },
  },
  drop: { path: HOME, prepare: (page) => dragFiles(page, 8) },
  editor: {
    path: `${HOME}launch-plan.md`,
    prepare: (page) => page.getByRole('radio', { name: 'Split' }).check(),
  },
  empty: {
    path: '/files/Projects/Nothing%20yet/',
    prepare: (page) => page.getByRole('heading').first().waitFor(),
  },
  'error-404': {
    path: '/files/Projects/Borealis/',
    prepare: (page) => page.getByRole('heading', { level: 1 }).waitFor(),
  },
  help: {
    path: HOME,
    async prepare(page) {
      await view(page, 'List')
      await page.keyboard.press('F1')
      await page.getByRole('dialog').waitFor()
    },
  },
  'mobile-list': {
    path: HOME,
    phone: true,
    prepare: (page) => entry(page, 'launch-plan.md').waitFor(),
  },
  'mobile-selection': {
    path: HOME,
    phone: true,
    async prepare(page) {
      await hold(page, 'dawn-hero.jpg')
      await entry(page, 'deploy.sh').tap()
    },
  },
  'mobile-actions': {
    path: HOME,
    phone: true,
    async prepare(page) {
      await entry(page, 'dawn-hero.jpg').getByRole('button').last().tap()
      await page.getByRole('menu').waitFor()
    },
  },
  move: {
    path: HOME,
    async prepare(page) {
      await selectThree(page)
      await selectionBar(page).getByRole('button', { name: 'Move' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  palette: {
    path: HOME,
    async prepare(page) {
      await view(page, 'List')
      await page.keyboard.press('Control+k')
      await page.getByRole('option').first().waitFor()
    },
  },
  'public-folder': {
    path: '/share/folder',
    as: null,
    prepare: (page) => page.getByRole('row').nth(4).waitFor(),
  },
  'public-file': {
    path: '/share/file',
    as: null,
    prepare: (page) => page.locator('.vw-picture > img[data-shown=true]').waitFor(),
  },
  search: {
    path: HOME,
    async prepare(page) {
      await view(page, 'List')
      await page.keyboard.press('Control+Shift+F')
      await page.getByRole('combobox').fill('re')
      await page.getByRole('option').nth(2).waitFor()
    },
  },
  'settings-profile': {
    path: '/settings/profile',
    prepare: (page) => page.getByRole('heading').nth(2).waitFor(),
  },
  'settings-global': {
    path: '/settings/global',
    prepare: (page) => page.getByRole('heading').nth(2).waitFor(),
  },
  'settings-users': {
    path: '/settings/users',
    prepare: (page) => page.getByText('jonas').waitFor(),
  },
  'settings-user-form': {
    path: '/settings/users/new',
    prepare: (page) => page.getByRole('heading').nth(2).waitFor(),
  },
  share: {
    path: HOME,
    async prepare(page) {
      await view(page, 'List')
      await entry(page, 'dawn-hero.jpg').click()
      await selectionBar(page).getByRole('button', { name: 'Share' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  shell: {
    path: HOME,
    async prepare(page) {
      await view(page, 'List')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('shell')
      await page.getByRole('option', { name: 'Open in shell' }).click()
      await page.locator('.xterm-rows').getByText('❯').first().waitFor()
      await page.keyboard.type('ls')
      await page.keyboard.press('Enter')
      await page.locator('.xterm-rows').getByText('tokens.json').first().waitFor()
    },
  },
  viewer: {
    path: `${HOME}dawn-hero.jpg`,
    async prepare(page) {
      await page.locator('.vw-picture > img[data-shown=true]').waitFor()
      await page.locator('.vw-frame img').first().waitFor()
    },
  },
  conflict: { path: HOME, prepare: (page) => upload(page, ['tokens.json', 'deploy.sh']) },
  upload: { path: HOME, after: cancelUploads, prepare: (page) => uploadThree(page) },
  'mobile-login': {
    path: '/login',
    as: null,
    phone: true,
    prepare: (page) => page.getByRole('textbox').first().waitFor(),
  },
  'mobile-viewer': {
    path: `${HOME}dawn-hero.jpg`,
    phone: true,
    async prepare(page) {
      await page.locator('.vw-picture > img[data-shown=true]').waitFor()
      await page.locator('.vw-frame img').first().waitFor()
    },
  },
  'mobile-editor': {
    path: `${HOME}launch-plan.md`,
    phone: true,
    prepare: (page) => page.locator('.cm-content').waitFor(),
  },
  'mobile-upload': {
    path: HOME,
    phone: true,
    after: cancelUploads,
    prepare: (page) => uploadThree(page),
  },
  'mobile-share': {
    path: HOME,
    phone: true,
    async prepare(page) {
      await entry(page, 'dawn-hero.jpg').getByRole('button').last().tap()
      await page.getByRole('menuitem', { name: 'Share' }).tap()
      await page.getByRole('dialog').waitFor()
    },
  },
  'mobile-public-folder': {
    path: '/share/folder',
    as: null,
    phone: true,
    prepare: (page) => page.getByRole('row').nth(4).waitFor(),
  },
  'mobile-settings': {
    path: '/settings/profile',
    phone: true,
    prepare: (page) => page.getByRole('heading').nth(2).waitFor(),
  },
}

async function uploadThree(page: Page) {
  await upload(page, UPLOADS)
  // The speed is known a moment later.
  await page.getByText(/[1-9].*B\/s · \d+:\d+:\d+ left/).waitFor()
  await page.mouse.move(640, 20)
}

async function cancelUploads(page: Page) {
  await page.getByRole('button', { name: 'Cancel all' }).click()
  await page.getByRole('button', { name: 'Cancel uploads' }).click()
  await page.getByText('1 file uploaded').waitFor()
  await rm(tree.at(`Projects/Aurora launch/${UPLOADS[0]}`))
}

async function prepareUsers(program: Program) {
  const rights = 'admin execute create rename modify delete share download'.split(' ')
  await addUser(program, 'mara', rights)
  await addUser(program, 'maryam', rights)
  await addUser(program, 'jonas', ['create', 'rename', 'download'])
  const admin = await loginAs(program.origin)
  const users = (await (await admin.fetch('/api/users')).json()) as UserRecord[]
  for (const user of users) {
    const locale = user.username === 'maryam' ? 'ar' : 'en'
    const data = { ...user, locale, commands: ['ls'] }
    const which = ['locale', 'commands']
    await admin.fetch(`/api/users/${user.id}`, {
      method: 'PUT',
      body: JSON.stringify({ what: 'user', which, current_password: ADMIN.password, data }),
    })
  }
}

async function share(program: Program, path: string): Promise<string> {
  const admin = await loginAs(program.origin)
  const made = await admin.fetch(`/api/share/${path}`, { method: 'POST', body: '{}' })
  return ((await made.json()) as { hash: string }).hash
}

/** As small as its limit asks for. */
async function save(name: string, png: Buffer) {
  for (const quality of [86, 78, 68, 55]) {
    const bytes = await sharp(png).webp({ quality, effort: 6 }).toBuffer()
    if (bytes.length > MAX_BYTES && quality > 55) continue
    await writeFile(join(OUT, `${name}.webp`), bytes)
    return
  }
}

async function photograph(browser: Browser, program: Program, name: string, shot: Shot) {
  const schemes = shot.scheme ? [shot.scheme] : (['light', 'dark'] as const)
  for (const colorScheme of schemes) {
    const { as = 'mara' } = shot
    const phone = { viewport: PHONE, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }
    const { page, context } = await openPage(browser, program, {
      path: shot.path,
      as: as && userLogin(as),
      colorScheme,
      ...(shot.phone ? phone : { viewport: WIDE }),
    })
    try {
      await pin(page)
      await shot.prepare(page)
      await page.waitForFunction(() => [...document.images].every((image) => image.complete))
      await page
        .waitForFunction(() => document.getAnimations().length === 0, null, {
          timeout: 2000,
        })
        .catch(() => {})
      await save(`${name}-${colorScheme}`, await page.screenshot())
      await shot.after?.(page)
    } catch (error) {
      process.exitCode = 1
      process.stderr.write(`${name} ${colorScheme}: ${String(error).slice(0, 400)}\n`)
    } finally {
      await context.close()
    }
  }
}

/** Pinned folders belong to the browser. */
async function pin(page: Page) {
  const pinned = ['Projects/Aurora launch', 'Family photos', 'Invoices 2026'].map((path) => ({
    path: `/${path}`,
    name: path.slice(path.indexOf('/') + 1),
  }))
  await page.evaluate((text) => localStorage.setItem('fb-prefs', text), JSON.stringify({ pinned }))
  await page.reload()
}

const wanted = process.argv.slice(2)
await mkdir(OUT, { recursive: true })
await using tree = await makeHome()
await using program = await startProgram(tree, { args: ['--disableExec=false'] })
await prepareUsers(program)
const folder = await share(program, 'Projects/Aurora%20launch/')
const file = await share(program, 'Projects/Aurora%20launch/dawn-hero.jpg')
const browser = await launchBrowser()
try {
  for (const [name, shot] of Object.entries(shots)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const path = shot.path.replace('/share/folder', `/share/${folder}`)
    await photograph(browser, program, name, {
      ...shot,
      path: path.replace('/share/file', `/share/${file}`),
    })
  }
} finally {
  await browser.close()
}
