// Whose turn it is on a disk.
import { expect, it } from 'vitest'
import { createDiskPlaces } from '../../src/jobs/disk-places.ts'

const never = () => new AbortController().signal
const solid = async () => false

/** Names in the order in which they got their places; `leave` gives one back. */
function queue(places: ReturnType<typeof createDiskPlaces>) {
  const order: string[] = []
  const leaves = new Map<string, () => void>()
  const take = (name: string, owner: number, disks: bigint[], signal = never()) =>
    places.take(owner, disks, signal).then((leave) => {
      order.push(name)
      leaves.set(name, leave)
    })
  const leave = (name: string) => leaves.get(name)?.()
  return { order, take, leave }
}

it('so many work on a disk, and others wait for one of them to leave', async () => {
  const { order, take, leave } = queue(createDiskPlaces(2, solid))
  await Promise.all([take('a', 1, [1n]), take('b', 1, [1n])])
  const third = take('c', 1, [1n])
  await take('elsewhere', 1, [2n])
  expect(order).toEqual(['a', 'b', 'elsewhere'])
  leave('a')
  await third
  expect(order).toEqual(['a', 'b', 'elsewhere', 'c'])
})

it('a spinning disk has one place', async () => {
  const { order, take, leave } = queue(createDiskPlaces(2, async () => true))
  await take('a', 1, [1n])
  const second = take('b', 1, [1n])
  await take('elsewhere', 1, [2n])
  expect(order).toEqual(['a', 'elsewhere'])
  leave('a')
  await second
})

it('accounts are served in turn, whoever asked for much first', async () => {
  const { order, take, leave } = queue(createDiskPlaces(1, solid))
  await take('a1', 1, [1n])
  const rest = [take('a2', 1, [1n]), take('a3', 1, [1n]), take('b1', 2, [1n])]
  // All of them have asked by then.
  await new Promise(setImmediate)
  for (const name of ['a1', 'b1', 'a2']) {
    await expect.poll(() => order.at(-1)).toBe(name)
    leave(name)
  }
  await Promise.all(rest)
  expect(order).toEqual(['a1', 'b1', 'a2', 'a3'])
})

it('two disks are taken together, so that none waits with one in hand', async () => {
  const { order, take, leave } = queue(createDiskPlaces(1, solid))
  await take('a', 1, [1n])
  const both = take('both', 2, [2n, 1n])
  await take('b', 3, [2n])
  leave('a')
  leave('b')
  await both
  expect(order).toEqual(['a', 'b', 'both'])
})

it('who gives up waiting is not served, and a place is given back once', async () => {
  const { order, take, leave } = queue(createDiskPlaces(1, solid))
  await take('a', 1, [1n])
  const control = new AbortController()
  const gone = take('gone', 1, [1n], control.signal)
  control.abort(new Error('enough'))
  await expect(gone).rejects.toThrow('enough')
  const next = take('next', 1, [1n])
  leave('a')
  leave('a')
  await next
  const last = take('last', 1, [1n])
  leave('a')
  expect(order).toEqual(['a', 'next'])
  leave('next')
  await last
})
