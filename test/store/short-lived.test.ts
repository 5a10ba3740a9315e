// What lives for minutes, in the memory of one process and shared by two nodes, and what counts by it.
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createOnce } from '../../src/auth/oidc/once.ts'
import { createChallenges } from '../../src/auth/passkeys/challenges.ts'
import { createTickets, type FirstStep } from '../../src/auth/second-factor/tickets.ts'
import { createThrottle } from '../../src/auth/throttle.ts'
import {
  createShortLived,
  type Kind,
  lookAt,
  putIn,
  type ShortLived,
  takeOut,
} from '../../src/store/short-lived/short-lived.ts'
import { waitFor } from '../support/deadline.ts'
import { ENGINES, type EnginePlace } from '../support/engines.ts'

const KIND: Kind<{ text: string }> = { name: 'things', max: 5, maxPerOwner: 2 }
const OTHER: Kind<{ text: string }> = { name: 'others', max: 5 }
const ODD = "quote ' backslash \\ NUL \0 half \ud800 $1"

/** Two who have them together; where one process has them it is both. */
interface Pair extends AsyncDisposable {
  one: ShortLived
  two: ShortLived
}

describe.each(ENGINES)('what lives for minutes, kept by $name', (engine) => {
  let pair: Pair
  const isShared = engine.name === 'PostgreSQL'
  beforeEach(async () => {
    pair = isShared ? await openTwo(await engine.make([])) : inMemory()
    return () => pair[Symbol.asyncDispose]()
  })
  afterAll(() => engine.end())

  it('is there for both, as it was put, until its end', async () => {
    const { one, two } = pair
    const value = { text: ODD }
    await putIn(one, KIND, ODD, { value, lifeMs: 60_000 })
    expect(await lookAt(two, KIND, ODD)).toEqual(value)
    expect(await lookAt(two, OTHER, ODD)).toBeUndefined()
    await putIn(one, KIND, 'b', { value, lifeMs: 50 })
    await waitFor('its end', async () => (await lookAt(two, KIND, 'b')) === undefined)
    await putIn(two, KIND, ODD, { value: { text: 'new' }, lifeMs: 60_000 })
    expect(await lookAt(one, KIND, ODD)).toEqual({ text: 'new' })
  })

  it('is taken out by one of all who want it', async () => {
    const { one, two } = pair
    await putIn(one, KIND, 'a', { value: { text: 'a' }, lifeMs: 60_000 })
    const takers = Array.from({ length: 20 }, (_, n) => takeOut(n % 2 ? one : two, KIND, 'a'))
    const got = (await Promise.all(takers)).filter((found) => found !== null)
    expect(got).toHaveLength(1)
    expect(got[0]?.leftMs).toBeGreaterThan(50_000)
  })

  it('loses no change of many at once, and none is half done', async () => {
    const { one, two } = pair
    const counts: Kind<number> = { name: 'counts', max: 100 }
    const change = (all: ShortLived, fails: boolean) =>
      all.use(counts, ['x', 'y'], (cells) => {
        for (const cell of cells) cell.put((cell.value ?? 0) + 1, 60_000)
        if (fails) throw new Error('the change is refused')
      })
    const all = Array.from({ length: 60 }, (_, n) => change(n % 2 ? one : two, n % 3 === 0))
    const results = await Promise.allSettled(all)
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(20)
    expect(await lookAt(one, counts, 'x')).toBe(40)
    expect(await lookAt(two, counts, 'y')).toBe(40)
  })

  it('makes room for what is new of the same owner by what is old', async () => {
    const { one, two } = pair
    for (const key of ['a', 'b', 'c'])
      await putIn(one, KIND, key, { value: { text: key }, lifeMs: 60_000, owner: 'me' })
    await putIn(two, KIND, 'd', { value: { text: 'd' }, lifeMs: 60_000, owner: 'you' })
    const found = await Promise.all(['a', 'b', 'c', 'd'].map((key) => lookAt(two, KIND, key)))
    expect(found.map((value) => value?.text)).toEqual([undefined, 'b', 'c', 'd'])
  })

  it('counts guesses of both together, also those under way', async () => {
    const limits = { attempts: 5, windowMs: 60_000 }
    const throttles = [pair.one, pair.two].map((all) => createThrottle(all, 'test', limits))
    const guess = async (n: number, key: string) => {
      const attempt = throttles[n % 2]?.attempt()
      await attempt?.begin(key)
      attempt?.fail(key)
      await attempt?.over()
    }
    const statuses = async (guesses: Promise<void>[]) =>
      (await Promise.allSettled(guesses)).map(({ status }) => status === 'fulfilled')
    const byTurns: boolean[] = []
    for (let n = 0; n < 8; n++) byTurns.push(...(await statuses([guess(n, 'by turns')])))
    expect(byTurns).toEqual([true, true, true, true, true, false, false, false])
    const atOnce = await statuses(Array.from({ length: 20 }, (_, n) => guess(n, 'at once')))
    expect(atOnce.filter(Boolean).length).toBeLessThanOrEqual(5)
    expect(atOnce.filter(Boolean).length).toBeGreaterThan(0)
    const right = throttles[0]?.attempt()
    await right?.begin('somebody else')
    right?.succeed('by turns')
    await right?.over()
    expect(await statuses([guess(1, 'by turns')])).toEqual([true])
  })

  it('lets a ticket, a challenge and a state count once, on whichever node', async () => {
    const [tickets, others] = [createTickets(pair.one), createTickets(pair.two)]
    const step: FirstStep = { userID: 1, passwordHash: 'x', purpose: 'prove', remember: true }
    const ticket = await tickets.issue(step)
    const taken = await others.take(ticket)
    expect(taken?.step).toEqual(step)
    expect(await tickets.take(ticket)).toBeNull()
    await taken?.back()
    expect((await tickets.take(ticket))?.step).toEqual(step)

    const site = { rpID: 'here', origins: ['https://here'] } as never
    const challenge = await createChallenges(pair.one).issue({
      purpose: 'sign-in',
      owner: 'n',
      site,
    })
    expect(await createChallenges(pair.two).take(challenge)).toMatchObject({ site })
    expect(await createChallenges(pair.one).take(challenge)).toBeNull()

    const [once, again] = [createOnce(pair.one), createOnce(pair.two)]
    const shown = await Promise.all([once('state', 60_000), again('state', 60_000)])
    expect(shown.filter(Boolean)).toHaveLength(1)
  })
})

function inMemory(): Pair {
  const all = createShortLived()
  return { one: all, two: all, [Symbol.asyncDispose]: async () => {} }
}

async function openTwo(place: EnginePlace): Promise<Pair> {
  const [one, two] = [await place.open(), await place.open()]
  return {
    one: one.shortLived,
    two: two.shortLived,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([one.close(), two.close()])
      await place[Symbol.asyncDispose]()
    },
  }
}
