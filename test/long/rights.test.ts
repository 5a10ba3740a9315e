import { realpathSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runCases } from '../access/cases.ts'
import { PASSWORD } from '../support/app.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

it(
  'people may what the model of rights says in 20,000 random worlds',
  async ({ task }) => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    const { origin } = program
    const served = {
      root: realpathSync(tree.root),
      signIn: (name: string) =>
        loginAs(origin, name, name === ADMIN.username ? ADMIN.password : PASSWORD),
      fetch: (path: string) => fetch(origin + path),
    }
    const counts = await runCases(
      served,
      { numRuns: Number(process.env.CASES ?? 20_000) },
      ADMIN.password,
    )
    Object.assign(task.meta, { figures: counts })
    expect(counts.cases).toBeGreaterThan(0)
  },
  4 * 60 * 60_000,
)
