// `SEED=1 CASES=5000 npm run test:long -- rights` runs a part; `SERVERS` are asked side by side.
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { makeServed, runCases } from '../access/cases.ts'
import { PASSWORD } from '../support/app.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, startProgram } from '../support/program.ts'
import { makeTree, memoryFolder } from '../support/tree.ts'

const CASES = Number(process.env.CASES ?? 20_000)
const SERVERS = Number(process.env.SERVERS ?? 2)
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)

it(
  'people may what the model of rights says in 20,000 random cases',
  async ({ task }) => {
    await using stack = new AsyncDisposableStack()
    const servers = Array.from({ length: SERVERS }, () => serve(stack))
    const counts = await runCases(
      await Promise.all(servers),
      { cases: CASES, seed: SEED },
      ADMIN.password,
    )
    Object.assign(task.meta, { figures: { seed: SEED, ...counts } })
    process.stdout.write(`${JSON.stringify({ seed: SEED, ...counts })}\n`)
    expect(counts.cases).toBeGreaterThanOrEqual(CASES)
    for (const kind of ['create', 'folder', 'replace', 'save', 'delete', 'move', 'copy'])
      for (const end of ['done', 'refused'])
        expect(counts[`${kind} ${end}`], `${kind} ${end}`).toBeGreaterThan(0)
    for (const what of ['links', 'mounted', 'tops', 'shares'])
      expect(counts[what], what).toBeGreaterThan(0)
  },
  8 * 60 * 60_000,
)

async function serve(stack: AsyncDisposableStack) {
  // In memory where there is room: a disk takes most of the time, and has no part in it.
  const tree = stack.use(await makeTree({}, undefined, memoryFolder() ?? tmpdir()))
  const { root, roots } = makeServed(tree)
  const further = Object.entries(roots).map(([name, path]) => `${name}=${path}`)
  const program = stack.use(await startProgram(tree, { args: ['--roots', further.join(',')] }))
  const { origin } = program
  return {
    root,
    signIn: (name: string) =>
      loginAs(origin, name, name === ADMIN.username ? ADMIN.password : PASSWORD),
    fetch: (path: string) => fetch(origin + path),
  }
}
