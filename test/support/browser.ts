// A real browser on the built product. One browser per test file, one context per test.
import { existsSync } from 'node:fs'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { ADMIN, type Program } from './program.ts'

const FULL = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** The same engine without the browser's own windows takes two thirds of the time. */
const SHELL = '/usr/bin/chromium-headless-shell'

/** What a busy machine takes; half of what a test may. */
const WAIT_MS = 30_000

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

function findChromium(candidates: readonly string[]): string {
  const path = process.env.CHROMIUM ?? candidates.find((candidate) => existsSync(candidate))
  if (!path) throw new Error('no Chromium found: apt-get install chromium')
  return path
}

/** `args` are further switches of the browser. */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium([SHELL, ...FULL])
  return chromium.launch({ executablePath, args: [...ARGS, ...args] })
}

/** The browser as people have it, with its own PDF viewer and access to local files. */
export async function launchFullBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(FULL), args: ARGS })
}

/**
 * A browser of its own that keeps what it knows in the folder `profile`, as people's browsers do. Close
 * the context to close it.
 */
export async function launchProfile(profile: string, program: Program): Promise<BrowserContext> {
  return chromium.launchPersistentContext(profile, {
    executablePath: findChromium(FULL),
    args: ARGS,
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
  /** Sign in first, through the API: the cookie is what the page starts from. Default admin. */
  as?: { username: string; password: string } | null
}

/** Opens a page of a running program, signed in unless `as` is null. */
export async function openPage(
  browser: Browser,
  program: Program,
  options: PageOptions = {},
): Promise<OpenPage> {
  const { path = '/', as = ADMIN, ...contextOptions } = options
  const context = await browser.newContext({
    baseURL: program.origin,
    viewport: DESKTOP,
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...contextOptions,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`script error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) problems.push(message.text())
  })
  if (as) {
    const response = await context.request.post('/api/login', {
      data: { ...as, recaptcha: '', remember: true },
    })
    if (!response.ok()) throw new Error(`login as ${as.username}: ${response.status()}`)
  }
  await page.goto(path)
  return {
    page,
    context,
    problems,
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** A refused call is logged by the browser whatever the page does with it. */
function isExpected(text: string): boolean {
  return /^Failed to load resource: the server responded with a status of (4|5)\d\d/.test(text)
}
