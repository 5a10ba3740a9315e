import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Followers } from '../../src/store/postgres/followers.ts'

let others: string[]
let followers: Followers

beforeEach(() => {
  vi.useFakeTimers()
  others = ['a', 'b']
  followers = new Followers(() => others)
})
afterEach(() => vi.useRealTimers())

/** Whether it is over once what was begun has run. */
async function isOver(work: Promise<void>): Promise<boolean> {
  let over = false
  void work.then(() => {
    over = true
  })
  await vi.advanceTimersByTimeAsync(0)
  return over
}

test('a node that is alone waits for nobody', async () => {
  others = []
  expect(await isOver(followers.haveTaken(7))).toBe(true)
})

test('a change is known when every other node has taken it, or a later one', async () => {
  const known = followers.haveTaken(7)
  followers.took('a', 7)
  expect(await isOver(known)).toBe(false)
  followers.took('b', 9)
  expect(await isOver(known)).toBe(true)
})

test('what was taken before it was asked for counts', async () => {
  followers.took('a', 7)
  followers.took('b', 7)
  expect(await isOver(followers.haveTaken(7))).toBe(true)
})

test('a node that says nothing is waited for once, and again after it has spoken', async () => {
  followers.took('a', 8)
  const known = followers.haveTaken(7)
  expect(await isOver(known)).toBe(false)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await isOver(known)).toBe(true)
  expect(await isOver(followers.haveTaken(8))).toBe(true)
  followers.took('b', 8)
  followers.took('a', 9)
  expect(await isOver(followers.haveTaken(9))).toBe(false)
})

test('a node that goes away meanwhile holds nothing up for longer than the wait', async () => {
  followers.took('a', 7)
  const known = followers.haveTaken(7)
  others = ['a']
  followers.took('a', 7)
  expect(await isOver(known)).toBe(true)
})
