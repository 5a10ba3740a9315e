// Moves across disks that are killed or cancelled at random, or that fill their disk: each file is whole on one side at
// least, and in the end on one.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Job } from '../../src/job-types.ts'
import { waitFor } from '../support/deadline.ts'
import { act, begin, endOf, jobOf } from '../support/jobs.ts'
import { loginAs, type SignedIn } from '../support/login.ts'
import { MAY_MOUNT, mountDisk } from '../support/mounts.ts'
import { ADMIN, startProgram } from '../support/program.ts'
import { makeTree, memoryFolder } from '../support/tree.ts'

const BREAKS = 200
const FILES = 1_500
const LARGE_BYTES = 80 * 1024 ** 2
/** A run is broken off within so long of its begin. */
const WITHIN_MS = 400

const contentOf = (i: number) => `${i} `.repeat(1 + (i % 40) * 100)
const small = () =>
  Object.fromEntries(Array.from({ length: FILES }, (_, i) => [`${i % 20}/${i}.txt`, contentOf(i)]))
const sumOf = (bytes: Buffer | string) => createHash('sha1').update(bytes).digest('hex')

/** Sums of all files at and below a folder, hidden ones aside. */
async function sumsIn(folder: string): Promise<Map<string, string>> {
  const sums = new Map<string, string>()
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of names) {
    if (!entry.isFile() || entry.name.startsWith('.fb-')) continue
    const path = join(entry.parentPath, entry.name)
    sums.set(path.slice(folder.length + 1), sumOf(await readFile(path)))
  }
  return sums
}

/** Lets everybody work in a further root, under its name. */
async function giveOut(admin: SignedIn, name: string): Promise<void> {
  const verbs = ['see', 'download', 'create', 'modify', 'rename', 'delete']
  const grants = [{ who: 'everyone', ...Object.fromEntries(verbs.map((verb) => [verb, true])) }]
  const folder = { place: `${name}:/`, as: name, grants, current_password: ADMIN.password }
  const told = await admin.fetch('/api/folders', { method: 'PUT', body: JSON.stringify(folder) })
  expect(told.status).toBe(200)
}

it(`a move to another disk that is broken off ${BREAKS} times`, async () => {
  const memory = memoryFolder()
  if (memory === null) throw new Error('there is no memory for one of the two disks')
  await using disk = await makeTree({}, undefined, '/var/tmp')
  const large = Object.fromEntries(
    ['a', 'b'].map((name) => [`large-${name}.bin`, Buffer.alloc(LARGE_BYTES, `${name} bytes `)]),
  )
  const files = { ...small(), ...large }
  const content = Object.fromEntries(Object.entries(files).map(([k, v]) => [`it/${k}`, v]))
  await using tree = await makeTree(content, undefined, memory)
  const other = join(disk.base, 'other')
  await mkdir(other)
  const wanted = new Map(Object.entries(files).map(([path, bytes]) => [path, sumOf(bytes)]))
  const args = ['--roots', `other=${other}`, '--trash', 'off', '--versions=false']
  const sides = [
    { host: tree.at('it'), item: '/it', to: '/other' },
    { host: join(other, 'it'), item: '/other/it', to: '/' },
  ]
  let at = 0
  let job: Job | null = null
  let ends = 0
  let program = await startProgram(tree, { args })
  try {
    let admin = await loginAs(program.origin)
    await giveOut(admin, 'other')
    for (let breaks = 1; breaks <= BREAKS; breaks++) {
      const side = sides[at]
      if (!side) throw new Error('there are two sides')
      job ??= await begin(admin, {
        kind: 'move',
        items: [side.item],
        to: side.to,
        conflict: 'replace',
      })
      const { id } = job
      await sleep(Math.random() * WITHIN_MS)
      if (breaks % 2 === 0) {
        await program.kill()
      } else {
        const { state } = await jobOf(admin, id)
        if (state !== 'done') await act(admin, id, 'cancel')
      }
      const [from, to] = await Promise.all(sides.map(({ host }) => sumsIn(host)))
      for (const [path, sum] of wanted) {
        const found = [from?.get(path), to?.get(path)].filter((each) => each !== undefined)
        expect([breaks, path, [...new Set(found)]]).toEqual([breaks, path, [sum]])
      }
      if (breaks % 2 === 0) {
        program = await startProgram(tree, { args })
        admin = await loginAs(program.origin)
      }
      job = await jobOf(admin, id)
      if (job.state === 'done') {
        at = 1 - at
        job = null
        ends++
      } else if (job.state === 'cancelled') expect((await act(admin, id, 'retry')).status).toBe(200)
      else expect(['queued', 'running']).toContain(job.state)
    }
    if (job) expect(await endOf(admin, job.id)).toMatchObject({ state: 'done', errors: [] })
    const end = sides[job ? 1 - at : at]
    expect(await sumsIn(end?.host ?? '')).toEqual(wanted)
    process.stdout.write(`${BREAKS} breaks, ${ends} moves came to their end amid them\n`)
  } finally {
    await program[Symbol.asyncDispose]()
  }
}, 3_000_000)

it.runIf(MAY_MOUNT)(
  'a move to a disk that fills up leaves each file whole, and ends when there is room',
  async () => {
    const files = small()
    const content = Object.fromEntries(Object.entries(files).map(([k, v]) => [`it/${k}`, v]))
    await using tree = await makeTree(content)
    const wanted = new Map(Object.entries(files).map(([path, text]) => [path, sumOf(text)]))
    const other = join(tree.base, 'other')
    await using _ = await mountDisk(other, 4 * 1024 ** 2)
    const args = ['--roots', `other=${other}`]
    await using program = await startProgram(tree, { args })
    const admin = await loginAs(program.origin)
    await giveOut(admin, 'other')
    const { id } = await begin(admin, { kind: 'move', items: ['/it'], to: '/other' })
    expect(await endOf(admin, id)).toMatchObject({ state: 'failed', reason: 'no_space' })
    const [from, to] = [await sumsIn(tree.at('it')), await sumsIn(join(other, 'it'))]
    for (const [path, sum] of wanted) {
      const found = [from.get(path), to.get(path)].filter((each) => each !== undefined)
      expect([path, [...new Set(found)]]).toEqual([path, [sum]])
    }
    expect([from.size < FILES || to.size > 0, from.size > 0]).toEqual([true, true])
    execFileSync('mount', ['-o', 'remount,size=64m', other])
    expect((await act(admin, id, 'retry')).status).toBe(200)
    await waitFor('the end', async () => (await jobOf(admin, id)).state === 'done')
    expect(await sumsIn(join(other, 'it'))).toEqual(wanted)
    expect(await readdir(tree.root)).not.toContain('it')
  },
)
