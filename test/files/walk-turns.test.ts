// Whose turn it is to walk over a tree.
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createWalkTurns } from '../../src/files/listing/large-folders.ts'

const forever = new AbortController().signal

/** Walks that last until they are ended; gives how many have begun after a moment. */
async function begunOf(count: number, inTurn: ReturnType<typeof createWalkTurns>) {
  let begun = 0
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const walk = async () => {
    begun++
    await end
  }
  const walks = Array.from({ length: count }, () => inTurn(walk, forever))
  await turn()
  const atOnce = begun
  resolve()
  await Promise.all(walks)
  return { atOnce, all: begun }
}

it('two walks go on at a time where memory is short', async () => {
  expect(await begunOf(5, createWalkTurns(true))).toEqual({ atOnce: 2, all: 5 })
})

it('walks do not wait for each other where there is memory', async () => {
  expect(await begunOf(5, createWalkTurns(false))).toEqual({ atOnce: 5, all: 5 })
})

it('a walk whose client takes its time keeps others waiting for a while only', async () => {
  const inTurn = createWalkTurns(true, 20)
  const { promise: end, resolve } = Promise.withResolvers<string>()
  const slow = [inTurn(() => end, forever), inTurn(() => end, forever)]
  expect(await inTurn(async () => 'other', forever)).toBe('other')
  resolve('slow')
  expect(await Promise.all(slow)).toEqual(['slow', 'slow'])
})
