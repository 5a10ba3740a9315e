// Undo after a restart: each kind of change is taken back, done again, and left alone where somebody has changed it since.
import { expect, it } from 'vitest'
import type { SignedIn } from '../support/login.ts'
import { CHANGES, makeChanges, withServer } from '../support/undo-rows.ts'

it('takes back each kind of change, does it again, and leaves what others have changed', async () => {
  await using made = await makeChanges()
  const { tree, contents } = made
  const undo = (admin: SignedIn, operation: string, as: string) =>
    admin.fetch(`/api/history/${operation}/undo`, {
      method: 'POST',
      headers: { 'X-Operation': as },
    })
  await withServer(tree, async (admin) => {
    for (const [i, name] of CHANGES.entries()) {
      const mine = await undo(admin, `operation-mine-${i}`, `undo-mine-${i}`)
      expect([name, mine.status, await mine.json()]).toMatchObject([name, 200, { kept: [] }])
      const theirs = await undo(admin, `operation-theirs-${i}`, `undo-theirs-${i}`)
      expect([name, theirs.status]).toEqual([name, 409])
      expect(await theirs.text()).toContain(`/theirs/${i}/`)
    }
  })
  expect(await contents('mine')).toEqual(made.before)
  expect(await contents('theirs')).toEqual(made.changed)
  await withServer(tree, async (admin) => {
    for (const [i, name] of CHANGES.entries()) {
      const again = await undo(admin, `undo-mine-${i}`, `again-mine-${i}`)
      expect([name, again.status, await again.json()]).toMatchObject([name, 200, { kept: [] }])
    }
  })
  expect(await contents('mine')).toEqual(made.after)
})
