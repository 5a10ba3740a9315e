import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLanes } from '../../src/operations/archives/lanes.ts'

it('lanes let so many run beside each other, and settle when none does', async () => {
  const lanes = createLanes(3)
  let running = 0
  let most = 0
  let done = 0
  for (let i = 0; i < 10; i++)
    await lanes.add(async () => {
      most = Math.max(most, ++running)
      await wait(1)
      running--
      done++
    })
  await lanes.settle()
  expect([most, running, done]).toEqual([3, 0, 10])
})

it('after a failure nothing is begun, and what runs comes to its end', async () => {
  const lanes = createLanes(3)
  let hasEnded = false
  await lanes.add(async () => {
    await wait(5)
    hasEnded = true
  })
  await lanes.add(async () => {
    throw new Error('first')
  })
  await expect(lanes.add(async () => expect.unreachable())).rejects.toThrow('first')
  await expect(lanes.settle()).rejects.toThrow('first')
  expect(hasEnded).toBe(true)
})
