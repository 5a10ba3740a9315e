// Raw files of cameras, as people look at them: by the picture the camera put inside.
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OpenPage } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { colourAt, distance } from '../support/pictures.ts'
import { rawFiles } from '../support/raw-files.ts'
import { boxOf, sharedSite } from './browser-steps.ts'
import { openViewer } from './viewer-steps.ts'

const SMALL = { width: 160, height: 120, background: '#c00000' }
const LARGE = { width: 1600, height: 800, background: '#0000c0' }
const NAMES = Object.keys(rawFiles({ small: Buffer.alloc(1), large: Buffer.alloc(1) }))

function picture(create: typeof SMALL): Promise<Buffer> {
  return sharp({ create: { ...create, channels: 3 } })
    .jpeg()
    .toBuffer()
}

const site = sharedSite(async () =>
  rawFiles({ small: await picture(SMALL), large: await picture(LARGE) }),
)

let opened: OpenPage
beforeAll(async () => {
  opened = await site.open()
})
afterAll(() => opened[Symbol.asyncDispose]())

it.each(NAMES)(
  'shows the large picture inside, never in the size of a thumbnail: %s',
  async (name) => {
    const { page, problems } = opened
    problems.length = 0
    await openViewer(page, name)
    const shown = page.locator('.vw-picture > img[data-shown=true]')
    await shown.first().waitFor()
    await waitFor('the colour of the large picture', async () => {
      return distance(await colourAt(shown.first(), 0.5, 0.5), [0, 0, 192]) < 20
    })
    await expect
      .poll(async () => (await boxOf(shown.first())).width)
      .toBeGreaterThan(SMALL.width * 2)
    const ratio = async () => {
      const { width, height } = await boxOf(shown.first())
      return width / height
    }
    await expect.poll(ratio).toBeCloseTo(LARGE.width / LARGE.height, 1)
    expect(await page.locator('.vw-head').textContent()).not.toMatch(/\d+ × \d+/)
    await page.getByRole('button', { name: 'Original' }).click()
    await waitFor('the whole picture', async () => {
      const width = await shown.last().evaluate((img: HTMLImageElement) => img.naturalWidth)
      return width === LARGE.width
    })
    expect(problems).toEqual([])
  },
)
