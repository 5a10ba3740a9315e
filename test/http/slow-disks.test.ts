// A disk that takes its time for each call slows down who asks for it, and nobody else.
import { writeFile } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import { HAS_FUSE, mountFuse } from '../support/fuse-disk.ts'

const MAX_STOP_MS = 20
const CALL_MS = 50
const LISTINGS = 5

it.runIf(HAS_FUSE)('the event loop does not stop while a slow disk is listed', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `f${i}.txt`)
  await using app = await startApp({})
  await using disk = await mountFuse(`${app.tree.base}/source`, app.tree.at('disk'))
  await Promise.all(names.map((name) => writeFile(app.tree.at(`disk/${name}`), 'x')))
  const admin = await app.as('admin')
  const longestStopMs = async () => {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const { items } = await (await admin.fetch('/api/resources/disk/')).json()
    delay.disable()
    expect(items).toHaveLength(names.length)
    return delay.max / 1e6
  }
  await disk.obey({ delayMs: CALL_MS })
  const stopsMs: number[] = []
  for (let n = 0; n < LISTINGS; n++) stopsMs.push(await longestStopMs())
  // Whoever waits for the disk stops for a call in each of them; a busy machine does not.
  expect(Math.min(...stopsMs)).toBeLessThan(MAX_STOP_MS)
})
