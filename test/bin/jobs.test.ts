// The program is killed amid a copy: the next start goes on with it, and does almost nothing twice.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { begin, endOf, jobOf, listOf } from '../support/jobs.ts'
import { loginAs } from '../support/login.ts'
import { SAMPLES } from '../support/pictures.ts'
import { ADMIN, startProgram } from '../support/program.ts'
import { needProgram } from '../support/programs.ts'
import { giveBytes, openRemote } from '../support/remote-server.ts'
import { makeTree } from '../support/tree.ts'

const FOLDERS = 15
const FILES = 100
const contentOf = (folder: number, file: number) => `${folder}/${file} `.repeat(200)

/** Inodes of all files below a folder. */
async function inodesIn(folder: string): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('.fb-')) continue
    const path = join(entry.parentPath, entry.name)
    found.set(path, (await stat(path)).ino)
  }
  return found
}

it('a copy of 1,500 files goes on after each of two kills, and under one in a hundred is done twice', async () => {
  const content = Object.fromEntries(
    Array.from({ length: FOLDERS * FILES }, (_, i) => {
      const [folder, file] = [Math.floor(i / FILES), i % FILES]
      return [`from/${folder}/${file}.txt`, contentOf(folder, file)]
    }),
  )
  await using tree = await makeTree({ ...content, to: null })
  const target = tree.at('to/from')
  const seen: Map<string, number>[] = []
  let id = ''
  for (const files of [200, 800]) {
    await using program = await startProgram(tree)
    const admin = await loginAs(program.origin)
    if (id === '') id = (await begin(admin, { kind: 'copy', items: ['/from'], to: '/to' })).id
    await waitFor(`${files} files`, async () => (await jobOf(admin, id)).filesDone >= files)
    await program.kill()
    seen.push(await inodesIn(target))
  }
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  expect(await endOf(admin, id)).toMatchObject({ state: 'done', filesDone: 1_500, errors: [] })
  expect((await listOf(admin)).map((job) => job.id)).toEqual([id])
  const now = await inodesIn(target)
  expect(now.size).toBe(FOLDERS * FILES)
  for (let folder = 0; folder < FOLDERS; folder++)
    for (let file = 0; file < FILES; file++)
      expect(await readFile(join(target, `${folder}/${file}.txt`), 'utf8')).toBe(
        contentOf(folder, file),
      )
  const twice = seen.flatMap((then) => [...then].filter(([path, ino]) => now.get(path) !== ino))
  expect(twice.length).toBeLessThan(15)
  // At least the first kill came before the end.
  expect(seen[0]?.size).toBeLessThan(FOLDERS * FILES)
})

it('a move to another disk goes on after a kill, and each file is whole on one side at least', async () => {
  const content = Object.fromEntries(
    Array.from({ length: 4 * FILES }, (_, i) => [`from/${i % 4}/${i}.txt`, contentOf(0, i)]),
  )
  await using tree = await makeTree(content)
  const photos = join(tree.base, 'photos')
  await mkdir(photos)
  const args = ['--roots', `photos=${photos}`]
  const read = (path: string) => readFile(path, 'utf8').catch(() => null)
  const sides = async (i: number) => [
    await read(tree.at(`from/${i % 4}/${i}.txt`)),
    await read(join(photos, `from/${i % 4}/${i}.txt`)),
  ]
  let id = ''
  {
    await using program = await startProgram(tree, { args })
    const admin = await loginAs(program.origin)
    const grants = [{ who: 'everyone', see: true, download: true, create: true }]
    const { password } = ADMIN
    const folder = { place: 'photos:/', as: 'photos', grants, current_password: password }
    const told = await admin.fetch('/api/folders', { method: 'PUT', body: JSON.stringify(folder) })
    expect(told.status).toBe(200)
    id = (await begin(admin, { kind: 'move', items: ['/from'], to: '/photos' })).id
    await waitFor('some files', async () => (await jobOf(admin, id)).filesDone >= 100)
    await program.kill()
  }
  for (let i = 0; i < 4 * FILES; i++) {
    const found = (await sides(i)).filter((text) => text !== null)
    expect(new Set(found)).toEqual(new Set([contentOf(0, i)]))
  }
  await using program = await startProgram(tree, { args })
  const admin = await loginAs(program.origin)
  expect(await endOf(admin, id)).toMatchObject({ state: 'done', errors: [] })
  for (let i = 0; i < 4 * FILES; i++) expect(await sides(i)).toEqual([null, contentOf(0, i)])
  expect(await readdir(tree.root)).not.toContain('from')
})

it('a copy by PATCH that takes a while goes on after a kill', async () => {
  const content = Object.fromEntries(
    Array.from({ length: 20 * FILES }, (_, i) => [`from/${i}.txt`, contentOf(0, i)]),
  )
  await using tree = await makeTree({ ...content, to: null })
  let id = ''
  {
    await using program = await startProgram(tree)
    const admin = await loginAs(program.origin)
    const path = '/api/resources/from?action=copy&destination=%2Fto%2Fcopy'
    admin.fetch(path, { method: 'PATCH' }).catch(() => {})
    const job = await waitFor('the job', async () => (await listOf(admin))[0] ?? null)
    id = job.id
    await program.kill()
  }
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  expect(await endOf(admin, id)).toMatchObject({ state: 'done' })
  const copied = await readdir(tree.at('to/copy'))
  expect(copied.filter((name) => !name.startsWith('.fb-tmp-'))).toHaveLength(20 * FILES)
})

it('a fetch that is killed soon after its begin asks for the rest', async () => {
  const bytes = randomBytes(6_000_000)
  let isHeld = true
  await using remote = await openRemote((request, response) => {
    if (!isHeld) return giveBytes(request, response, { bytes })
    response.writeHead(200, { ETag: '"a"', 'Content-Length': bytes.length })
    let sent = 0
    const timer = setInterval(() => {
      response.write(bytes.subarray(sent, sent + 50_000))
      sent += 50_000
    }, 100)
    response.once('close', () => clearInterval(timer))
  })
  await using tree = await makeTree({ to: null })
  const args = ['--fetchFrom', remote.host]
  const url = `${remote.origin}/a.bin`
  let id = ''
  {
    await using program = await startProgram(tree, { args })
    const admin = await loginAs(program.origin)
    id = (await begin(admin, { kind: 'fetch', url, to: '/to' })).id
    const manifest = `${program.database}.jobs/${id}.manifest`
    const isSafe = async () => /"safeBytes":[1-9]/.test(await readFile(manifest, 'utf8'))
    await waitFor('a part that is safe', isSafe)
    await program.kill()
  }
  isHeld = false
  await using program = await startProgram(tree, { args })
  const admin = await loginAs(program.origin)
  expect(await endOf(admin, id)).toMatchObject({ state: 'done', bytesDone: bytes.length })
  expect(remote.asked.at(-1)?.range).toMatch(/^bytes=[1-9]\d*-$/)
  expect((await readFile(tree.at('to/a.bin'))).equals(bytes)).toBe(true)
})

it('a stop waits neither for who listens nor for who waits for an end, and the next start goes on', async () => {
  const content = Object.fromEntries(
    Array.from({ length: 10 * FILES }, (_, i) => [`from/${i}.txt`, contentOf(0, i)]),
  )
  await using tree = await makeTree({ ...content, to: null })
  let id = ''
  {
    await using program = await startProgram(tree)
    const admin = await loginAs(program.origin)
    const stream = await admin.fetch('/api/events')
    id = (await begin(admin, { kind: 'copy', items: ['/from'], to: '/to' })).id
    const told = admin.fetch(`/api/jobs/${id}?wait=30`)
    await waitFor('some files', async () => (await jobOf(admin, id)).filesDone >= 100)
    expect(await program.stop()).toBe(0)
    expect((await told).status).toBe(200)
    expect(await stream.text()).toContain('retry: ')
  }
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  expect(await endOf(admin, id)).toMatchObject({ state: 'done', filesDone: 1_000 })
})

it('an archive that is being unpacked at a kill is read again, and what had come stays', async () => {
  const FILES = 2_000
  const content = Object.fromEntries(
    Array.from({ length: FILES }, (_, i) => [`from/${i % 20}/${i}.txt`, contentOf(0, i)]),
  )
  await using tree = await makeTree(content)
  execFileSync('tar', ['-czf', 'x.tar.gz', 'from'], { cwd: tree.root })
  let id = ''
  let seen = new Map<string, number>()
  {
    await using program = await startProgram(tree)
    const admin = await loginAs(program.origin)
    id = (await begin(admin, { kind: 'extract', items: ['/x.tar.gz'] })).id
    await waitFor('some files', async () => (await jobOf(admin, id)).filesDone >= 200)
    await program.kill()
    seen = await inodesIn(tree.at('x'))
  }
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  expect(await endOf(admin, id)).toMatchObject({ state: 'done', errors: [] })
  const now = await inodesIn(tree.at('x'))
  expect(now.size).toBe(FILES)
  expect([...seen].filter(([path, ino]) => now.get(path) !== ino)).toEqual([])
  expect(seen.size).toBeLessThan(FILES)
  for (let i = 0; i < FILES; i += 7)
    expect(await readFile(tree.at(`x/from/${i % 20}/${i}.txt`), 'utf8')).toBe(contentOf(0, i))
})

it('what needs a password waits for it after a kill, which is nowhere on the disk', async () => {
  needProgram('zip')
  await using tree = await makeTree({ 'a.txt': 'a', 'b.txt': 'b' })
  execFileSync('zip', ['-qP', 'Blue-Kettle', 'x.zip', 'a.txt', 'b.txt'], { cwd: tree.root })
  let id = ''
  {
    await using program = await startProgram(tree)
    const admin = await loginAs(program.origin)
    const first = await begin(admin, { kind: 'extract', items: ['/x.zip'], password: 'other' })
    await endOf(admin, first.id)
    // It is begun anew with the right one, and ends before or after the kill.
    const retry = { method: 'POST', body: '{"password":"other still"}' }
    expect((await admin.fetch(`/api/jobs/${first.id}/retry`, retry)).status).toBe(200)
    id = first.id
    await program.kill()
  }
  const file = `${tree.base}/filebrowser.db.jobs/${id}.json`
  expect(await readFile(file, 'utf8')).not.toContain('other')
  const record = JSON.parse(await readFile(file, 'utf8')) as object
  await writeFile(file, JSON.stringify({ ...record, state: 'running', endedMs: null }))
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  expect((await jobOf(admin, id)).state).toBe('waiting')
  expect((await admin.fetch(`/api/jobs/${id}/resume`, { method: 'POST' })).status).toBe(400)
  const body = '{"password":"Blue-Kettle"}'
  expect((await admin.fetch(`/api/jobs/${id}/resume`, { method: 'POST', body })).status).toBe(200)
  expect(await endOf(admin, id)).toMatchObject({ state: 'done', errors: [], filesDone: 2 })
})

it('the executable has what reads a 7z', async () => {
  await using tree = await makeTree({})
  await copyFile(join(SAMPLES, 'pack.7z'), tree.at('x.7z'))
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  const { id } = await begin(admin, { kind: 'extract', items: ['/x.7z'] })
  expect((await endOf(admin, id)).errors).toEqual([])
  expect(await readdir(tree.at('x'))).toContain('umlaut-ä.txt')
})
