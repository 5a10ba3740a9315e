// When folders are counted anew, and what of a count is believed.
import { rename } from 'node:fs/promises'
import { expect, it } from 'vitest'
import type { Logger } from '../../src/lib/log.ts'
import { createLedger } from '../../src/quotas/ledger.ts'
import { createRecounts } from '../../src/quotas/recounts.ts'
import { VOLUME } from '../support/scope.ts'
import { makeTree } from '../support/tree.ts'

const SILENT: Logger = { info() {}, warn() {}, error() {}, request() {} }

async function counted(folder: string, volume = VOLUME) {
  const ledger = createLedger()
  ledger.setLimits([{ folder, bytes: 1_000 }])
  const counter = ledger.counterOf(folder)
  if (!counter) throw new Error('no counter')
  const recounts = createRecounts(volume, ledger, { log: SILENT, onCounted: () => {} })
  await recounts.counted(counter)
  return { ledger, counter, recounts }
}

it('another folder in the place of a limited one is counted', async () => {
  await using tree = await makeTree({ 'a/x': '12345', 'b/y': '1' })
  const { counter, recounts } = await counted(tree.at('a'))
  expect(counter.usedBytes).toBe(5)
  await recounts.look()
  expect(counter.dueMs).toBeGreaterThan(Date.now())
  await rename(tree.at('a'), tree.at('c'))
  await rename(tree.at('b'), tree.at('a'))
  await recounts.look()
  recounts.run()
  await expect.poll(() => counter.usedBytes).toBe(1)
  await recounts.close()
})

it('a folder that is not there keeps what was counted: its disk may come back', async () => {
  await using tree = await makeTree({ 'a/x': '12345' })
  const { counter, recounts } = await counted(tree.at('a'))
  await rename(tree.at('a'), tree.at('away'))
  await recounts.look()
  expect(counter.dueMs).toBe(0)
  recounts.run()
  await expect.poll(() => counter.dueMs).toBeGreaterThan(Date.now())
  expect([counter.usedBytes, counter.isCounted]).toEqual([5, true])
  await recounts.close()
})

it('a count beside a change of which nobody knows whether it saw it is not believed', async () => {
  await using tree = await makeTree({ 'a/x': '12345', 'a/b/y': '1' })
  const path = tree.at('a')
  let disturb = () => {}
  const volume = {
    ...VOLUME,
    descend: (...words: Parameters<typeof VOLUME.descend>) => {
      disturb()
      return VOLUME.descend(...words)
    },
  }
  const { ledger, counter, recounts } = await counted(path, volume)
  expect(counter.usedBytes).toBe(6)
  // In the folder that is being read.
  disturb = () => ledger.add(tree.at('a/new'), 3)
  recounts.all()
  await expect.poll(() => counter.dueMs).toBeGreaterThan(0)
  const restMs = counter.dueMs - Date.now()
  expect(restMs).toBeLessThanOrEqual(60_000)
  expect(counter.usedBytes).toBe(9)
  await recounts.close()
})
