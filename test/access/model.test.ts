// Fails with the seed and the smallest world in which the server and the model disagree.
import { realpathSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openApp } from '../support/app.ts'
import { runCases } from './cases.ts'

it('in random worlds people may what the model says, by whatever call', async () => {
  await using app = await openApp()
  const served = { root: realpathSync(app.tree.root), signIn: app.as, fetch: app.fetch }
  const counts = await runCases(served, { numRuns: 60, seed: 60 })
  expect(counts.move).toBeGreaterThan(0)
  expect(app.errors).toEqual([])
})
