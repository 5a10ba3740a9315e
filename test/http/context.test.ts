import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { actorOf, type Ctx } from '../../src/http/context.ts'
import type { Services } from '../../src/operations/services.ts'

it('an actor keeps no request in memory beyond the next collection of new objects', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (how: { type: 'minor' | 'major' }) => void
  const oldBytes = () =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size
  collect({ type: 'major' })
  const before = Number(oldBytes())
  for (let n = 0; n < 2_000; n++) {
    const request = { get: () => Array.from({ length: 1_000 }, () => n) }
    const content = request.get()
    const c = { get: () => content } as unknown as Ctx
    expect(actorOf(c, {} as Services).scope).toBe(content)
  }
  collect({ type: 'minor' })
  collect({ type: 'minor' })
  expect(Number(oldBytes()) - before).toBeLessThan(4_000_000)
})
