// One server for all browser tests that need a folder of their own and nothing else of a server: each
// gets an account that sees its folder alone. Started once, before the tests.
import type { TestProject } from 'vitest/node'
import { startProgram } from './program.ts'
import { makeTree, memoryFolder } from './tree.ts'

export interface SharedServer {
  origin: string
  /** The folders of the accounts lie here, under their names. */
  root: string
}

declare module 'vitest' {
  interface ProvidedContext {
    sharedServer: SharedServer
  }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const tree = await makeTree({}, undefined, memoryFolder() ?? undefined)
  const program = await startProgram(tree, { args: ['--loginRateLimit', '0'] })
  project.provide('sharedServer', { origin: program.origin, root: tree.root })
  return async () => {
    await program[Symbol.asyncDispose]()
    await tree[Symbol.asyncDispose]()
  }
}
