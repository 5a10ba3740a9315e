// What scripts that measure the packaged executable share: a server, clocks, and a table of ratios.
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { waitFor } from '../test/support/deadline.ts'
import { loginAs, type SignedIn } from '../test/support/login.ts'
import { type Program, type ProgramOptions, startProgram } from '../test/support/program.ts'
import { makeTree, type Tree } from '../test/support/tree.ts'

export interface Server extends AsyncDisposable {
  tree: Tree
  program: Program
  admin: SignedIn
}

/** Gives ratios and other figures by what they are of. */
export type Round = () => Promise<Record<string, number>>

/** Makes what its rounds need; the stack gives it back. */
export type Case = (stack: AsyncDisposableStack) => Promise<Round>

/** Starts a server over an empty tree in a folder; null for that of temporary files. */
export async function serve(parent: string | null, options: ProgramOptions = {}): Promise<Server> {
  const tree = await makeTree({}, undefined, parent ?? undefined)
  const args = ['--loginRateLimit', '0', ...(options.args ?? [])]
  const program = await startProgram(tree, { ...options, args })
  const admin = await loginAs(program.origin)
  return {
    tree,
    program,
    admin,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]()
      await tree[Symbol.asyncDispose]()
    },
  }
}

/** Throws unless it is answered well. */
export async function ask(
  { admin }: Pick<Server, 'admin'>,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const response = await admin.fetch(path, init)
  if (!response.ok) throw new Error(`${init.method ?? 'GET'} ${path}: ${response.status}`)
  return response
}

export async function json(server: Pick<Server, 'admin'>, path: string, init?: RequestInit) {
  return (await ask(server, path, init)).json()
}

export const send = (server: Pick<Server, 'admin'>, method: string, path: string, body?: string) =>
  ask(server, path, body === undefined ? { method } : { method, body }).then((answer) =>
    answer.text(),
  )

/** Environment of a server that tells how its event loop is held. */
export const WATCHED_LOOP = {
  NODE_OPTIONS: `--expose-gc --require ${join(import.meta.dirname, 'watch-loop.ts')}`,
  NODE_NO_WARNINGS: '1',
}

/** Asks a server with WATCHED_LOOP how its loop has been since the last time. */
export async function look({
  program,
}: Pick<Server, 'program'>): Promise<{ heldMs: number; heapBytes: number }> {
  const before = program.output().length
  program.process.kill('SIGUSR2')
  const told = () => /^watched (.*)$/m.exec(program.output().slice(before))?.[1]
  return JSON.parse(await waitFor('a look at the loop', told))
}

export async function msOf(work: () => Promise<unknown> | unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Runs the cases, or those that are wanted, and prints the median of each figure with the lowest and the highest. */
export async function measure(
  cases: Record<string, Case>,
  rounds: number,
  wanted: readonly string[],
): Promise<void> {
  for (const [name, prepare] of Object.entries(cases)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    await using stack = new AsyncDisposableStack()
    const round = await prepare(stack)
    const found = new Map<string, number[]>()
    for (let i = 0; i < rounds; i++) {
      for (const [what, value] of Object.entries(await round()))
        found.set(what, [...(found.get(what) ?? []), value])
      await wait(100)
    }
    process.stdout.write(`${name}\n`)
    for (const [what, values] of found) {
      const [low, middle, high] = [Math.min(...values), median(values), Math.max(...values)]
      const text = [low, high].map((value) => value.toFixed(2)).join(' to ')
      process.stdout.write(`  ${what.padEnd(56)} ${middle.toFixed(2)} (${text})\n`)
    }
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

export function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN
}
