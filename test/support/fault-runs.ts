// Runs of changes amid faults. Each gives the figures that the report shows, and fails when anything
// that was confirmed is not there, when a file is torn, or when something is left behind.
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import { waitFor } from './deadline.ts'
import { mountFuse } from './fuse-disk.ts'
import { createLedger, type Ledger, SHARED } from './ledger.ts'
import { loginAs, type SignedIn } from './login.ts'
import { mountDisk } from './mounts.ts'
import { openDescriptors, residentBytes } from './process-facts.ts'
import { type Program, runProgram, startProgram } from './program.ts'
import { hasFiles } from './programs.ts'
import { makeTree, type Tree } from './tree.ts'

export type Figures = Record<string, string | number>

const MIB = 1024 ** 2
const WORKERS = 4
const ARGS = ['--loginRateLimit', '0']

/** What was found after a fault, and nothing else: no temporary file, no other name. */
async function settle(tree: Tree, ledger: Ledger): Promise<void> {
  const { bytesLost, filesTorn, words } = await ledger.check()
  expect(words).toEqual([])
  expect({ bytesLost, filesTorn }).toEqual({ bytesLost: 0, filesTorn: 0 })
  {
    await using program = await startProgram(tree, { args: ARGS })
    await checkRecords(program, ledger)
    expect(await ledger.checkLinked()).toEqual([])
  }
  // A server with a short memory sweeps what was begun and never finished, when it starts and ends, once that is a second old.
  await waitFor('the sweep', async () => {
    const program = await startProgram(tree, { args: [...ARGS, '--tusExpiry', '1s'] })
    await program.stop()
    const left = await leftovers(tree)
    if (left.length > 0) throw new Error(`left: ${left.join(', ')}`)
    return true
  })
  expect((await ledger.check()).words).toEqual([])
}

async function leftovers(tree: Tree): Promise<string[]> {
  const served = await readdir(tree.root, { recursive: true })
  const beside = await readdir(tree.base)
  return [
    ...served.filter((name) => name.includes('.fb-tmp-')),
    ...beside.filter((name) => /\.tmp$|\.bak\.|\.staging$/.test(name)),
  ]
}

async function checkRecords(program: Program, ledger: Ledger): Promise<SignedIn> {
  const admin = await loginAs(program.origin)
  const settings = await (await admin.fetch('/api/settings')).json()
  expect([...ledger.titles]).toContain(settings.branding.name)
  const shares: { hash: string; path: string }[] = await (await admin.fetch('/api/shares')).json()
  const kept = new Set(shares.map(({ hash }) => hash))
  expect([...ledger.shares].filter((hash) => !kept.has(hash))).toEqual([])
  return admin
}

/** kill -9 at random moments amid changes of every kind. */
export async function killedAgainAndAgain(operations: number, seed: number): Promise<Figures> {
  await using tree = await makeTree({ near: null, far: null, [SHARED.slice(1)]: 's' })
  await using _ = await mountDisk(tree.at('far'), 64 * MIB)
  const ledger = createLedger(tree, seed)
  let kills = 0
  while (ledger.counts.operations < operations) {
    await using program = await startProgram(tree, { args: ARGS })
    const admin = await checkRecords(program, ledger)
    let isDead = false
    const work = Array.from({ length: WORKERS }, async (_, worker) => {
      while (!isDead) await ledger.change(admin, worker)
    })
    // Any moment will do, a different one each time; counted in changes, as a busy machine makes fewer.
    const until = ledger.counts.operations + 1 + ((kills * 7919 + seed) % 24)
    await waitFor('the changes', () => ledger.counts.operations >= until, 60_000)
    await program.kill()
    isDead = true
    kills++
    await Promise.all(work)
    expect((await ledger.check()).words).toEqual([])
  }
  await settle(tree, ledger)
  return { ...ledger.counts, faults: kills, 'bytes lost': 0, 'files torn': 0 }
}

/** A disk of `sizeBytes` that is full most of the time, with the database on it. */
export async function fullDisk(operations: number, seed: number): Promise<Figures> {
  await using base = await makeTree({})
  const disk = join(base.base, 'disk')
  await using _ = await mountDisk(disk, 3 * MIB)
  const tree = within(base, disk)
  await mkdir(tree.at('near'), { recursive: true })
  await mkdir(tree.at('far'))
  await writeFile(tree.at(SHARED.slice(1)), 's')
  const ledger = createLedger(tree, seed)
  let fills = 0
  {
    await using program = await startProgram(tree, { args: ARGS })
    let admin = await loginAs(program.origin)
    const filling = join(disk, 'filling')
    while (ledger.counts.operations < operations) {
      for (let i = 0; i < 10; i++) await ledger.change(admin, i % WORKERS)
      fills++
      execFileSync('sh', ['-c', 'head -c 8000000 /dev/zero > "$1" || true', 'sh', filling], {
        stdio: 'ignore',
      })
      for (let i = 0; i < 10; i++) await ledger.change(admin, i % WORKERS)
      // People come in on a full disk as well.
      admin = await loginAs(program.origin)
      await writeFile(filling, '')
      expect((await ledger.check()).words).toEqual([])
    }
  }
  await settle(tree, ledger)
  return { ...ledger.counts, faults: fills, 'bytes lost': 0, 'files torn': 0 }
}

function within(tree: Tree, base: string): Tree {
  const root = join(base, 'srv')
  return { ...tree, base, root, at: (name) => join(root, name) }
}

export interface FailingDisk {
  /** From the change on that fails all others fail too. */
  lasting: boolean
  seed: number
  /** Every how many changes one fails; 1 for each. */
  step?: number
  /** Every how many kinds one is tried, from which on. */
  kinds?: { from: number; step: number }
}

/** Each change that a disk is asked for, the database's too, fails, one after the other, by kinds. */
export async function failingDisk(
  errno: 'EIO' | 'ENOSPC' | 'EROFS',
  { lasting, seed, step = 1, kinds = { from: 0, step: 1 } }: FailingDisk,
): Promise<Figures> {
  await using base = await makeTree({})
  const place = join(base.base, 'disk')
  await using disk = await mountFuse(join(base.base, 'source'), place)
  const tree = within(base, place)
  await mkdir(tree.at('near'), { recursive: true })
  // Another disk, which does not fail.
  await using _ = await mountDisk(tree.at('far'), 16 * MIB)
  await writeFile(tree.at(SHARED.slice(1)), 's')
  const ledger = createLedger(tree, seed)
  let [faults, changes] = [0, 0]
  {
    await using program = await startProgram(tree, { args: ARGS })
    let admin = await loginAs(program.origin)
    const idle = await inUse(program)
    const tried = ledger.kinds.filter((_, i) => i % kinds.step === kinds.from)
    for (const { name, prepare, change } of tried) {
      // Until a round has no such change any more: after a failure there are fewer or more of them.
      for (let from = 1; ; from += step) {
        await prepare(admin)
        await disk.obey({ fail: { errno, from, calls: lasting ? 1e9 : 1 } })
        await change(admin)
        const seen = await disk.obey({ fail: null })
        expect((await ledger.check()).words, name).toEqual([])
        expect((await fetch(`${program.origin}/health`)).status).toBe(200)
        await checkDatabase(program, ledger)
        if (seen < from) {
          changes += seen
          break
        }
        faults += lasting ? seen - from + 1 : 1
      }
      admin = await loginAs(program.origin)
    }
    expect(faults).toBeGreaterThanOrEqual(Math.floor(changes / step))
    await expectIdle(program, idle)
  }
  await settle(tree, ledger)
  const kept = { 'bytes lost': 0, 'files torn': 0 }
  return { ...ledger.counts, kinds: ledger.kinds.length, changes, faults, ...kept }
}

/** What was confirmed is in the database on disk. */
async function checkDatabase({ database }: Program, { shares, titles }: Ledger): Promise<void> {
  const text = await readFile(database, 'utf8')
  expect([...shares].filter((hash) => !text.includes(`"${hash}"`))).toEqual([])
  expect([...titles].filter((title) => text.includes(JSON.stringify(title)))).not.toEqual([])
}

interface InUse {
  bytes: number
  descriptors: number
}

async function inUse({ process }: Program): Promise<InUse> {
  const pid = process.pid ?? 0
  return { bytes: await residentBytes(pid), descriptors: await openDescriptors(pid) }
}

/** Descriptors come back to what they were, and so does memory but for what the heap keeps. */
async function expectIdle(program: Program, idle: InUse): Promise<void> {
  await waitFor(
    'the descriptors',
    async () => (await inUse(program)).descriptors < idle.descriptors + 20,
    30_000,
  )
  expect((await inUse(program)).bytes - idle.bytes).toBeLessThan(150 * MIB)
}

/**
 * The database cut off or garbled at each boundary at which a write may have ended. It is refused with
 * words and stays as it is, or opens with all that was confirmed.
 */
export async function damagedDatabase(stepBytes: number): Promise<Figures> {
  await using tree = await makeTree({ near: null, far: null, 'a.txt': 'a' })
  const program = await startProgram(tree, { args: ARGS })
  const admin = await loginAs(program.origin)
  for (let i = 0; i < 40; i++) await admin.fetch('/api/share/a.txt', { method: 'POST', body: '{}' })
  await program.stop()
  const whole = await readFile(program.database)
  const damage: Buffer[] = []
  for (let at = stepBytes; at < whole.length; at += stepBytes) {
    damage.push(whole.subarray(0, at))
    const garbled = Buffer.from(whole)
    garbled.fill(0, at, Math.min(whole.length, at + 512))
    damage.push(garbled)
  }
  let refused = 0
  for (const bytes of damage) {
    await writeFile(program.database, bytes)
    const { code, stderr, stdout } = await runProgram(['users', 'ls', '-d', program.database], {
      cwd: tree.base,
    })
    if (code === 0) expect(stdout).toContain('admin')
    else {
      refused++
      expect(stderr).toMatch(/Error: .*fil/i)
      expect(await readFile(program.database)).toEqual(bytes)
    }
  }
  await writeFile(program.database, whole)
  await using again = await startProgram(tree, { args: ARGS })
  const shares = await (await (await loginAs(again.origin)).fetch('/api/shares')).json()
  expect(shares).toHaveLength(40)
  return { faults: damage.length, refused, opened: damage.length - refused }
}

const SHIFTED_CLOCK = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static long shift(void) {
  static int (*real)(clockid_t, struct timespec *);
  static struct timespec read_at;
  static long seconds;
  struct timespec now;
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  real(CLOCK_MONOTONIC, &now);
  if (now.tv_sec == read_at.tv_sec && now.tv_nsec - read_at.tv_nsec < 50000000) return seconds;
  read_at = now;
  FILE *file = fopen(getenv("SHIFT_FILE"), "r");
  if (file) { if (fscanf(file, "%ld", &seconds) != 1) seconds = 0; fclose(file); }
  return seconds;
}
int clock_gettime(clockid_t id, struct timespec *ts) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(id, ts);
  if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) ts->tv_sec += shift();
  return result;
}
int gettimeofday(struct timeval *restrict tv, void *restrict tz) {
  struct timespec ts;
  clock_gettime(CLOCK_REALTIME, &ts);
  tv->tv_sec = ts.tv_sec;
  tv->tv_usec = ts.tv_nsec / 1000;
  return 0;
}
time_t time(time_t *out) {
  struct timespec ts;
  clock_gettime(CLOCK_REALTIME, &ts);
  if (out) *out = ts.tv_sec;
  return ts.tv_sec;
}
`

/** Setting the clock of one program takes a compiler. */
export const CAN_SHIFT_CLOCK = hasFiles(
  'a clock that is set',
  ['/usr/bin/gcc', '/usr/include/dlfcn.h'],
  'gcc and libc6-dev',
)

/** The clock is set an hour forth and back while changes are made. */
export async function shiftedClock(operations: number, seed: number): Promise<Figures> {
  await using tree = await makeTree({ near: null, far: null, [SHARED.slice(1)]: 's' })
  const library = join(tree.base, 'shift.so')
  await writeFile(join(tree.base, 'shift.c'), SHIFTED_CLOCK)
  const words = ['-shared', '-fPIC', '-O1', '-w', '-o', library, join(tree.base, 'shift.c'), '-ldl']
  execFileSync('gcc', words)
  const file = join(tree.base, 'shift')
  await writeFile(file, '0')
  const ledger = createLedger(tree, seed)
  let sets = 0
  {
    const env = { LD_PRELOAD: library, SHIFT_FILE: file }
    await using program = await startProgram(tree, { args: ARGS, env })
    const admin = await loginAs(program.origin)
    const begun = await admin.fetch('/api/tus/near/begun.bin', {
      method: 'POST',
      headers: { 'Upload-Length': '5' },
    })
    expect(begun.status).toBe(201)
    for (const seconds of [3_600, 0, -3_600, 3_600, -3_600, 0]) {
      await writeFile(file, String(seconds))
      sets++
      await waitFor('the clock', async () => {
        const { headers } = await fetch(`${program.origin}/health`)
        const aheadMs = Date.parse(headers.get('date') ?? '') - Date.now()
        return Math.abs(aheadMs - seconds * 1_000) < 5_000
      })
      for (let i = 0; i < operations / 6; i++) await ledger.change(admin, i % WORKERS)
      // Who was signed in stays so, and who comes gets in.
      expect((await admin.fetch('/api/resources/')).status).toBe(200)
      await loginAs(program.origin)
    }
    const finished = await admin.fetch('/api/tus/near/begun.bin', {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' },
      body: 'whole',
    })
    expect(finished.status).toBe(204)
    expect(ledger.counts.unanswered).toBe(0)
  }
  await settle(tree, ledger)
  return { ...ledger.counts, faults: sets, 'bytes lost': 0, 'files torn': 0 }
}

/** One byte a minute. */
const BYTE_EVERY_MS = 60_000

/**
 * Connections that send a byte a minute and never a whole request, until the server has ended them or
 * for `holdMs`. Memory and descriptors come back to what they were while the server did the same work.
 */
export async function slowConnections(connections: number, holdMs: number): Promise<Figures> {
  await using tree = await makeTree({ near: null, far: null, 'a.txt': 'a' })
  await using program = await startProgram(tree, { args: ARGS })
  const work = async () => {
    const admin = await loginAs(program.origin)
    for (let i = 0; i < 300; i++) expect((await admin.fetch('/api/resources/')).status).toBe(200)
  }
  await work()
  const idle = await inUse(program)
  const head = 'POST /api/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 60\r\n\r\n{'
  const sockets: Socket[] = []
  let ended = 0
  const open = async () => {
    for (let i = 0; i < connections; i++) {
      const socket = connect(program.port, '127.0.0.1')
      // The server may end them; that is one way to bound them.
      socket.on('error', () => {}).on('close', () => ended++)
      socket.resume()
      // Half of them do not get beyond the head.
      socket.write(i % 2 === 0 ? head : head.slice(0, 30))
      sockets.push(socket)
      if (i % 200 === 199) await new Promise((resolve) => socket.once('connect', resolve))
    }
  }
  await open()
  const startedAt = performance.now()
  await work()
  const answersMs = Math.round(performance.now() - startedAt)
  const full = await inUse(program)
  expect(full.bytes - idle.bytes).toBeLessThan(connections * 40_000 + 60 * MIB)
  const sending = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x')
  }, BYTE_EVERY_MS)
  const allEnded = waitFor('the server to end all', () => ended === connections, holdMs)
  const isEnded = await allEnded.then(
    () => true,
    () => false,
  )
  clearInterval(sending)
  const heldMs = Math.round(performance.now() - startedAt)
  const endedByServer = ended
  for (const socket of sockets) socket.destroy()
  const settled = async () => {
    await work()
    await waitFor(
      'the descriptors',
      async () => (await inUse(program)).descriptors < idle.descriptors + 20,
      30_000,
    )
    return inUse(program)
  }
  const after = await settled()
  expect(after.bytes - idle.bytes).toBeLessThan(80 * MIB)
  // What the process keeps it uses again.
  await open()
  for (const socket of sockets) socket.destroy()
  const again = await settled()
  expect(again.bytes - after.bytes).toBeLessThan(20 * MIB)
  return {
    faults: connections,
    'ended by the server': endedByServer,
    'all of them within, s': isEnded ? Math.round(heldMs / 1_000) : 'no',
    '300 answers and a sign-in meanwhile, ms': answersMs,
    'memory meanwhile, MiB': Math.round((full.bytes - idle.bytes) / MIB),
    'memory after, MiB': Math.round((after.bytes - idle.bytes) / MIB),
    'memory after as many again, MiB': Math.round((again.bytes - idle.bytes) / MIB),
    'descriptors after': after.descriptors - idle.descriptors,
  }
}

/** A mount below the served folder stops answering amid changes, and comes back. */
export async function silentMount(rounds: number, seed: number): Promise<Figures> {
  await using tree = await makeTree({ near: null, far: null, [SHARED.slice(1)]: 's' })
  await using disk = await mountFuse(join(tree.base, 'source'), tree.at('far'))
  const ledger = createLedger(tree, seed)
  let slowestMs = 0
  {
    await using program = await startProgram(tree, { args: ARGS })
    const pid = program.process.pid ?? 0
    const admin = await loginAs(program.origin)
    for (let i = 0; i < 20; i++) await ledger.change(admin, i % WORKERS)
    const idle = { bytes: await residentBytes(pid), descriptors: await openDescriptors(pid) }
    for (let round = 0; round < rounds; round++) {
      await disk.obey({ hangs: true })
      const work = Array.from({ length: WORKERS }, (_, worker) => ledger.change(admin, worker))
      for (const path of ['/health', '/api/resources/', '/api/resources/near/']) {
        const startedAt = performance.now()
        expect((await admin.fetch(path)).status).toBe(200)
        slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      }
      await disk.obey({ hangs: false })
      await Promise.all(work)
      await waitFor('the disk', async () => (await admin.fetch('/api/resources/far/')).ok)
      for (let i = 0; i < 5; i++) await ledger.change(admin, i % WORKERS)
      expect((await ledger.check()).words).toEqual([])
    }
    expect(slowestMs).toBeLessThan(2_000)
    await waitFor(
      'the descriptors',
      async () => (await openDescriptors(pid)) < idle.descriptors + 20,
    )
    expect((await residentBytes(pid)) - idle.bytes).toBeLessThan(120 * MIB)
  }
  await settle(tree, ledger)
  return {
    ...ledger.counts,
    faults: rounds,
    'slowest answer of others, ms': Math.round(slowestMs),
    'bytes lost': 0,
    'files torn': 0,
  }
}
