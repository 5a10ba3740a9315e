// Turning through a folder of mixed files for a long time, in a hurry and with patience: whatever a
// viewer took for a file - workers, addresses of bytes, media, elements - it gives back.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CDPSession, Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { launchBrowser } from '../../support/browser.ts'
import { sharedSite } from '../../web/browser-steps.ts'

const SAMPLES = join(import.meta.dirname, '../../data/samples')
/** Each turn goes to the first file and back, twice. */
const TURNS = 5
/** Caches of the page may grow a little; what a leak leaves behind for each file is more. */
const MORE_HEAP_BYTES = 4 * 1024 * 1024
const MORE_NODES = 300

/** What is seen of each file once its viewer is done, in the order of the folder. */
const files: Record<string, (page: Page) => Locator> = {
  'book.epub': (page) => page.getByRole('heading', { name: 'The first chapter' }),
  'film2.webm': (page) => page.locator('.vw video'),
  'letter.docx': (page) => page.getByText('A letter of samples'),
  'letter.odt': (page) => page.getByRole('heading', { name: 'An open letter' }),
  'letters.ttf': (page) => page.getByRole('heading', { name: 'DejaVu Sans Mono' }),
  'pack.rar': (page) => page.getByRole('button', { name: 'umlaut-ä.txt', exact: true }),
  'pack.zip': (page) => page.getByRole('button', { name: 'umlaut-ä.txt', exact: true }),
  'paper.pdf': (page) => page.getByText('jumps over the lazy dog, page 1.'),
  'picture.jpg': (page) => page.locator('.vw-picture > img[data-shown=true]'),
  'song.mp3': (page) => page.getByText('The Samples · Quiet Files'),
  'table.csv': (page) => page.getByText('Müller; Anna'),
  'table.xlsx': (page) => page.getByRole('gridcell', { name: 'Helsinki' }),
  'unknown.bin': (page) => page.getByText('No preview available for this kind of file.'),
}
const names = Object.keys(files)
/** In these the arrows page, seek or choose a cell; one turns to the next file by the strip below. */
const OWN_ARROWS = /\.(epub|webm|mp3|csv|xlsx)$/

const site = sharedSite(
  async () => {
    const read = names.map(async (name) => [name, await readFile(join(SAMPLES, name))] as const)
    return Object.fromEntries(await Promise.all(read))
  },
  { launch: launchBrowser },
)

/** Turns from file to file, each the neighbour of the one before. */
async function walk(page: Page, way: readonly string[], patient: boolean) {
  for (const [at, name] of way.entries()) {
    const from = way[at - 1]
    if (from === undefined) continue
    if (OWN_ARROWS.test(from)) await page.locator('.vw-film').getByLabel(name).click()
    else
      await page.keyboard.press(
        names.indexOf(name) > names.indexOf(from) ? 'ArrowRight' : 'ArrowLeft',
      )
    await page.waitForURL(`**/${name}`)
    if (patient) await files[name]?.(page).first().waitFor()
  }
}

interface Held {
  heapBytes: number
  nodes: number
  /** Workers, addresses of bytes and media with a source: the last file of the folder needs none. */
  things: string[]
}

async function heldBy(page: Page, cdp: CDPSession): Promise<Held> {
  await cdp.send('HeapProfiler.collectGarbage')
  const { metrics } = await cdp.send('Performance.getMetrics')
  const metric = (wanted: string) =>
    metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN
  const { result } = await cdp.send('Runtime.evaluate', {
    expression: 'HTMLMediaElement.prototype',
  })
  const { objects } = await cdp.send('Runtime.queryObjects', {
    prototypeObjectId: result.objectId ?? '',
  })
  const media = await cdp.send('Runtime.callFunctionOn', {
    objectId: objects.objectId ?? '',
    // The prototypes are among the objects; asked for its state, one throws.
    functionDeclaration: `function () {
      const own = this.filter((each) => !Object.hasOwn(each, 'constructor'))
      return own.filter((each) => each.networkState > 0).map((each) => each.currentSrc)
    }`,
    returnByValue: true,
  })
  await cdp.send('Runtime.releaseObject', { objectId: objects.objectId ?? '' })
  const urls = await page.evaluate(() => [
    ...(Reflect.get(globalThis, 'objectUrls') as Set<string>),
  ])
  return {
    heapBytes: metric('JSHeapUsedSize'),
    nodes: metric('Nodes'),
    things: [...page.workers().map((worker) => worker.url()), ...urls, ...media.result.value],
  }
}

it('gives everything back that the viewers of a folder took', async () => {
  await using opened = await site.open()
  const { page } = opened
  await page.addInitScript(() => {
    const urls = new Set<string>()
    Reflect.set(globalThis, 'objectUrls', urls)
    const { createObjectURL, revokeObjectURL } = URL
    URL.createObjectURL = (object) => {
      const url = createObjectURL.call(URL, object)
      urls.add(url)
      return url
    }
    URL.revokeObjectURL = (url) => {
      urls.delete(url)
      revokeObjectURL.call(URL, url)
    }
  })
  await page.goto('/files/unknown.bin')
  await files['unknown.bin']?.(page).waitFor()
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable')
  const there = names.toReversed()

  // Code, fonts and styles of every viewer come once and stay.
  await walk(page, there, true)
  await walk(page, names, true)
  const before = await heldBy(page, cdp)
  for (let turn = 0; turn < TURNS; turn++) {
    await walk(page, there, true)
    await walk(page, names, true)
    await walk(page, there, false)
    await walk(page, names, false)
  }
  await files['unknown.bin']?.(page).waitFor()
  await expect.poll(async () => (await heldBy(page, cdp)).things).toEqual([])
  const after = await heldBy(page, cdp)
  const grown = (after.heapBytes - before.heapBytes) / 1024 / 1024
  process.stdout.write(`${grown.toFixed(1)} MiB and ${after.nodes - before.nodes} nodes more\n`)
  expect(after.heapBytes - before.heapBytes).toBeLessThan(MORE_HEAP_BYTES)
  expect(after.nodes - before.nodes).toBeLessThan(MORE_NODES)
  // Who walks on before a picture is read finds that its address has been given back.
  const others = opened.problems.filter((problem) => !problem.includes('ERR_FILE_NOT_FOUND'))
  expect(others).toEqual([])
})
