// What a person sees and does in the listing, for the browser tests.
import type { Locator, Page, Request } from 'playwright-core'
import type { JobKind } from '../../src/job-types.ts'
import type { PageOptions } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, type Program } from '../support/program.ts'
import type { TreeContent } from '../support/tree.ts'
import {
  boxOf,
  type FolderPage,
  folderPages,
  type OpenFolder,
  type OpenServed,
  servedPages,
  sharedBrowser,
} from './browser-steps.ts'

/** The row or card of an entry by its name; names may hold anything. */
export function entry(page: Page, name: string): Locator {
  // As a string of CSS: control characters are written by their code.
  const text = name.replace(/["\\]/g, '\\$&').replace(/[\x00-\x1f]/g, (control) => {
    return `\\${control.charCodeAt(0).toString(16)} `
  })
  return page.locator(`#listing [data-index][aria-label="${text}"]`)
}

/** Names on the screen, top to bottom. */
export async function shownNames(page: Page): Promise<string[]> {
  return page
    .locator('#listing [data-index]')
    .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label') ?? ''))
}

export async function selectedNames(page: Page): Promise<string[]> {
  return page
    .locator('#listing [data-index][aria-selected="true"]')
    .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label') ?? ''))
}

/** Waits until exactly these entries are selected, in the order of the screen. */
export async function expectSelected(page: Page, names: string[]): Promise<void> {
  await waitFor(`the selection ${names.join(', ')}`, async () => {
    const selected = await selectedNames(page)
    return JSON.stringify(selected) === JSON.stringify(names)
  })
}

export async function expectNames(page: Page, names: string[]): Promise<void> {
  let seen: string[] = []
  await waitFor(`the names ${names.join(', ')}`, async () => {
    seen = await shownNames(page)
    return JSON.stringify(seen) === JSON.stringify(names)
  }).catch((error) => {
    throw new Error(`shown are ${JSON.stringify(seen)}`, { cause: error })
  })
}

/** Whether this asks the server for such a job, of an entry of this name where one is given. */
export function asksFor(request: Request, kind: JobKind, name = ''): boolean {
  if (request.method() !== 'POST' || !request.url().includes('/api/jobs?')) return false
  const job = request.postDataJSON() as { kind: JobKind; items: string[] }
  return job.kind === kind && job.items.some((path) => path.endsWith(name))
}

/** The name of the entry with the keyboard focus, '' when it is elsewhere. */
export async function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
}

/** Types without the pauses of a busy machine, which would begin another name: all keys have one time. */
export async function typeQuickly(page: Page, text: string): Promise<void> {
  await page.evaluate((keys) => {
    const presses = [...keys].map((key) => {
      return new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    })
    for (const press of presses) document.activeElement?.dispatchEvent(press)
  }, text)
}

/** List view, whatever the account starts with. */
export async function showList(page: Page): Promise<void> {
  await page.locator('#listing').waitFor()
  await page.getByRole('radio', { name: 'List', exact: true }).check()
  await page.locator('.grid--list, .empty').first().waitFor()
}

/** As `folderPages`, and the page is that of the folder, as a list. */
export function listedFolders(openIn = sharedBrowser()): OpenFolder {
  return listed(folderPages(openIn))
}

/** As `servedPages`, and the page is that of the folder, as a list. */
export function listedServers(openIn = sharedBrowser()): OpenServed {
  return listed(servedPages(openIn))
}

function listed<Options extends PageOptions, Open extends FolderPage>(
  openPageOf: (content?: TreeContent, options?: Options) => Promise<Open>,
): (content?: TreeContent, options?: Options) => Promise<Open> {
  return async (content, options) => {
    const open = await openPageOf(content, { path: '/files/', ...options } as Options)
    try {
      await showList(open.page)
      await keepOffers(open.page)
    } catch (error) {
      await open[Symbol.asyncDispose]()
      throw error
    }
    return open
  }
}

export function toast(page: Page, text: string | RegExp): Locator {
  return page.locator('.toast', { hasText: text })
}

export const selectionBar = (page: Page): Locator =>
  page.getByRole('toolbar', { name: 'Selection' })

/** Where an element lies once it has stopped moving and nothing lies above the point that is meant. */
async function restingPoint(page: Page, target: Locator, most: number) {
  return waitFor('an element at rest', async () => {
    const before = await boxOf(target)
    await twoFrames(page)
    const { x, y, width, height } = await boxOf(target)
    const point = { x: x + Math.min(most, width / 2), y: y + height / 2 }
    const isFree = await target.evaluate((element, at) => {
      return element.contains(document.elementFromPoint(at.x, at.y))
    }, point)
    return isFree && x === before.x && y === before.y && width === before.width ? point : null
  })
}

/** However long a slow machine stays above a folder, the page does not take it for a wish to open it. */
export async function holdSprings(page: Page): Promise<void> {
  await page.evaluate(() => {
    // As `SPRING_MS` of the page has it.
    const springMs = 800
    const { setTimeout } = window
    const patient = (run: TimerHandler, ms?: number, ...args: unknown[]) =>
      ms === springMs ? 0 : setTimeout(run, ms, ...args)
    Object.assign(window, { setTimeout: patient })
  })
}

/**
 * Drags with the mouse, slowly enough for the page to follow; `hold` is pressed meanwhile. With `springs`
 * folders open that are hovered for long.
 */
export async function dragTo(
  page: Page,
  what: Locator,
  to: Locator,
  options: { hold?: 'Control'; drop?: boolean; springs?: boolean } = {},
): Promise<void> {
  if (!options.springs) await holdSprings(page)
  const from = await restingPoint(page, what, 90)
  const { x, y } = await restingPoint(page, to, 60)
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  if (options.hold !== undefined) await page.keyboard.down(options.hold)
  // A hand leaves slowly: the browser decides by the first few pixels whether this is a drag.
  for (const px of [2, 5, 9]) await page.mouse.move(from.x + px, from.y + 1)
  for (const [dx, dy] of [
    [-8, -4],
    [-4, -2],
    [0, 0],
    [2, 1],
    [3, 1],
  ] as const) {
    await page.mouse.move(x + dx, y + dy)
  }
  if (options.drop === false) return
  await waitFor('a target that takes it', async () => {
    await page.mouse.move(x + 1, y)
    await page.mouse.move(x + 3, y + 1)
    return (await page.locator('.drop').count()) > 0
  })
  await page.mouse.up()
  if (options.hold !== undefined) await page.keyboard.up(options.hold)
}

/** Waits until a thing stands still, nothing lies above it and the page has been painted; where it is then. */
export async function stillBox(target: Locator): Promise<Awaited<ReturnType<typeof boxOf>>> {
  await target.hover()
  await twoFrames(target.page())
  return boxOf(target)
}

/** Until the page has drawn what came before. */
export async function twoFrames(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  )
}

/**
 * Clicks twice as fast hands do. Between the two clicks of `dblclick` passes what the page does at the
 * first, which on a busy machine is longer than a double click may take.
 */
export async function doubleClick(target: Locator): Promise<void> {
  const page = target.page()
  // First, so that nothing is waited for between the look at where it is and the clicks.
  const client = await page.context().newCDPSession(page)
  await target.hover()
  const { x, y, width, height } = await boxOf(target)
  const at = {
    x: x + width / 2,
    y: y + height / 2,
    button: 'left',
    timestamp: Date.now() / 1000,
  } as const
  await Promise.all(
    [1, 2].flatMap((clickCount) => [
      client.send('Input.dispatchMouseEvent', {
        ...at,
        type: 'mousePressed',
        buttons: 1,
        clickCount,
      }),
      client.send('Input.dispatchMouseEvent', {
        ...at,
        type: 'mouseReleased',
        buttons: 0,
        clickCount,
      }),
    ]),
  )
  await client.detach()
}

/** Runs a command of the palette by its name. */
export async function runCommand(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Commands' })
  await palette.getByRole('combobox').fill(name)
  await palette.getByRole('option', { name, selected: true }).waitFor()
  await page.keyboard.press('Enter')
}

/** What the page offers for ten seconds it offers for minutes from now on: a busy machine is slower than people. */
export async function keepOffers(page: Page): Promise<void> {
  await page.evaluate(() => {
    // As `UNDO_MS` of the page has it.
    const offeredMs = 10_000
    const { setTimeout } = window
    const late = (task: () => void, ms = 0) => setTimeout(task, ms === offeredMs ? 600_000 : ms)
    Object.assign(window, { setTimeout: late })
  })
}

const PASSWORD = 'a long enough password 7'
const RIGHTS = ['admin', 'execute', 'create', 'rename', 'modify', 'delete', 'share', 'download']

export function userLogin(username: string): { username: string; password: string } {
  return { username, password: PASSWORD }
}

/** Makes a user of the whole folder who may do what `rights` names. */
export async function addUser(
  program: Program,
  username: string,
  rights: readonly string[],
): Promise<void> {
  const admin = await loginAs(program.origin)
  const answer = await admin.fetch('/api/users', {
    method: 'POST',
    body: JSON.stringify({
      what: 'user',
      which: [],
      current_password: ADMIN.password,
      data: {
        ...userLogin(username),
        scope: '/',
        locale: 'en',
        viewMode: 'list',
        singleClick: false,
        perm: Object.fromEntries(RIGHTS.map((right) => [right, rights.includes(right)])),
        commands: [],
        sorting: { by: 'name', asc: false },
        rules: [],
        lockPassword: false,
        hideDotfiles: false,
        dateFormat: false,
      },
    }),
  })
  if (answer.status !== 201) throw new Error(`user: ${answer.status} ${await answer.text()}`)
}
