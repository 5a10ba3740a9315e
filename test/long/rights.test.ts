import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { makeServed, runCases } from '../access/cases.ts'
import { PASSWORD } from '../support/app.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, startProgram } from '../support/program.ts'
import { makeTree, memoryFolder } from '../support/tree.ts'

it(
  'people may what the model of rights says in 20,000 random worlds',
  async ({ task }) => {
    // In memory where there is room: a disk takes most of the time, and has no part in it.
    await using tree = await makeTree({}, undefined, memoryFolder() ?? tmpdir())
    const { root, roots } = makeServed(tree)
    const further = Object.entries(roots).map(([name, path]) => `${name}=${path}`)
    await using program = await startProgram(tree, { args: ['--roots', further.join(',')] })
    const { origin } = program
    const served = {
      root,
      signIn: (name: string) =>
        loginAs(origin, name, name === ADMIN.username ? ADMIN.password : PASSWORD),
      fetch: (path: string) => fetch(origin + path),
    }
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
    const numRuns = Number(process.env.CASES ?? 20_000)
    const counts = await runCases(served, { numRuns, seed }, ADMIN.password)
    Object.assign(task.meta, { figures: { seed, ...counts } })
    expect(counts.cases).toBe(numRuns)
  },
  8 * 60 * 60_000,
)
