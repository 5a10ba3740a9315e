import { expect, it } from 'vitest'
import { Batches } from '../../src/store/postgres/batches.ts'

interface Question {
  readonly key: string
  readonly n: number
}

/** Answers by hand; `asked` is what was asked together. */
function byHand() {
  const asked: { items: readonly Question[]; answer: (error?: Error) => void }[] = []
  const batches = new Batches<Question, number>((items) => {
    const { promise, resolve, reject } = Promise.withResolvers<number[]>()
    const answer = (error?: Error) => (error ? reject(error) : resolve(items.map(({ n }) => n * 2)))
    asked.push({ items, answer })
    return promise
  })
  return { asked, batches }
}

it('what comes meanwhile goes together with the next question, each with its own answer', async () => {
  const { asked, batches } = byHand()
  const answers = ['a', 'b', 'c'].map((key, n) => batches.add({ key, n }))
  expect(asked.map(({ items }) => items.length)).toEqual([1])
  asked[0]?.answer()
  expect(await answers[0]).toBe(0)
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.answer()
  expect(await Promise.all(answers)).toEqual([0, 2, 4])
})

it('two of one key are not asked together', async () => {
  const { asked, batches } = byHand()
  const answers = ['x', 'a', 'a'].map((key, n) => batches.add({ key, n }))
  for (let n = 0; n < 3; n++) {
    await expect.poll(() => asked.length).toBe(n + 1)
    asked[n]?.answer()
  }
  expect(await Promise.all(answers)).toEqual([0, 2, 4])
})

it('a failure is that of all who were asked together, and of no other', async () => {
  const { asked, batches } = byHand()
  const answers = ['x', 'a', 'b'].map((key, n) => batches.add({ key, n }))
  asked[0]?.answer()
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.answer(new Error('no'))
  const ends = await Promise.allSettled(answers)
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  const later = batches.add({ key: 'a', n: 4 })
  await expect.poll(() => asked.length).toBe(3)
  asked[2]?.answer()
  expect(await later).toBe(8)
})

it('what is asked later goes with what is asked now, or by itself', async () => {
  const { asked, batches } = byHand()
  const later = ['a', 'b'].map((key, n) => batches.add({ key, n }, { isLater: true }))
  expect(asked).toEqual([])
  await expect.poll(() => asked.length).toBe(1)
  asked[0]?.answer()
  expect(await Promise.all(later)).toEqual([0, 2])
  void batches.add({ key: 'c', n: 2 }, { isLater: true })
  void batches.add({ key: 'd', n: 3 })
  expect(asked.map(({ items }) => items.length)).toEqual([2, 2])
})
