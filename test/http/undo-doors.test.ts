// What WebDAV and jobs change is kept as what the page changes, and undone by one record, and done again by its own.
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import type { HistoryVia } from '../../src/history-types.ts'
import { type DavAsk, davAs } from '../support/dav.ts'
import { history, latest, opened, undo } from '../support/history.ts'
import { runToEnd } from '../support/jobs.ts'
import type { SignedIn } from '../support/login.ts'
import type { Tree } from '../support/tree.ts'
import { zipOf } from '../support/zips.ts'

const PACKED = zipOf([{ name: 'a.txt', content: 'unpacked' }])
const TREE = {
  'a.zip': PACKED,
  'a.txt': 'a',
  'b.txt': 'b',
  'folder/c.txt': 'c',
  'other/d.txt': 'd',
  'to/a.txt': 'old',
  'to/folder/c.txt': 'old',
}

/** All that users see: folders, and files with content, permission bits and time in milliseconds. */
async function contentOf({ root }: Tree): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(root.length)
    if (path.startsWith('/.fb-')) continue
    if (entry.isDirectory()) found[path] = 'folder'
    else {
      const { mode, mtimeMs } = await stat(root + path)
      const facts = [
        await readFile(root + path, 'utf8'),
        (mode & 0o777).toString(8),
        Math.trunc(mtimeMs),
      ]
      found[path] = facts.join(' ')
    }
  }
  return found
}

async function comesAndGoes(
  via: HistoryVia,
  act: (dav: DavAsk, bob: SignedIn) => Promise<unknown>,
) {
  const { app, bob } = await opened(TREE, { config: { trash: 'all' } })
  await using _ = app
  const before = await contentOf(app.tree)
  await act(await davAs(app, 2), bob)
  const after = await contentOf(app.tree)
  expect(after).not.toEqual(before)
  expect((await history(bob)).items).toMatchObject([{ via, undo: 'yes' }])
  expect(await undo(bob, (await latest(bob)).id)).toMatchObject({ status: 200, kept: [] })
  expect(await contentOf(app.tree)).toEqual(before)
  expect(await undo(bob, (await latest(bob)).id)).toMatchObject({ status: 200, kept: [] })
  expect(await contentOf(app.tree)).toEqual(after)
}

describe('WebDAV', () => {
  const to = (path: string) => ({ Destination: `/dav/${path}` })
  it.each<[string, (dav: DavAsk) => Promise<unknown>]>([
    ['a new file', (dav) => dav('PUT', '/dav/new.txt', {}, 'new')],
    ['a file that is replaced', (dav) => dav('PUT', '/dav/a.txt', {}, 'new')],
    ['a new folder', (dav) => dav('MKCOL', '/dav/new')],
    ['a file that is deleted', (dav) => dav('DELETE', '/dav/a.txt')],
    ['a folder that is deleted', (dav) => dav('DELETE', '/dav/folder')],
    ['a file that is moved', (dav) => dav('MOVE', '/dav/a.txt', to('folder/new.txt'))],
    ['a file that is moved onto another', (dav) => dav('MOVE', '/dav/a.txt', to('b.txt'))],
    ['a file that is moved onto a folder', (dav) => dav('MOVE', '/dav/a.txt', to('folder'))],
    ['a folder that is moved', (dav) => dav('MOVE', '/dav/folder', to('other/new'))],
    ['a folder that is moved onto another', (dav) => dav('MOVE', '/dav/folder', to('other'))],
    ['a file that is copied', (dav) => dav('COPY', '/dav/a.txt', to('new.txt'))],
    ['a file that is copied onto another', (dav) => dav('COPY', '/dav/a.txt', to('b.txt'))],
    ['a folder that is copied', (dav) => dav('COPY', '/dav/folder', to('new'))],
    ['a folder that is copied onto another', (dav) => dav('COPY', '/dav/folder', to('other'))],
    ['a folder that is copied onto a file', (dav) => dav('COPY', '/dav/folder', to('a.txt'))],
  ])('%s', (_, act) => comesAndGoes('dav', act))
})

test('what a request of WebDAV has put in the place of a folder is one record, of what it has put there', async () => {
  const { app, bob } = await opened(TREE, { config: { trash: 'all' } })
  await using _ = app
  await (await davAs(app, 2))('MOVE', '/dav/folder', { Destination: '/dav/other' })
  expect((await history(bob)).items).toMatchObject([
    { kind: 'move', path: '/folder', to: '/other', files: 1 },
  ])
})

describe('a job', () => {
  const into = { to: '/to', conflict: 'replace' }
  it.each<[string, object]>([
    ['copies over what is there', { kind: 'copy', items: ['/a.txt', '/folder'], ...into }],
    ['moves over what is there', { kind: 'move', items: ['/a.txt', '/folder'], ...into }],
    ['deletes', { kind: 'delete', items: ['/a.txt', '/folder'] }],
    ['makes an archive', { kind: 'compress', items: ['/a.txt', '/folder'], to: '/to' }],
    ['unpacks over what is there', { kind: 'extract', items: ['/a.zip'], ...into }],
    ['sets permission bits', { kind: 'mode', items: ['/a.txt'], mode: '600' }],
  ])('%s', (_, body) => comesAndGoes('job', (_dav, bob) => runToEnd(bob, body)))
})
