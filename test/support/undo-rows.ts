// Each kind of change that Undo takes back, and what another program does to it afterwards.
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { loginAs, type SignedIn } from './login.ts'
import { startProgram } from './program.ts'
import { makeTree, type Tree } from './tree.ts'

const CONTENT = { 'a.txt': 'a', 'b.txt': 'b', 'd/c.txt': 'c' }
const CHANGED = 'by another program'

interface Row {
  /** What is asked for in a folder with CONTENT, and below which path. */
  ask: (folder: string) => [path: string, init: RequestInit]
  /** What another program does afterwards, by the host path of the folder. */
  change: (at: string) => Promise<unknown>
}

const patch = (path: string, query: string): [string, RequestInit] => [
  `${path}?${query}`,
  { method: 'PATCH' },
]
const to = (action: string, folder: string, name: string) =>
  `action=${action}&override=true&destination=${folder}/${name}`
const writeTo = (name: string) => (at: string) => writeFile(join(at, name), CHANGED)

const ROWS: Record<string, Row> = {
  'a deleted file': {
    ask: (folder) => [`${folder}/a.txt`, { method: 'DELETE' }],
    change: writeTo('a.txt'),
  },
  'a deleted folder': {
    ask: (folder) => [`${folder}/d`, { method: 'DELETE' }],
    change: writeTo('d'),
  },
  'a save': {
    ask: (folder) => [`${folder}/a.txt`, { method: 'PUT', body: 'new' }],
    change: writeTo('a.txt'),
  },
  'an upload that replaces': {
    ask: (folder) => [`${folder}/a.txt?override=true`, { method: 'POST', body: 'new' }],
    change: writeTo('a.txt'),
  },
  'a new upload': {
    ask: (folder) => [`${folder}/new.txt`, { method: 'POST', body: 'new' }],
    change: writeTo('new.txt'),
  },
  'a new folder': {
    ask: (folder) => [`${folder}/new/`, { method: 'POST' }],
    change: writeTo('new/in.txt'),
  },
  'a copy': {
    ask: (folder) => patch(`${folder}/a.txt`, to('copy', folder, 'new.txt')),
    change: writeTo('new.txt'),
  },
  'a copy that replaces': {
    ask: (folder) => patch(`${folder}/a.txt`, to('copy', folder, 'b.txt')),
    change: writeTo('b.txt'),
  },
  'a move': {
    ask: (folder) => patch(`${folder}/a.txt`, to('rename', folder, 'd/new.txt')),
    change: writeTo('d/new.txt'),
  },
  'a move that replaces': {
    ask: (folder) => patch(`${folder}/a.txt`, to('rename', folder, 'b.txt')),
    change: writeTo('b.txt'),
  },
  'a renamed folder': {
    ask: (folder) => patch(`${folder}/d`, to('rename', folder, 'e')),
    change: (at) => mkdir(join(at, 'd')),
  },
  'permission bits': {
    ask: (folder) => patch(`${folder}/a.txt`, 'action=mode&mode=600'),
    change: (at) => chmod(join(at, 'a.txt'), 0o644),
  },
}
export const CHANGES = Object.keys(ROWS)

/** All below a folder: folders, and files with content and permission bits. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1)
    if (entry.isDirectory()) found[name] = 'folder'
    else {
      const { mode } = await stat(path)
      found[name] = `${await readFile(path, 'utf8')} ${(mode & 0o777).toString(8)}`
    }
  }
  return found
}

/** What all changes were made of below `mine`, and what another program has changed since below `theirs`. */
export interface ChangedTree extends AsyncDisposable {
  tree: Tree
  /** The content of the folders below one of these, by the kind of change. */
  contents(top: 'mine' | 'theirs'): Promise<unknown[]>
  /** Of the folders below `mine`. */
  before: unknown[]
  after: unknown[]
  /** Of the folders below `theirs`. */
  changed: unknown[]
}

/** Makes every change by a server that has ended: `operation-<top>-<number>` in the folder `<top>/<number>`. */
export async function makeChanges(): Promise<ChangedTree> {
  const tops = ['mine', 'theirs']
  const folders = tops.flatMap((top) => CHANGES.map((_, i) => `${top}/${i}`))
  const files = folders.flatMap((folder) =>
    Object.entries(CONTENT).map(([name, text]) => [`${folder}/${name}`, text]),
  )
  const tree = await makeTree(Object.fromEntries(files))
  const contents = (top: string) =>
    Promise.all(CHANGES.map(async (name, i) => [name, await contentOf(tree.at(`${top}/${i}`))]))
  const before = await contents('mine')
  await withServer(tree, async (admin) => {
    for (const top of tops)
      for (const [i, row] of Object.values(ROWS).entries()) {
        const [path, init] = row.ask(`/${top}/${i}`)
        const headers = { 'X-Operation': `operation-${top}-${i}` }
        const answer = await admin.fetch(`/api/resources${path}`, { ...init, headers })
        expect([CHANGES[i], answer.ok]).toEqual([CHANGES[i], true])
      }
  })
  const after = await contents('mine')
  for (const [i, { change }] of Object.values(ROWS).entries()) await change(tree.at(`theirs/${i}`))
  const changed = await contents('theirs')
  const end = () => tree[Symbol.asyncDispose]()
  return { tree, contents, before, after, changed, [Symbol.asyncDispose]: end }
}

/** Works with a server of a tree, which ends then. */
export async function withServer<T>(tree: Tree, work: (admin: SignedIn) => Promise<T>): Promise<T> {
  await using program = await startProgram(tree)
  return await work(await loginAs(program.origin))
}
