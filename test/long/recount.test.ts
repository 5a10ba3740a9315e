// Counting a large folder anew: not much slower than `du`, and nobody waits for it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createDiskVolume } from '../../src/files/volume/disk-volume.ts'
import { createThreads } from '../../src/programs/threads.ts'
import { createCount } from '../../src/quotas/count.ts'
import { leastOf } from '../support/cpu-time.ts'
import { sumOf } from '../support/quotas.ts'
import { DISKS } from '../support/scope.ts'
import { makeTree } from '../support/tree.ts'

const FILES = 200_000
const FILES_IN_FOLDER = 200

it('takes at most twice the time of du for 200,000 files, and holds the loop up for less than 20 ms', async () => {
  await using tree = await makeTree({})
  for (let i = 0; i < FILES; i++) {
    const folder = tree.at(`${Math.floor(i / FILES_IN_FOLDER)}`)
    if (i % FILES_IN_FOLDER === 0) mkdirSync(folder)
    writeFileSync(`${folder}/${i}`, 'x'.repeat(i % 50))
  }
  const du = () => {
    const before = performance.now()
    execFileSync('du', ['-s', '--apparent-size', tree.root])
    return performance.now() - before
  }
  const threads = createThreads()
  const volume = createDiskVolume(DISKS, undefined, threads)
  const total = sumOf(tree.root)
  let turnMs = Number.POSITIVE_INFINITY
  const ratio = await leastOf(2, async () => {
    const duMs = Math.min(du(), du(), du())
    const turns = watchTurns()
    const before = performance.now()
    const count = createCount()
    const top = await volume.openFolder(tree.root)
    await count.run(volume, top, new AbortController().signal).finally(top.close)
    const countMs = performance.now() - before
    turnMs = Math.min(turnMs, turns.end())
    expect(count.bytes).toBe(total)
    return countMs / duMs
  })
  await threads.close()
  expect(ratio).toBeLessThanOrEqual(2)
  expect(turnMs).toBeLessThan(20)
})

/** How long the longest turn of the event loop keeps the processor busy, in milliseconds. */
function watchTurns() {
  let before = process.threadCpuUsage()
  let longestMs = 0
  let next = setTimeout(function look() {
    const { user, system } = process.threadCpuUsage(before)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    before = process.threadCpuUsage()
    next = setTimeout(look, 1)
  }, 1)
  return {
    end: () => {
      clearTimeout(next)
      return longestMs
    },
  }
}
