// Fails with the seed and the smallest world in which the server and the model disagree.
import { expect, it } from 'vitest'
import { openApp } from '../support/app.ts'
import { makeTree } from '../support/tree.ts'
import { makeServed, runCases } from './cases.ts'

it('in random worlds people may what the model says, by whatever call', async () => {
  await using tree = await makeTree({})
  const config = makeServed(tree)
  await using app = await openApp({ config })
  const served = { root: config.root, signIn: app.as, fetch: app.fetch }
  const counts = await runCases([served], { cases: 60, seed: 60 })
  for (const what of ['move done', 'copy done', 'links', 'mounted', 'tops', 'shares'])
    expect(counts[what], what).toBeGreaterThan(0)
  expect(app.errors).toEqual([])
})
