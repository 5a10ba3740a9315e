// A real browser on the built product: shared by the files of a worker, with one context per test.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from 'playwright-core'
import { ROOT } from '../../scripts/build/paths.ts'
import { ADMIN, type Program } from './program.ts'

const FULL = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** The same engine without the browser's own windows takes two thirds of the time. */
const SHELL = '/usr/bin/chromium-headless-shell'

/** What a busy machine takes; half of what a test may. */
const WAIT_MS = 60_000

/** A path without the product, for tests that go elsewhere by themselves. */
export const BLANK = '/health'

export const DESKTOP = { width: 1280, height: 800 } as const
export const PHONE = { width: 390, height: 844 } as const

const ARGS = [
  // Containers run as root and without a GPU.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Pages are gone before code pays for being optimized early, which took a twentieth of their time; loops still are. */
const V8_FLAGS = [
  '--no-script-streaming',
  '--invocation-count-for-maglev=4000',
  '--invocation-count-for-turbofan=20000',
]

/**
 * One process for all pages of a context, which then compiles the scripts of the page once, and none that is
 * started in advance for another site, which took a tenth of the time.
 */
const REOPENED = [
  '--process-per-site',
  `--js-flags=${V8_FLAGS.join(' ')}`,
  '--disable-site-isolation-trials',
]

// What texts measure must not depend on the fonts of the machine. Without these there would be none.
const FONTS = join(import.meta.dirname, 'fonts.conf')
if (!existsSync(join(ROOT, 'node_modules/@expo-google-fonts/noto-sans')))
  throw new Error('the fonts of the tests are missing: npm ci')
const env = { ...process.env, FONTCONFIG_FILE: FONTS }

function findChromium(candidates: readonly string[]): string {
  const path = process.env.CHROMIUM ?? candidates.find((candidate) => existsSync(candidate))
  if (!path) throw new Error('no Chromium found: apt-get install chromium')
  return path
}

/** `args` are further switches of the browser. */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium([SHELL, ...FULL])
  return chromium.launch({ executablePath, args: [...ARGS, ...args], env })
}

/** Browsers that outlive a test file, by their switches. A worker's end closes them. */
const shared = new Map<string, Promise<Browser>>()

/** A browser that all files of this worker use. Nobody closes it; one that died is started anew. */
export async function workerBrowser(args: readonly string[] = []): Promise<Browser> {
  const key = args.join(' ')
  const running = await shared.get(key)?.catch(() => null)
  if (running?.isConnected()) return running
  const started = launchBrowser([...args, ...REOPENED])
  shared.set(key, started)
  return started
}

/** Where the browser is that people have. */
export const findFullChromium = (): string => findChromium(FULL)

/** The browser as people have it, with its own PDF viewer and access to local files. */
export async function launchFullBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(FULL), args: ARGS, env })
}

/**
 * A browser of its own that keeps what it knows in the folder `profile`, as people's browsers do. Close
 * the context to close it.
 */
export async function launchProfile(profile: string, program: Program): Promise<BrowserContext> {
  return chromium.launchPersistentContext(profile, {
    executablePath: findChromium(FULL),
    args: ARGS,
    env,
    baseURL: program.origin,
    viewport: DESKTOP,
    locale: 'en-US',
    reducedMotion: 'reduce',
  })
}

export interface OpenPage extends AsyncDisposable {
  page: Page
  context: BrowserContext
  /** Script errors, console errors and refused policies; a good test ends with none. */
  problems: string[]
}

export interface PageOptions extends BrowserContextOptions {
  /** Path to open; default the front page. */
  path?: string
  /** Sign in first, through the API unless the cookie is there, which the page starts from. Default admin. */
  as?: { username: string; password: string; cookie?: string } | null
  /** In a context of its own: taking the network away from one of two pages that share a process may not work. */
  isAlone?: boolean
}

/**
 * A server whose pages are opened; `reopened` when more than one test opens pages of its origin, one after the
 * other: those of the same server, or of others that come after it.
 */
export interface Opened {
  origin: string
  /** Of a session of ADMIN, where there is one. */
  cookie?: string | undefined
  reopened?: 'same' | 'other' | undefined
}

/** As the server sets it. */
const COOKIE = { httpOnly: true, sameSite: 'Strict' } as const

/** Opens a page of a running program, signed in unless `as` is null. */
export async function openPage(
  browser: Browser,
  server: Opened,
  options: PageOptions = {},
): Promise<OpenPage> {
  const { cookie } = server
  const admin = cookie === undefined ? ADMIN : { ...ADMIN, cookie }
  const { path = '/', as = admin, isAlone = false, ...contextOptions } = options
  const make = server.reopened && !isAlone ? borrowContext : ownContext
  const { context, leave } = await make(browser, server, contextOptions)
  context.setDefaultTimeout(WAIT_MS)
  const page = await context.newPage()
  await slowDown(page, isAlone)
  context.on('page', (other) => void slowDown(other, isAlone).catch(() => {}))
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`script error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) problems.push(message.text())
  })
  if (as && 'cookie' in as) {
    const { cookie: value = '' } = as
    await context.addCookies([{ name: 'auth', value, url: server.origin, ...COOKIE }])
  } else if (as) {
    const response = await context.request.post('/api/login', {
      data: { ...as, recaptcha: '', remember: true },
    })
    if (!response.ok()) throw new Error(`login as ${as.username}: ${response.status()}`)
  }
  await page.goto(path)
  return { page, context, problems, [Symbol.asyncDispose]: leave }
}

/**
 * `SLOW=6,80`: six times less processor for the page and 80 ms for each answer. A third number is by how many
 * ms all that the page leaves for later, such as the next frame, comes later still. Shows what a test
 * forgets to wait for.
 */
export async function slowDown(page: Page, isAlone = false): Promise<void> {
  const [rate = 0, latency = 0, lateMs = 0] = (process.env.SLOW ?? '').split(',').map(Number)
  if (rate <= 0) return
  if (lateMs > 0) await page.addInitScript(comeLater, lateMs)
  const session = await devtoolsOf(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate })
  // It would bring the network back that a test has taken away.
  if (latency <= 0 || isAlone) return
  const unlimited = { downloadThroughput: -1, uploadThroughput: -1 }
  await session.send('Network.emulateNetworkConditions', { offline: false, latency, ...unlimited })
}

/** In the page: frames and messages to itself, by which React works, come `lateMs` later. */
function comeLater(lateMs: number): void {
  const { setTimeout, requestAnimationFrame } = window
  const { postMessage } = MessagePort.prototype
  window.requestAnimationFrame = (run) =>
    requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(run), lateMs))
  MessagePort.prototype.postMessage = function (this: MessagePort, ...sent: unknown[]) {
    setTimeout(() => Reflect.apply(postMessage, this, sent), lateMs)
  }
}

const devtools = new WeakMap<Page, Promise<CDPSession>>()

/** The one session of a page that says how its network is: of two, the one that spoke first would win. */
export function devtoolsOf(page: Page): Promise<CDPSession> {
  const known = devtools.get(page)
  if (known !== undefined) return known
  const made = page.context().newCDPSession(page)
  devtools.set(page, made)
  return made
}

/** A context and how to leave it once its pages are no longer needed. */
interface Lent {
  context: BrowserContext
  leave(): Promise<void>
}

async function ownContext(
  browser: Browser,
  { origin }: Opened,
  options: BrowserContextOptions = {},
): Promise<Lent> {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: DESKTOP,
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...options,
  })
  await context.addInitScript(waitForJobs)
  return { context, leave: () => context.close() }
}

/**
 * In the page: it takes a job of more than a second for a long one, which it shows in a panel and selects nothing
 * after. A busy machine is given the most that the server waits, except where a test has set `isImpatient`.
 */
function waitForJobs(): void {
  const { fetch } = window
  window.fetch = (asked, init) => {
    const isTransfer = /"kind":"(copy|move|delete)"/.test(`${init?.body ?? ''}`)
    const isPatient = isTransfer && typeof asked === 'string' && !('isImpatient' in window)
    return fetch(isPatient ? asked.replace(/(\/api\/jobs\?wait)=1$/, '$1=30') : asked, init)
  }
}

/** A context that several tests use, one after the other. */
interface Kept extends Lent, Opened {
  /** An empty page of the server: keeps the process of the site, with the scripts it has compiled, alive. */
  keeper: Page
  used: boolean
}

/** By server and options, the one that was lent last at the end. */
const kept = new Map<string, Kept>()
/** Each holds a process of the browser. */
const MOST_KEPT = 4

/** A context as new, unless an earlier one like it can be had: a third of the work is loading scripts. */
async function borrowContext(
  browser: Browser,
  server: Opened,
  options: BrowserContextOptions,
): Promise<Lent> {
  const { origin, reopened } = server
  const key = `${origin} ${JSON.stringify(options)}`
  let found = kept.get(key)
  if (found?.used) return ownContext(browser, server, options)
  const isOther = found !== undefined && found.context.browser() !== browser
  if (isOther && !found?.keeper.isClosed()) return ownContext(browser, server, options)
  kept.delete(key)
  if (found === undefined || isOther || found.keeper.isClosed()) {
    await makeRoom()
    const { context } = await ownContext(browser, server, options)
    const keeper = await context.newPage()
    const leave = () => giveBack(key, made)
    const made: Kept = { context, origin, reopened, keeper, used: false, leave }
    found = made
    await keeper.goto(BLANK)
    // The pages of a context have one process: all are gone with it.
    keeper.on('crash', () => kept.delete(key))
  } else if (options.permissions) await found.context.grantPermissions(options.permissions)
  kept.set(key, found)
  found.used = true
  found.reopened = reopened
  return found
}

/** Closes the context that was lent longest ago, when there are many. */
async function makeRoom(): Promise<void> {
  if (kept.size < MOST_KEPT) return
  const oldest = [...kept].find(([, { used }]) => !used)
  if (oldest === undefined) return
  kept.delete(oldest[0])
  await oldest[1].context.close()
}

/** What tests listen for. */
const EVENTS = ['page', 'request', 'requestfinished', 'response', 'dialog', 'console'] as const

/** Closes what the test opened and forgets what the browser knows; a context that cannot be cleared goes. */
async function giveBack(key: string, found: Kept): Promise<void> {
  const { context, origin, keeper } = found
  if (kept.get(key) !== found) return context.close()
  try {
    for (const page of context.pages()) if (page !== keeper) await page.close()
    for (const event of EVENTS) {
      context.removeAllListeners(event)
    }
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    await context.clearPermissions()
    await context.clearCookies()
    const session = await context.newCDPSession(keeper)
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
    if (found.reopened === 'other') await session.send('Network.clearBrowserCache')
    await session.detach()
    // A clock that a test has set stays set. Its Date calls itself native.
    if (!(await keeper.evaluate(() => `${setTimeout}`.includes('[native code]'))))
      throw new Error('clock')
    found.used = false
  } catch {
    kept.delete(key)
    await context.close()
  }
}

/** Closes the contexts that are kept for a server: before it ends and no other comes after it. */
export async function forgetContexts(origin: string): Promise<void> {
  for (const [key, found] of kept) {
    if (found.origin !== origin) continue
    kept.delete(key)
    await found.context.close()
  }
}

/** Forgets what the contexts that are kept have loaded from a server: before another comes after it. */
export async function forgetLoaded(origin: string): Promise<void> {
  for (const [key, { origin: other, context, keeper }] of kept) {
    if (other !== origin) continue
    try {
      const session = await context.newCDPSession(keeper)
      await session.send('Network.clearBrowserCache')
      await session.detach()
    } catch {
      kept.delete(key)
      await context.close()
    }
  }
}

/** A refused call is logged by the browser whatever the page does with it. */
function isExpected(text: string): boolean {
  return /^Failed to load resource: the server responded with a status of (4|5)\d\d/.test(text)
}
