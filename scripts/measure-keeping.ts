// Measures trash, versions and history against what they stand beside, by the packaged executable:
// `node scripts/measure-keeping.ts [rounds] [files] [case...]`, by default 5 rounds and 100,000 files. Both sides of a
// ratio take turns within a round, so that a busy machine changes it little; the median of the rounds is printed with the
// lowest and the highest. Files are in memory where the system has a folder for that; what is replaced is measured on the
// disk as well, which has blocks to free when no version keeps them.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loginAs } from '../test/support/login.ts'
import { cpuMsOf } from '../test/support/process-facts.ts'
import { startProgram } from '../test/support/program.ts'
import { makeTree, memoryFolder } from '../test/support/tree.ts'
import {
  ask,
  type Case,
  json,
  measure,
  msOf,
  p99,
  type Round,
  type Server,
  send,
  serve as serveIn,
} from './measuring.ts'

const FILES_IN_FOLDER = 1_000
const AT_ONCE = 5
const SMALL_FILES = 1_000
/** What a process has compiled by then is that of a start, and that of a server in use. */
const WARM_TIMES = { 'just started': 3, 'in use': 20 }
/** Turns of both sides that are added up. */
const TURNS = 5
/** Milliseconds. */
const NOTHING_SPENT = { clock: 0, processor: 0 }
const MOVED = 1_000
const LISTINGS = 400
const QUIET = ['--trash', 'off', '--versions=false']
const VERSIONS = { on: [], off: ['--versions=false'] }

const rounds = Number(process.argv[2] ?? 5)
const files = Number(process.argv[3] ?? 100_000)
const wanted = process.argv.slice(4)

const serve = (args: string[] = [], parent = memoryFolder()) => serveIn(parent, { args })

/** Milliseconds that the processor was busy with a server. */
const processorMs = ({ program }: Server) => cpuMsOf(program.process.pid ?? 0)

/** Runs some at a time, in their order. */
async function inParallel(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

function fill(folder: string): void {
  for (let i = 0; i < files; i++) {
    const below = join(folder, String(Math.floor(i / FILES_IN_FOLDER)))
    if (i % FILES_IN_FOLDER === 0) mkdirSync(below, { recursive: true })
    writeFileSync(join(below, `${i}.txt`), 'x')
  }
}

async function restoreAll(server: Server): Promise<void> {
  const { items } = await json(server, '/api/trash')
  const ids = items.map(({ id }: { id: string }) => id)
  await send(server, 'POST', '/api/trash/restore', JSON.stringify({ ids }))
}

async function trashing(stack: AsyncDisposableStack): Promise<Round> {
  const server = stack.use(await serve())
  fill(server.tree.at('tree'))
  await server.tree.add({ 'one.txt': 'x' })
  const remove = (name: string) => msOf(() => send(server, 'DELETE', `/api/resources/${name}`))
  await remove('one.txt')
  await restoreAll(server)
  return async () => {
    const [one, tree] = [await remove('one.txt'), await remove('tree')]
    await restoreAll(server)
    return { 'time of a tree / of one file (at most 5)': tree / one, 'ms for the tree': tree }
  }
}

/**
 * The same work with what is measured and without; above 1 it is quicker with it. Each round starts both sides anew: what
 * a process has compiled differs from start to start by more than what is measured costs. Right after a start most code
 * is still interpreted, so that both are measured, a start and a server in use.
 */
function besides(
  sides: { on: string[]; off: string[] },
  work: (server: Server, time: number) => Promise<unknown>,
  parent?: string | null,
): Round {
  return async () => {
    await using stack = new AsyncDisposableStack()
    const start = async (args: string[]) => ({
      server: stack.use(await serve(args, parent)),
      ...NOTHING_SPENT,
    })
    const [on, off] = [await start(sides.on), await start(sides.off)]
    let time = 0
    const turn = async () => {
      // Whoever is the first of a turn finds other caches.
      const order = time++ % 2 === 0 ? [on, off] : [off, on]
      for (const side of order) {
        const before = await processorMs(side.server)
        side.clock += await msOf(() => work(side.server, time))
        side.processor += (await processorMs(side.server)) - before
      }
    }
    const found: Record<string, number> = {}
    for (const [when, warmTimes] of Object.entries(WARM_TIMES)) {
      while (time < warmTimes) await turn()
      for (const side of [on, off]) Object.assign(side, NOTHING_SPENT)
      for (let i = 0; i < TURNS; i++) await turn()
      found[`${when}: throughput, with / without (at least 0.95)`] = off.clock / on.clock
      found[`${when}: the same by the processor`] = off.processor / on.processor
    }
    return found
  }
}

const replace = (server: Server, time: number) =>
  inParallel(SMALL_FILES, (i) =>
    send(server, 'POST', `/api/resources/w/${i}.txt?override=true`, `${time} ${i}`),
  )

const upload = (server: Server, time: number) =>
  inParallel(SMALL_FILES, (i) => send(server, 'POST', `/api/resources/${time}/${i}.txt`, `${i}`))

async function emptying(stack: AsyncDisposableStack): Promise<Round> {
  const server = stack.use(await serve())
  await server.tree.add(
    Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`list/${i}`, ''])),
  )
  const listOnce = () => msOf(() => json(server, '/api/resources/list/'))
  return async () => {
    fill(server.tree.at('tree'))
    fill(join(server.tree.base, 'same'))
    const quiet: number[] = []
    while (quiet.length < LISTINGS) quiet.push(await listOnce())
    const rm = await msOf(() => execFileSync('rm', ['-rf', join(server.tree.base, 'same')]))
    await send(server, 'DELETE', '/api/resources/tree')
    const busy: number[] = []
    const listing = async () => {
      while (existsSync(server.tree.at('.fb-trash'))) busy.push(await listOnce())
    }
    const ours = await msOf(async () => {
      await send(server, 'DELETE', '/api/trash')
      await listing()
    })
    return {
      'time of rm -rf / of emptying (at least 0.5)': rm / ours,
      'listing p99 meanwhile / quiet (at most 2)': p99(busy) / p99(quiet),
    }
  }
}

async function firstPage(stack: AsyncDisposableStack): Promise<Round> {
  const tree = stack.use(await makeTree({}, undefined, memoryFolder() ?? undefined))
  const store = tree.at('.fb-trash')
  for (const part of ['files', 'info'])
    mkdirSync(join(store, part), { recursive: true, mode: 0o700 })
  for (let i = 0; i < files; i++) {
    const name = `${i.toString(16).padStart(32, '0')}-${i}.txt`
    writeFileSync(join(store, 'files', name), 'x')
    const time = new Date(Date.UTC(2100, 0, 1) + i * 1_000).toISOString()
    const info = `[Trash Info]\nPath=docs/${i}.txt\nX-FileBrowser-Time=${time}\n`
    writeFileSync(join(store, 'info', `${name}.trashinfo`), info)
  }
  return async () => {
    await using program = await startProgram(tree)
    const server = { program, admin: await loginAs(program.origin) } as Server
    const page = async () => {
      const before = await processorMs(server)
      const ms = await msOf(() => json(server, '/api/trash'))
      return { ms, busyMs: (await processorMs(server)) - before }
    }
    const [first, , , warm] = [await page(), await page(), await page(), await page()]
    return {
      'ms after a start': first.ms,
      'ms when it was read before (at most 300)': warm.ms,
      'the same by the processor': warm.busyMs,
    }
  }
}

async function undoing(stack: AsyncDisposableStack): Promise<Round> {
  const server = stack.use(await serve())
  const names = Array.from({ length: MOVED }, (_, i) => `from/${i}.txt`)
  await server.tree.add({ ...Object.fromEntries(names.map((name) => [name, 'x'])), to: null })
  let round = 0
  return async () => {
    const operation = `measure-${++round}-move`
    const move = (name: string) =>
      ask(server, `/api/resources/${name}?action=rename&destination=/to/${name.slice(5)}`, {
        method: 'PATCH',
        headers: { 'X-Operation': operation },
      })
    const moved = await msOf(async () => {
      for (const name of names) await move(name)
    })
    const undone = await msOf(() => send(server, 'POST', `/api/history/${operation}/undo`))
    return { 'time of undoing / of moving 1,000 files (at most 1.5)': undone / moved }
  }
}

const cases: Record<string, Case> = {
  trashing,
  'versions on the disk': async () => besides(VERSIONS, replace, null),
  'versions in memory': async () => besides(VERSIONS, replace),
  history: async () => besides({ on: ['--versions=false'], off: QUIET }, upload),
  emptying,
  'first page': firstPage,
  undoing,
}

await measure(cases, rounds, wanted)
