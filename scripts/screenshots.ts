// Photographs every screen of the built product into dist/screenshots, named like the drafts they were
// designed by: `npm run build && npm run screenshots [name...]`. With `--readme` those that README.md
// shows go to docs/screenshots. Needs Chromium.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import type { UserRecord } from '../src/api-types.ts'
import { launchBrowser, openPage, PHONE } from '../test/support/browser.ts'
import { loginAs } from '../test/support/login.ts'
import { ADMIN, type Program, startProgram } from '../test/support/program.ts'
import { addUser, userLogin } from '../test/web/listing-steps.ts'
import { collectMessages, readCatalogue } from './build/catalogues.ts'
import { OUT_DIR, ROOT } from './build/paths.ts'
import { LAUNCH, makeSampleTree } from './screenshots/sample-folder.ts'
import { type Shot, shots } from './screenshots/shots.ts'
import type { Scene } from './screenshots/steps.ts'

const OUT = join(OUT_DIR, 'screenshots')
const DOCS = join(ROOT, 'docs', 'screenshots')
const README = await readFile(join(ROOT, 'README.md'), 'utf8')
const forReadme = process.argv.includes('--readme')
const WIDE = { width: 1440, height: 900 }
const MAX_BYTES = 80_000
const STILL_MS = 2000

/** Who looks: `mara` in English, `maryam` in Arabic. */
interface Eye {
  suffix: 'light' | 'dark' | 'rtl-light'
  scheme: 'light' | 'dark'
  username: 'mara' | 'maryam'
  locale: 'en-US' | 'ar'
}

const EYES: Eye[] = [
  { suffix: 'light', scheme: 'light', username: 'mara', locale: 'en-US' },
  { suffix: 'dark', scheme: 'dark', username: 'mara', locale: 'en-US' },
  { suffix: 'rtl-light', scheme: 'light', username: 'maryam', locale: 'ar' },
]

/** English texts of the interface and what they are in Arabic. */
const arabic = await (async () => {
  const translated = await readCatalogue(join(ROOT, 'locales', 'ar.po'))
  const english = await collectMessages({ idOnly: false })
  return new Map(Object.entries(english).map(([id, text]) => [text, translated[id] ?? text]))
})()

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
    if (forReadme && README.includes(`docs/screenshots/${name}.webp`))
      await writeFile(join(DOCS, `${name}.webp`), bytes)
    return
  }
}

async function photograph(browser: Browser, program: Program, name: string, shot: Shot) {
  for (const eye of EYES.filter(({ locale }) => locale !== 'ar' || shot.rtl)) {
    const phone = { viewport: PHONE, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }
    const { page, context } = await openPage(browser, program, {
      path: shot.path,
      as: shot.visitor ? null : userLogin(eye.username),
      colorScheme: eye.scheme,
      locale: eye.locale,
      ...(shot.phone ? phone : { viewport: WIDE }),
    })
    const say = (english: string) => (eye.locale === 'ar' && arabic.get(english)) || english
    const scene: Scene = { page, say, folder: tree.at(decodeURIComponent(LAUNCH)) }
    try {
      await pin(page)
      await shot.prepare(scene)
      await page.waitForFunction(() => [...document.images].every((image) => image.complete))
      await page
        .waitForFunction(() => document.getAnimations().length === 0, null, { timeout: STILL_MS })
        .catch(() => {})
      await save(`${name}-${eye.suffix}`, await page.screenshot())
      await shot.after?.(scene)
    } catch (error) {
      process.exitCode = 1
      process.stderr.write(`${name} ${eye.suffix}: ${String(error).slice(0, 400)}\n`)
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

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'))
await mkdir(OUT, { recursive: true })
await using tree = await makeSampleTree()
await using program = await startProgram(tree, { args: ['--disableExec=false'] })
await prepareUsers(program)
const folder = await share(program, LAUNCH)
const file = await share(program, `${LAUNCH}dawn-hero.jpg`)
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
