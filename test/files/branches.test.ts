// Several branches of a tree are worked on beside each other.
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createBranches } from '../../src/files/transfer/branches.ts'

interface Node {
  name: string
  below: Node[]
}

const leaves = (name: string): Node[] =>
  Array.from({ length: 5 }, (_, i) => ({ name: `${name}${i}`, below: [] }))
const TREE = leaves('').map(({ name }) => ({ name, below: leaves(name) }))

it('so many at a time in all of the tree, each after what is below it', async () => {
  const branches = createBranches(3)
  let [running, most] = [0, 0]
  const ended: string[] = []
  const walk = async ({ name, below }: Node): Promise<void> => {
    if (below.length === 0) most = Math.max(most, ++running)
    await setImmediate()
    if (below.length === 0) running--
    await branches.each(below, walk)
    ended.push(name)
  }
  await branches.each(TREE, walk)
  expect(most).toBe(3)
  expect(ended).toHaveLength(30)
  for (const { name, below } of TREE)
    for (const each of below) expect(ended.indexOf(each.name)).toBeLessThan(ended.indexOf(name))
})

it('after a failure nothing is begun, and what is under way comes to its end', async () => {
  const branches = createBranches(2)
  const begun: number[] = []
  const ended: number[] = []
  const working = branches.each([1, 2, 3, 4], async (item) => {
    begun.push(item)
    if (item === 2) throw new Error('the second')
    await setImmediate()
    ended.push(item)
  })
  await expect(working).rejects.toThrow('the second')
  expect([begun, ended]).toEqual([[1, 2], [1]])
})
