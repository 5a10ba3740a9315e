// kill -9 amid all that keeps, brings back and lets go.
import { expect } from 'vitest'
import { waitFor } from './deadline.ts'
import type { Figures } from './fault-runs.ts'
import { createKeptLedger, type KeptLedger, SWEPT, SWEPT_DISK_BYTES } from './kept-ledger.ts'
import { loginAs } from './login.ts'
import { mountDisk } from './mounts.ts'
import { startProgram } from './program.ts'
import { makeTree, type Tree } from './tree.ts'

const WORKERS = 3
/** A tree of its own for so many: all that is in it is read after each. */
const KILLS_IN_TREE = 25
const ARGS = ['--loginRateLimit', '0']

/** Kills the program so often, each time at another moment. Nothing is lost, and every entry is whole. */
export async function killedWhileKeeping(kills: number, seed: number): Promise<Figures> {
  const sums: Record<string, number> = {}
  for (let done = 0; done < kills; done += KILLS_IN_TREE) {
    await using tree = await makeTree({ [SWEPT]: null })
    await using _ = await mountDisk(tree.at(SWEPT), SWEPT_DISK_BYTES)
    const ledger = createKeptLedger(tree, seed + done)
    for (let kill = done; kill < Math.min(done + KILLS_IN_TREE, kills); kill++)
      await killOnce(tree, ledger, 1 + ((kill * 7919 + seed) % 29))
    await using program = await startProgram(tree, { args: ARGS })
    const admin = await loginAs(program.origin)
    expect(await ledger.checkListed(admin)).toEqual([])
    expect(await ledger.restoreAll(admin)).toEqual([])
    expect(await ledger.check()).toEqual([])
    for (const [name, count] of Object.entries(ledger.counts))
      sums[name] = (sums[name] ?? 0) + count
  }
  return { kills, ...sums, 'bytes lost': 0, 'entries torn': 0 }
}

async function killOnce(tree: Tree, ledger: KeptLedger, requests: number): Promise<void> {
  await using program = await startProgram(tree, { args: ARGS })
  const admin = await loginAs(program.origin)
  expect(await ledger.checkListed(admin)).toEqual([])
  let isDead = false
  const work = Array.from({ length: WORKERS }, async (_, worker) => {
    while (!isDead) await ledger.change(admin, worker)
  })
  const until = (ledger.counts.changes ?? 0) + requests
  await waitFor('the changes', () => (ledger.counts.changes ?? 0) >= until, 60_000).catch(
    (error) => {
      throw new Error(`no answer to ${[...ledger.waiting].join()}\n${program.output()}`, {
        cause: error,
      })
    },
  )
  await program.kill()
  isDead = true
  await Promise.all(work)
  expect(await ledger.check()).toEqual([])
}
