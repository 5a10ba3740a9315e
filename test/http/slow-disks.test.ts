// A disk that takes its time for each call slows down who asks for it, and nobody else.
import { writeFile } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import { leastOf } from '../support/cpu-time.ts'
import { HAS_FUSE, mountFuse } from '../support/fuse-disk.ts'

/** Whoever waits for the disk stops for as long in each listing; no machine is that busy in all of them. */
const CALL_MS = 200

it.runIf(HAS_FUSE)('the event loop does not stop while a slow disk is listed', async () => {
  const names = ['a.txt', 'b.txt', 'c.txt']
  await using app = await startApp({})
  await using disk = await mountFuse(`${app.tree.base}/source`, app.tree.at('disk'))
  await Promise.all(names.map((name) => writeFile(app.tree.at(`disk/${name}`), 'x')))
  const admin = await app.as('admin')
  await disk.obey({ delayMs: CALL_MS })
  const longestStopMs = await leastOf(CALL_MS / 2, async () => {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const { items } = await (await admin.fetch('/api/resources/disk/')).json()
    delay.disable()
    expect(items).toHaveLength(names.length)
    return delay.max / 1e6
  })
  expect(longestStopMs).toBeLessThan(CALL_MS / 2)
})
