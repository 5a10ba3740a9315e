// Looking at screenshots: what is there, told by its pixels.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { ROOT } from '../../scripts/build/paths.ts'
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
