import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TEMP_PREFIX } from '../../src/files/temp-file.ts'
import { createTempRegistry } from '../../src/files/temp-registry.ts'
import { makeTree } from '../support/tree.ts'

const HOUR_MS = 60 * 60_000
const LEFTOVER = `${TEMP_PREFIX}left`

async function leaveIn(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, LEFTOVER), 'x')
  await utimes(join(folder, LEFTOVER), 1_000, 1_000)
}

it('what a crash left behind on a disk that is mounted late is found', async () => {
  await using tree = await makeTree({})
  const file = join(tree.base, 'uploads')
  const folder = tree.at('disk/deep')
  await writeFile(file, JSON.stringify([folder]))
  const registry = createTempRegistry(file, HOUR_MS)
  await registry.sweep()
  await leaveIn(folder)
  await registry.sweep()
  expect(await readdir(folder)).toEqual([])
  await registry.close()
})

it('a folder that stays away is remembered for the next run, an empty one is not', async () => {
  await using tree = await makeTree({ empty: null })
  const file = join(tree.base, 'uploads')
  const registry = createTempRegistry(file, HOUR_MS)
  registry.note(tree.at('empty'))
  registry.note(tree.at('away'))
  await registry.close()
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual([tree.at('away')])
})

it('what is left in a folder right after it was looked through is found', async () => {
  await using tree = await makeTree({ folder: null })
  const folder = tree.at('folder')
  const registry = createTempRegistry(join(tree.base, 'uploads'), HOUR_MS)
  for (const notedMeanwhile of [false, true]) {
    registry.note(folder)
    const swept = registry.sweep()
    if (notedMeanwhile) registry.note(folder)
    await swept
    await leaveIn(folder)
    await registry.sweep()
    expect(await readdir(folder)).toEqual([])
  }
  await registry.close()
})

it('one file that goes meanwhile stops no sweep', async () => {
  await using tree = await makeTree({})
  const registry = createTempRegistry(join(tree.base, 'uploads'), HOUR_MS)
  const folder = tree.at('folder')
  for (let round = 0; round < 20; round++) {
    await rm(folder, { recursive: true, force: true })
    await leaveIn(folder)
    registry.note(folder)
    const [first, last] = [`${TEMP_PREFIX}a`, `${TEMP_PREFIX}z`]
    await writeFile(join(folder, first), '')
    await writeFile(join(folder, last), '')
    const swept = registry.sweep()
    await Promise.all([first, last].map((name) => rename(join(folder, name), join(folder, 'ok'))))
    await swept
    expect(await readdir(folder)).toEqual(['ok'])
  }
  await registry.close()
})
