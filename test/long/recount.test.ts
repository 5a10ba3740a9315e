// Counting a large folder anew: not much slower than `du`, and nobody waits for it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createCount } from '../../src/quotas/count.ts'
import { leastOf } from '../support/cpu-time.ts'
import { sumOf } from '../support/quotas.ts'
import { VOLUME } from '../support/scope.ts'
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
  // By the processor: what else the machine does would count otherwise.
  const du = () => {
    const script = 'TIMEFORMAT="%U %S"; time du -s --apparent-size "$0" > /dev/null'
    const { stderr } = spawnSync('bash', ['-c', script, tree.root], { encoding: 'utf8' })
    return stderr.split(' ').reduce((ms, seconds) => ms + Number(seconds) * 1000, 0)
  }
  const total = sumOf(tree.root)
  let turnMs = Number.POSITIVE_INFINITY
  const ratio = await leastOf(2, async () => {
    const duMs = du()
    const turns = watchTurns()
    const before = process.cpuUsage()
    const count = createCount()
    const top = await VOLUME.openFolder(tree.root)
    await count.run(VOLUME, top, new AbortController().signal).finally(top.close)
    const { user, system } = process.cpuUsage(before)
    turnMs = Math.min(turnMs, turns.end())
    expect(count.bytes).toBe(total)
    return (user + system) / 1000 / duMs
  })
  expect(ratio).toBeLessThanOrEqual(2)
  expect(turnMs).toBeLessThan(20)
})

/** How long the longest turn of the event loop keeps the processor busy, in milliseconds. */
function watchTurns() {
  let before = process.threadCpuUsage()
  let longestMs = 0
  let next = setImmediate(function look() {
    const { user, system } = process.threadCpuUsage(before)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    before = process.threadCpuUsage()
    next = setImmediate(look)
  })
  return {
    end: () => {
      clearImmediate(next)
      return longestMs
    },
  }
}
