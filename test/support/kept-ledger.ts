// Changes of which nothing may be lost: deletions, restores, replacements, undos and sweeps, over HTTP. Every content is
// there once, so that it can be told where each has gone.
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { parseInfo } from '../../src/keep/trash-info.ts'
import type { TrashItem } from '../../src/keep-types.ts'
import type { SignedIn } from './login.ts'
import { keepInTrash } from './trash.ts'
import type { Tree } from './tree.ts'

const MAX_BYTES = 3_000
const FILES = 5
const IN_FOLDER = ['a.bin', 'b.bin', 'deep/c.bin']
/** The folder of what sweeps take, a disk of its own. */
export const SWEPT = 'swept'
export const SWEPT_DISK_BYTES = 4 * 2 ** 20
const SWEPT_BYTES = 1_200_000
const HOUR_MS = 3_600_000

export interface KeptLedger {
  counts: Record<string, number>
  /** Requests without an answer yet. */
  waiting: Set<string>
  /** Makes one change that is drawn, by a worker with a folder of its own; never rejects. */
  change(user: SignedIn, worker: number): Promise<void>
  /** What is wrong on the disk: contents that are gone or twice there, torn folders, entries without their place. */
  check(): Promise<string[]>
  /** What the server says against the disk. */
  checkListed(user: SignedIn): Promise<string[]>
  /** Brings back all that is in the trash; what fails. */
  restoreAll(user: SignedIn): Promise<string[]>
}

interface Worker {
  /** Paths of files and folders that were there last. */
  files: string[]
  folders: string[]
  /** Names of what it has done, for Undo. */
  operations: string[]
}

/** Draws the same changes for the same seed, as far as the server's answers are the same. */
export function createKeptLedger(tree: Tree, seed: number): KeptLedger {
  const counts: Record<string, number> = { changes: 0, confirmed: 0, refused: 0, unanswered: 0 }
  const waiting = new Set<string>()
  /** Of what was confirmed and never removed for good. */
  const contents = new Map<string, string>()
  /** Hashes of what a folder holds, in the order of IN_FOLDER. */
  const folders = new Map<string, string[]>()
  const workers = new Map<number, Worker>()
  let [random, last] = [seed, 0]
  const draw = (below: number) => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((random / 2 ** 32) * below)
  }
  const pick = <T>(list: readonly T[]) => list[draw(list.length)]

  const send = async (user: SignedIn, path: string, init: RequestInit, operation?: string) => {
    counts.changes = (counts.changes ?? 0) + 1
    const headers = operation ? { 'X-Operation': operation } : {}
    const request = `${counts.changes} ${init.method ?? 'GET'} ${path}`
    waiting.add(request)
    const answer = await user.fetch(path, { headers, ...init }).catch(() => null)
    const bytes = await answer?.arrayBuffer().catch(() => null)
    waiting.delete(request)
    const outcome = !bytes ? 'unanswered' : answer?.ok ? 'confirmed' : 'refused'
    counts[outcome] = (counts[outcome] ?? 0) + 1
    return outcome === 'confirmed' && bytes ? Buffer.from(bytes).toString() : null
  }
  const write = async (
    user: SignedIn,
    path: string,
    method: 'POST' | 'PUT',
    operation?: string,
  ) => {
    const bytes = randomBytes(1 + draw(MAX_BYTES))
    const query = method === 'POST' ? '?override=true' : ''
    const done = await send(
      user,
      `/api/resources${path}${query}`,
      { method, body: bytes },
      operation,
    )
    if (done === null) return null
    const hash = sha256(bytes)
    contents.set(hash, path)
    return hash
  }
  const nextOperation = (worker: Worker) => {
    const name = `kept-run-${seed}-${++last}`
    worker.operations.push(name)
    return name
  }
  const addFolder = async (user: SignedIn, worker: Worker, path: string) => {
    const hashes: string[] = []
    for (const name of IN_FOLDER) {
      const hash = await write(user, `${path}/${name}`, 'POST')
      if (hash === null) return
      hashes.push(hash)
    }
    folders.set(path, hashes)
    worker.folders.push(path)
  }
  const remove = async (user: SignedIn, worker: Worker, list: string[]) => {
    const path = pick(list)
    if (path === undefined) return
    list.splice(list.indexOf(path), 1)
    await send(user, `/api/resources${path}`, { method: 'DELETE' }, nextOperation(worker))
  }
  const move = async (user: SignedIn, worker: Worker, list: string[], to: string) => {
    const path = pick(list)
    if (path === undefined) return
    list.splice(list.indexOf(path), 1, to)
    const query = `action=rename&destination=${encodeURIComponent(to)}`
    const address = `/api/resources${path}?${query}`
    await send(user, address, { method: 'PATCH' }, nextOperation(worker))
  }
  const itemsOf = async (user: SignedIn, path: string): Promise<TrashItem[]> => {
    const answer = await send(user, `/api/trash?path=${path}&limit=1000`, {})
    return answer === null ? [] : JSON.parse(answer).items
  }
  const restore = async (user: SignedIn, worker: Worker, top: string) => {
    const ids = (await itemsOf(user, top)).slice(0, 1 + draw(3)).map(({ id }) => id)
    const body = JSON.stringify({ ids, conflict: 'rename' })
    const answer = await send(user, '/api/trash/restore', { method: 'POST', body })
    for (const { path } of answer ? JSON.parse(answer).restored : [])
      (basename(path).startsWith('d') ? worker.folders : worker.files).push(path)
  }
  const erase = async (user: SignedIn) => {
    const path = `/${SWEPT}/junk-${++last}`
    await send(user, `/api/resources${path}/x.bin`, {
      method: 'POST',
      body: randomBytes(MAX_BYTES),
    })
    await send(user, `/api/resources${path}`, { method: 'DELETE' })
    const [item] = await itemsOf(user, path)
    if (item) await send(user, `/api/trash/${item.id}`, { method: 'DELETE' })
  }
  // What was deleted an hour ago leaves for a file that would not fit otherwise.
  const sweep = async (user: SignedIn) => {
    const id = randomBytes(16).toString('hex')
    const deletedAt = Date.now() - HOUR_MS
    const old = 'x'.repeat(SWEPT_BYTES)
    await keepInTrash(tree.at(SWEPT), `${id}.bin`, old, { id, deletedAt }).catch(() => {})
    const body = new Uint8Array(2 * SWEPT_BYTES)
    const path = `/api/resources/${SWEPT}/large.bin`
    await send(user, `${path}?override=true`, { method: 'POST', body })
    await send(user, `${path}?trash=false`, { method: 'DELETE' })
  }

  return {
    counts,
    waiting,
    change: async (user, n) => {
      const top = `/w${n}`
      const worker = workers.get(n) ?? { files: [], folders: [], operations: [] }
      workers.set(n, worker)
      const addFile = async () => {
        const path = `${top}/f${++last}.bin`
        if ((await write(user, path, 'POST', nextOperation(worker))) !== null)
          worker.files.push(path)
      }
      const replace = async () => {
        const path = pick(worker.files)
        if (path)
          await write(user, path, pick(['POST', 'PUT'] as const) ?? 'PUT', nextOperation(worker))
      }
      const undo = async () => {
        const name = worker.operations.pop()
        if (name) await send(user, `/api/history/${name}/undo`, { method: 'POST' })
      }
      if (worker.files.length < FILES) return addFile()
      const kinds = [
        replace,
        replace,
        () => remove(user, worker, worker.files),
        () => remove(user, worker, worker.folders),
        () => addFolder(user, worker, `${top}/d${++last}`),
        () => move(user, worker, worker.files, `${top}/f${++last}.bin`),
        () => move(user, worker, worker.folders, `${top}/d${++last}`),
        () => restore(user, worker, top),
        undo,
        undo,
        () => (n === 0 ? sweep(user) : erase(user)),
      ]
      await kinds[draw(kinds.length)]?.()
    },
    check: async () => {
      const found = await locate(tree)
      const words: string[] = []
      for (const [hash, path] of contents) {
        const places = found.get(hash) ?? []
        if (places.length === 0) words.push(`what was at ${path} is nowhere`)
        // A move that was interrupted may leave both names of one file.
        const files = places.filter(({ path: place }) => !place.startsWith('.fb-versions'))
        if (new Set(files.map(({ ino }) => ino)).size > 1)
          words.push(`what was at ${path} is twice there: ${files.map((file) => file.path)}`)
      }
      for (const [path, hashes] of folders) {
        const at = new Set(hashes.map((hash, i) => homeOf(found.get(hash), IN_FOLDER[i] as string)))
        if (at.size > 1) words.push(`${path} is torn: ${[...at].join()}`)
      }
      const { names, infos } = await readStore(tree.root)
      for (const name of names) if (!infos.has(name)) words.push(`${name} has no known place`)
      return words
    },
    checkListed: async (user) => {
      const items = (await itemsOf(user, '/')).filter(({ path }) => !path.startsWith(`/${SWEPT}/`))
      // Being asked, the server has let go of what had been brought back.
      const { names, infos } = await readStore(tree.root)
      const onDisk = names.map((name) => `${name.slice(0, 32)} /${infos.get(name)}`).sort()
      const listed = items.map(({ id, path }) => `${id} ${path}`).sort()
      return listed.join() === onDisk.join() ? [] : [`listed: ${listed}`, `there: ${onDisk}`]
    },
    restoreAll: async (user) => {
      const items = (await itemsOf(user, '/')).filter(({ path }) => !path.startsWith(`/${SWEPT}/`))
      const body = JSON.stringify({ ids: items.map(({ id }) => id), conflict: 'rename' })
      const answer = await send(user, '/api/trash/restore', { method: 'POST', body })
      return JSON.parse(answer ?? '{"failed":["no answer"]}').failed.map(JSON.stringify)
    },
  }
}

interface Place {
  path: string
  ino: bigint
}

/** All that is there, by the hash of what it holds. */
async function locate({ root, at }: Tree): Promise<Map<string, Place[]>> {
  const found = new Map<string, Place[]>()
  const add = async (folder: string): Promise<void> => {
    for (const entry of await readdir(at(folder), { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.name.startsWith('.fb-tmp-') || path === SWEPT) continue
      if (entry.isDirectory()) await add(path)
      else {
        const hash = sha256(await readFile(join(root, path)))
        const { ino } = await stat(join(root, path), { bigint: true })
        found.set(hash, [...(found.get(hash) ?? []), { path, ino }])
      }
    }
  }
  await add('')
  return found
}

/** The folder in which a part of a folder of several files is, by the path of the part. */
function homeOf(places: readonly Place[] | undefined, name: string): string {
  const place = places?.find(({ path }) => path.endsWith(sep + name))?.path ?? ''
  return name.includes('/') ? dirname(dirname(place)) : dirname(place)
}

/** Names in the trash at the top, and where each was. */
async function readStore(root: string) {
  const store = join(root, '.fb-trash')
  const names = await readdir(join(store, 'files')).catch(() => [])
  const infos = new Map<string, string>()
  for (const name of names) {
    const info = await readFile(join(store, 'info', `${name}.trashinfo`)).catch(() => null)
    const path = info && parseInfo(info)?.path
    if (path) infos.set(name, path.toString())
  }
  return { names, infos }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
