// Undo after a restart: each kind of change is taken back, done again, and left alone where somebody has changed it since.
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loginAs, type SignedIn } from '../support/login.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

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
const NAMES = Object.keys(ROWS)

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

it('takes back each kind of change, does it again, and leaves what others have changed', async () => {
  const folders = ['mine', 'theirs']
  await using tree = await makeTree(
    Object.fromEntries(
      folders.flatMap((top) =>
        NAMES.flatMap((_, i) =>
          Object.entries(CONTENT).map(([name, text]) => [`${top}/${i}/${name}`, text]),
        ),
      ),
    ),
  )
  const contents = (top: string) =>
    Promise.all(NAMES.map(async (name, i) => [name, await contentOf(tree.at(`${top}/${i}`))]))
  const withServer = async <T>(work: (admin: SignedIn) => Promise<T>): Promise<T> => {
    await using program = await startProgram(tree)
    return await work(await loginAs(program.origin))
  }
  const undo = (admin: SignedIn, operation: string, as: string) =>
    admin.fetch(`/api/history/${operation}/undo`, {
      method: 'POST',
      headers: { 'X-Operation': as },
    })
  const before = await contents('mine')
  await withServer(async (admin) => {
    for (const top of folders)
      for (const [i, row] of Object.values(ROWS).entries()) {
        const [path, init] = row.ask(`/${top}/${i}`)
        const headers = { 'X-Operation': `operation-${top}-${i}` }
        const answer = await admin.fetch(`/api/resources${path}`, { ...init, headers })
        expect([NAMES[i], answer.ok]).toEqual([NAMES[i], true])
      }
  })
  const after = await contents('mine')
  for (const [i, { change }] of Object.values(ROWS).entries()) await change(tree.at(`theirs/${i}`))
  const changed = await contents('theirs')
  await withServer(async (admin) => {
    for (const [i, name] of NAMES.entries()) {
      const mine = await undo(admin, `operation-mine-${i}`, `undo-mine-${i}`)
      expect([name, mine.status, await mine.json()]).toMatchObject([name, 200, { kept: [] }])
      const theirs = await undo(admin, `operation-theirs-${i}`, `undo-theirs-${i}`)
      expect([name, theirs.status]).toEqual([name, 409])
      expect(await theirs.text()).toContain(`/theirs/${i}/`)
    }
  })
  expect(await contents('mine')).toEqual(before)
  expect(await contents('theirs')).toEqual(changed)
  await withServer(async (admin) => {
    for (const [i, name] of NAMES.entries()) {
      const again = await undo(admin, `undo-mine-${i}`, `again-mine-${i}`)
      expect([name, again.status, await again.json()]).toMatchObject([name, 200, { kept: [] }])
    }
  })
  expect(await contents('mine')).toEqual(after)
})
