import { expect, it } from 'vitest'
import { createGate } from '../src/lib/gate.ts'

it('a gate lets a failed job make room for the next', async () => {
  const gate = createGate(1)
  const failed = gate(async () => {
    throw new Error('no')
  })
  const next = gate(async () => 'yes')
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('yes')
})

it('who comes at the moment a place falls free does not run beside the one who waited', async () => {
  const gate = createGate(1)
  let running = 0
  let most = 0
  const work = async () => {
    running++
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
  }
  const all: Promise<void>[] = []
  // Somebody comes in each of the turns in which the place is handed on.
  const come = (left: number) => {
    if (left === 0) return
    all.push(gate(work))
    queueMicrotask(() => come(left - 1))
  }
  all.push(
    gate(async () => {
      await work()
      come(5)
    }),
    gate(work),
  )
  await all[0]
  await Promise.all(all)
  expect(most).toBe(1)
})

it('a gate with a limit refuses who would wait behind it, and takes others again later', async () => {
  const gate = createGate(1, 1)
  const free = Promise.withResolvers<string>()
  const running = gate(() => free.promise)
  const waiting = gate(async () => 'waited')
  await expect(gate(async () => 'refused')).rejects.toMatchObject({ code: 'too_many_requests' })
  free.resolve('done')
  expect(await Promise.all([running, waiting])).toEqual(['done', 'waited'])
  expect(await gate(async () => 'again')).toBe('again')
})
