// The page in Chromium: what is loaded, when it is seen on a phone, how long it works at a stretch, what it holds. Writes
// the section "The page" of docs/performance.md.
import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import {
  BLANK,
  devtoolsOf,
  launchBrowser,
  type OpenPage,
  openPage,
  PHONE,
} from '../../test/support/browser.ts'
import { type Program, startProgram } from '../../test/support/program.ts'
import { makeTree, memoryFolder } from '../../test/support/tree.ts'
import { followLink } from '../../test/web/browser-steps.ts'
import { firstScreenBytes } from '../../test/web/first-screen.ts'
import { entry, showList } from '../../test/web/listing-steps.ts'
import { longestTaskMs } from '../../test/web/main-thread.ts'
import { median } from '../measuring.ts'
import { conditionsHere, madeBy, number, table, writeSection } from './page-sections.ts'

const ROUNDS = 5
const FOLDERS = { ten: 10_000, twenty: 20_000, hundred: 100_000 } as const
/** A phone on a slow line. */
const SLOWER = 4
const LINE = { bitsPerS: 1_600_000, roundTripMs: 150 } as const

interface Row {
  what: string
  unit: string
  values: number[]
  /** It is to be below. */
  goal: number
}

interface Bench {
  browser: Browser
  program: Program
}

export async function measurePage(): Promise<void> {
  const here = conditionsHere()
  await using tree = await makeTree({ 'small/a.txt': 'a' }, undefined, memoryFolder() ?? undefined)
  for (const [name, count] of Object.entries(FOLDERS)) {
    mkdirSync(tree.at(name))
    for (let n = 0; n < count; n++) writeFileSync(join(tree.at(name), `file ${n}.txt`), '')
  }
  await using program = await startProgram(tree, { args: ['--loginRateLimit', '0'] })
  const browser = await launchBrowser()
  try {
    const rows = await measureAll({ browser, program })
    const cells = rows.map(({ what, unit, values, goal }) => {
      const middle = median(values)
      const span = `${number(Math.min(...values))}–${number(Math.max(...values))}`
      const mark = middle < goal ? '' : ' **missed**'
      return [what, `${number(middle)} ${unit} (${span})${mark}`, `${number(goal)} ${unit}`]
    })
    const text = `${madeBy('npm run bench -- page', { rounds: ROUNDS }, here)}

Medians, with the smallest and largest in brackets, in Chromium without a window. The phone has a processor that is ${SLOWER} times slower, a line of 1.6 Mbit/s and ${LINE.roundTripMs} ms for a round trip, and has loaded nothing before. A task is a piece of work of the page's thread, by processor time. The longest one is that in which up to 20,000 entries are ordered and their first rows drawn; more are ordered by a thread of their own. A key is answered when the rows or results that it changes have been painted.

${table(['', 'Here', 'Goal, less than'], cells)}
`
    process.stdout.write(`${table(['', 'Here', 'Goal'], cells)}\n`)
    await writeSection('The page', text)
  } finally {
    await browser.close()
  }
}

async function measureAll(bench: Bench): Promise<Row[]> {
  const row = async (what: string, unit: string, goal: number, once: () => Promise<number>) => {
    const values: number[] = []
    for (let n = 0; n < ROUNDS; n++) values.push(await once())
    return { what, unit, goal, values }
  }
  const screen = await firstScreen(bench)
  const phones: { painted: number; listed: number }[] = []
  for (let n = 0; n < ROUNDS; n++) phones.push(await phone(bench))
  const memory: { heap: number; process: number }[] = []
  for (let n = 0; n < ROUNDS; n++) memory.push(await memoryOfFolder(bench))
  const keys = await keyTimes(bench)
  return [
    { what: 'Script and style before the first row', unit: 'kB', goal: 130, values: [screen] },
    {
      what: 'First paint on a phone',
      unit: 'ms',
      goal: 2_000,
      values: phones.map(({ painted }) => painted),
    },
    {
      what: 'First listing on a phone',
      unit: 'ms',
      goal: 3_000,
      values: phones.map(({ listed }) => listed),
    },
    await row('Longest task while 10,000 entries appear', 'ms', 50, () => longestTask(bench)),
    await row('First rows of 20,000 after the first byte', 'ms', 300, () => firstRows(bench)),
    ...Object.entries(keys).map(([what, values]) => ({
      what: `A key in the ${what} with 20,000 entries`,
      unit: 'ms',
      goal: 50,
      values,
    })),
    {
      what: 'Heap with 100,000 entries',
      unit: 'MB',
      goal: 150,
      values: memory.map(({ heap }) => heap),
    },
    {
      what: 'Private memory of the page’s process with 100,000 entries',
      unit: 'MB',
      goal: 150,
      values: memory.map((one) => one.process),
    },
  ]
}

async function firstScreen({ browser, program }: Bench): Promise<number> {
  await using opened = await openPage(browser, program, { path: BLANK })
  const { script, style } = await firstScreenBytes(opened.page, '/files/')
  return (script + style) / 1000
}

/** Milliseconds from the address to the first paint and to the first listing. */
async function phone({ browser, program }: Bench): Promise<{ painted: number; listed: number }> {
  await using opened = await openPage(browser, program, { path: BLANK, viewport: PHONE })
  const { page } = opened
  const session = await devtoolsOf(page)
  const bytesPerS = LINE.bitsPerS / 8
  const line = { downloadThroughput: bytesPerS, uploadThroughput: bytesPerS }
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  await session.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: LINE.roundTripMs },
    ...line,
  })
  await watchForRows(page, '/')
  await page.goto('/files/')
  return await page.evaluate(async () => {
    const listed = (await Reflect.get(window, 'rowsPainted')) as number
    const [paint] = performance.getEntriesByName('first-contentful-paint')
    return { painted: paint?.startTime ?? Number.NaN, listed }
  })
}

/** From the next page on, `window.rowsPainted` is when rows of a folder have been painted. */
async function watchForRows(page: Page, folder: string): Promise<void> {
  await page.addInitScript((path) => {
    const rowsPainted = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (document.querySelector(`#listing [data-path^="${path}"]`) === null) return
        observer.disconnect()
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
      })
      observer.observe(document, { childList: true, subtree: true })
    })
    Object.assign(window, { rowsPainted })
  }, folder)
}

/** A page of the small folder, as a list. */
async function openSmall({ browser, program }: Bench): Promise<OpenPage> {
  const opened = await openPage(browser, program, { path: '/files/small/' })
  await showList(opened.page)
  await entry(opened.page, 'a.txt').waitFor()
  return opened
}

async function longestTask(bench: Bench): Promise<number> {
  await using opened = await openSmall(bench)
  const { page } = opened
  return await longestTaskMs(bench.browser, page, async () => {
    await followLink(page, '/files/ten/')
    await page.locator(`#listing[aria-rowcount="${FOLDERS.ten + 2}"]`).waitFor()
  })
}

async function firstRows(bench: Bench): Promise<number> {
  await using opened = await openSmall(bench)
  const { page } = opened
  await watchForRows(page, '/twenty/')
  await page.goto('/files/twenty/')
  return await page.evaluate(async () => {
    const painted = (await Reflect.get(window, 'rowsPainted')) as number
    const answers = performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.includes('/api/resources/twenty')) as PerformanceResourceTiming[]
    return painted - (answers[0]?.responseStart ?? Number.NaN)
  })
}

/** Each key of each round, by where it was pressed. */
async function keyTimes(bench: Bench): Promise<Record<string, number[]>> {
  const places = {
    filter: { open: '/', changes: '#listing' },
    search: { open: 'Control+Shift+f', changes: 'dialog' },
    palette: { open: 'Control+k', changes: 'dialog' },
  }
  const times: Record<string, number[]> = {}
  for (const [name, { open, changes }] of Object.entries(places)) {
    await using opened = await openPage(bench.browser, bench.program, { path: '/files/twenty/' })
    const { page } = opened
    await showList(page)
    await page.locator(`#listing[aria-rowcount="${FOLDERS.twenty + 2}"]`).waitFor()
    const found: number[] = []
    for (let n = 0; n < ROUNDS; n++) {
      await page.keyboard.press(open)
      await page.locator('input:focus').waitFor()
      for (const key of '1234') found.push(await keyTime(page, key, changes))
      for (let n = 0; n < 2; n++) await page.keyboard.press('Escape')
      await page.locator('input:focus').waitFor({ state: 'detached' })
    }
    times[name] = found
  }
  return times
}

/** Milliseconds from a key to the paint of the first change in a part of the page. */
async function keyTime(page: Page, key: string, changes: string): Promise<number> {
  await page.evaluate((selector) => {
    const keyAnswered = new Promise<number>((resolve) => {
      const watch = ({ timeStamp }: KeyboardEvent) => {
        const observer = new MutationObserver((records) => {
          const isMeant = records.some(({ target }) =>
            (target instanceof Element ? target : target.parentElement)?.closest(selector),
          )
          if (!isMeant) return
          observer.disconnect()
          requestAnimationFrame(() => {
            const painted = new MessageChannel()
            painted.port1.onmessage = () => resolve(performance.now() - timeStamp)
            painted.port2.postMessage(null)
          })
        })
        const all = { childList: true, subtree: true, characterData: true, attributes: true }
        observer.observe(document, all)
      }
      addEventListener('keydown', watch, { once: true, capture: true })
    })
    Object.assign(window, { keyAnswered })
  }, changes)
  await page.keyboard.press(key)
  return await page.evaluate(() => Reflect.get(window, 'keyAnswered') as Promise<number>)
}

/** Megabytes once garbage has been collected: objects and buffers of the page, and all of its process. */
async function memoryOfFolder({ program }: Bench): Promise<{ heap: number; process: number }> {
  // A browser of its own: others would keep the process of the page.
  const browser = await launchBrowser()
  try {
    await using opened = await openPage(browser, program, { path: '/files/hundred/' })
    const { page } = opened
    await showList(page)
    await page.locator(`#listing[aria-rowcount="${FOLDERS.hundred + 2}"]`).waitFor()
    const session = await devtoolsOf(page)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    const all = await browser.newBrowserCDPSession()
    const { processInfo } = await all.send('SystemInfo.getProcessInfo')
    const pages = processInfo.filter(({ type }) => type === 'renderer')
    const sizes = await Promise.all(pages.map(({ id }) => privateBytes(id)))
    return { heap: usedSize / 1e6, process: Math.max(...sizes) / 1e6 }
  } finally {
    await browser.close()
  }
}

async function privateBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  return [...rollup.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].reduce(
    (sum, [, kb]) => sum + Number(kb) * 1024,
    0,
  )
}
