// Looking at screenshots: what is there, told by its pixels.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { ROOT } from '../../scripts/build/paths.ts'
import { waitFor } from './deadline.ts'
import type { TreeContent } from './tree.ts'

export type Rgb = [number, number, number]

export const SAMPLES = join(ROOT, 'test/data/samples')

/** The files of `test/data/samples` as the content of a tree. */
export async function sampleTree(): Promise<TreeContent> {
  const names = await readdir(SAMPLES)
  const files = names.map(async (name) => [name, await readFile(join(SAMPLES, name))] as const)
  return Object.fromEntries(await Promise.all(files))
}

/** The colour at a place of the element, x and y from 0 to 1. */
export async function colourAt(target: Locator | Page, x: number, y: number): Promise<Rgb> {
  const { data, info } = await sharp(await target.screenshot())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const column = Math.min(info.width - 1, Math.floor(info.width * x))
  const row = Math.min(info.height - 1, Math.floor(info.height * y))
  const at = (row * info.width + column) * 3
  return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0]
}

/** How different two colours are: the largest difference of a channel. */
export function distance(a: Rgb, b: Rgb): number {
  return Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? 0))))
}

/** The largest standard deviation of a channel; near 0 for an empty surface. */
export async function liveliness(target: Locator | Page): Promise<number> {
  const { channels } = await sharp(await target.screenshot())
    .removeAlpha()
    .stats()
  return Math.max(...channels.map(({ stdev }) => stdev))
}

/** The mean of all channels, 0 for black to 255 for white. */
export async function brightness(target: Locator | Page): Promise<number> {
  const { channels } = await sharp(await target.screenshot())
    .removeAlpha()
    .stats()
  return channels.reduce((sum, { mean }) => sum + mean, 0) / channels.length
}

/** The foreground of the landscape that all sample pictures show, at the bottom. */
const NAVY: Rgb = [38, 47, 85]

/** Waits until the landscape is on the screen in its colours. */
export async function expectLandscape(
  page: Page,
  selector = '.vw-picture > img[data-shown=true]',
): Promise<void> {
  const picture = page.locator(selector).first()
  await picture.waitFor()
  await waitFor('the picture in its colours', async () => {
    return distance(await colourAt(picture, 0.03, 0.985), NAVY) < 40
  })
}
