// One GiB chosen in the browser's file dialog, sent, and saved again.
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open as openFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { residentBytes, watchMemory } from '../support/process-facts.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { entry } from '../web/listing-steps.ts'
import { pickFiles } from '../web/upload-steps.ts'

const MIB = 1024 ** 2
const SIZE_BYTES = 1024 * MIB
const GROWTH_BYTES = 120 * MIB

it('sends and saves 1 GiB through the browser within 120 MiB of idle memory', async ({ task }) => {
  await using tree = await makeTree({})
  const source = join(tree.base, 'gigabyte.bin')
  await fill(source)
  const sent = await sha256Of(source)
  await using program = await startProgram(tree)
  const browser = await launchBrowser()
  try {
    await using open = await openPage(browser, program)
    const { page } = open
    await page.locator('#listing').waitFor()
    const pid = program.process.pid ?? 0
    const idle = await residentBytes(pid)
    const memory = watchMemory(pid)

    const upStarted = performance.now()
    await pickFiles(page, [source])
    const target = tree.at('gigabyte.bin')
    const sizeOf = async () => (await stat(target).catch(() => null))?.size ?? 0
    await waitFor('the whole file', async () => (await sizeOf()) === SIZE_BYTES, 600_000)
    const upMs = performance.now() - upStarted
    expect(await sha256Of(target)).toBe(sent)

    const downStarted = performance.now()
    await entry(page, 'gigabyte.bin').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.keyboard.press('Control+s'),
    ])
    const saved = await download.path()
    const downMs = performance.now() - downStarted
    const growth = (await memory.stop()) - idle
    expect(await sha256Of(saved)).toBe(sent)
    Object.assign(task.meta, {
      figures: {
        'idle MiB': Math.round(idle / MIB),
        'growth MiB': Math.round(growth / MIB),
        'up MiB/s': Math.round((SIZE_BYTES / MIB / upMs) * 1000),
        'down MiB/s': Math.round((SIZE_BYTES / MIB / downMs) * 1000),
      },
    })
    expect(growth).toBeLessThan(GROWTH_BYTES)
    expect(open.problems).toEqual([])
  } finally {
    await browser.close()
  }
})

/** Random bytes, so that nothing on the way can save itself the work. */
async function fill(file: string): Promise<void> {
  const handle = await openFile(file, 'w')
  try {
    for (let at = 0; at < SIZE_BYTES; at += 16 * MIB) await handle.write(randomBytes(16 * MIB))
  } finally {
    await handle.close()
  }
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
