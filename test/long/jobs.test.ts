// A copy of a hundred thousand files goes on after twenty kills, as if there had been none. `COPY_GIB=20` makes it one of
// 20 GiB, half of them in ten files of 1 GiB; that takes 40 GB of disk.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { begin, jobOf } from '../support/jobs.ts'
import { loginAs } from '../support/login.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

const GIB = 1024 ** 3
const FOLDERS = 500
const FILES = 200
const KILLS = 20
const WAIT_MS = 1_200_000
const SMALL_BYTES = 1_000
const LARGE_FILES = 10
const OUTPUT_BYTES = 64 * 1024 * 1024

const bytes = Number(process.env.COPY_GIB ?? 0) * GIB
const large = bytes > 0 ? LARGE_FILES : 0
const largeBytes = large > 0 ? Math.floor(bytes / 2 / large) : 0
const smallBytes = Math.max(SMALL_BYTES, Math.floor(bytes / 2 / (FOLDERS * FILES)))
const totalBytes = large * largeBytes + FOLDERS * FILES * smallBytes

/** No two files are the same. */
function fill(folder: string): void {
  const noise = randomBytes(64 * 1024 * 1024)
  for (let i = 0; i < FOLDERS * FILES; i++) {
    const below = join(folder, `${Math.floor(i / FILES)}`)
    if (i % FILES === 0) mkdirSync(below, { recursive: true })
    const at = (i * 4099) % (noise.length - smallBytes)
    writeFileSync(join(below, `${i % FILES}.bin`), noise.subarray(at, at + smallBytes))
  }
  for (let i = 0; i < large; i++) {
    const fd = openSync(join(folder, `${i * 50}`, 'large.bin'), 'w')
    for (let written = 0; written < largeBytes; written += noise.length) {
      noise.writeUInt32LE(i * noise.length + written / noise.length)
      writeSync(fd, noise, 0, Math.min(noise.length, largeBytes - written))
    }
    closeSync(fd)
  }
}

/** What a program has written so far, records and sockets included: proc(5). */
async function writtenBy({ process: { pid } }: Program): Promise<number> {
  return Number(/^wchar: (\d+)$/m.exec(await readFile(`/proc/${pid}/io`, 'utf8'))?.[1])
}

/** The inode of each file that has come, by its path. */
function inodesIn(folder: string): Map<string, string> {
  const script = "find . -name '*.bin' -not -name '.fb-*' -printf '%P %i\\n'"
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: OUTPUT_BYTES } as const
  const lines = execFileSync('sh', ['-c', script], options).trim().split('\n')
  return new Map(lines.map((line) => line.split(' ') as [string, string]))
}

/** Kind, size, bits and time of all entries, by their path; what a kill has left hidden is swept later. */
function factsOf(folder: string): Map<string, string[]> {
  const script = `find . -not -name '.fb-*' -printf '%P/%y/%s/%m/%T@\\n' | sed 's#/d/[0-9]*/#/d/-/#'`
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: OUTPUT_BYTES } as const
  const lines = execFileSync('sh', ['-c', script], options).trim().split('\n')
  return new Map(
    lines.map((line) => {
      const parts = line.split('/')
      return [parts.slice(0, -4).join('/'), parts.slice(-4)]
    }),
  )
}

/** Paths of entries that are not the same; times are kept to the microsecond. */
function differencesOf(folder: string, other: string): string[] {
  const [facts, others] = [factsOf(folder), factsOf(other)]
  const isSame = (path: string) => {
    const [[kind, size, mode, time], [kindThen, sizeThen, modeThen, timeThen]] = [
      facts.get(path) ?? [],
      others.get(path) ?? [],
    ]
    const isSameTime = Math.abs(Number(time) - Number(timeThen)) < 0.00001
    return kind === kindThen && size === sizeThen && mode === modeThen && isSameTime
  }
  return [...new Set([...facts.keys(), ...others.keys()])].filter((path) => !isSame(path))
}

it('its target equals its source, and under one in a hundred was done twice', async ({ task }) => {
  await using tree = await makeTree({ to: null })
  fill(tree.at('from'))
  const target = tree.at('to/from')
  let id = ''
  let written = 0
  const seen = new Map<string, Set<string>>()
  for (let kill = 1; kill <= KILLS; kill++) {
    await using program = await startProgram(tree)
    // Who has asked is gone at once.
    if (id === '') {
      const admin = await loginAs(program.origin)
      id = (await begin(admin, { kind: 'copy', items: ['/from'], to: '/to' })).id
    }
    const wanted = (totalBytes / (KILLS + 1)) * kill - written
    const isThere = async () => (await writtenBy(program)) >= wanted
    await waitFor(`kill ${kill}`, isThere, WAIT_MS)
    program.process.kill('SIGSTOP')
    written += await writtenBy(program)
    await program.kill()
    for (const [path, ino] of inodesIn(target))
      seen.set(path, (seen.get(path) ?? new Set()).add(ino))
  }
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  const hasEnded = async () => {
    const job = await jobOf(admin, id)
    return job.endedAt === null ? null : job
  }
  const end = await waitFor('the end', hasEnded, WAIT_MS)
  written += await writtenBy(program)
  expect(end).toMatchObject({ state: 'done', filesDone: FOLDERS * FILES + large, errors: [] })
  expect(differencesOf(target, tree.at('from'))).toEqual([])
  expect(execFileSync('diff', ['-rqx.fb-*', tree.at('from'), target], { encoding: 'utf8' })).toBe(
    '',
  )
  const now = inodesIn(target)
  const twice = [...seen].filter(
    ([path, inodes]) => inodes.size > 1 || !inodes.has(`${now.get(path)}`),
  )
  const surplus = written / totalBytes - 1
  const percent = `${(100 * surplus).toFixed(2)} %`
  const figures = { 'files done twice': twice.length, 'written more than the files have': percent }
  Object.assign(task.meta, { figures })
  process.stdout.write(`${twice.length} files were done twice, ${percent} more was written\n`)
  expect(twice.length).toBeLessThan((FOLDERS * FILES) / 100)
  // Of small files the records are a good part.
  if (bytes > 0) expect(surplus).toBeLessThan(0.01)
})
