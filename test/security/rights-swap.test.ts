// A folder exchanged at high speed for a link to one with other rights (CWE-367): by WebDAV and jobs nobody reads,
// learns or changes anything behind the link, in a home and in a further root.
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { GrantRecord } from '../../src/access-types.ts'
import type { PlaceText } from '../../src/lib/places.ts'
import { setFolder } from '../../src/store/access/folders.ts'
import { openApp } from '../support/app.ts'
import { davAs, LOCK_INFO } from '../support/dav.ts'
import { CAN_SWAP, keepExchanging } from '../support/swapper.ts'
import { makeTree } from '../support/tree.ts'

const TREE = {
  'door/f.txt': 'inside bytes',
  'door/sub/f.txt': 'inside bytes',
  'door/l.txt': 'inside bytes',
  'closed/f.txt': 'SECRET BYTES',
  'closed/sub/f.txt': 'SECRET BYTES',
  'closed/l.txt': 'SECRET BYTES',
  'closed/SECRET/f.txt': 'SECRET BYTES',
}
const ROUNDS = 15
const APPEND = {
  'X-Update-Range': 'append',
  'Content-Type': 'application/x-sabredav-partialupdate',
}
const NOTE =
  '<propertyupdate xmlns="DAV:"><set><prop><x xmlns="urn:x">1</x></prop></set></propertyupdate>'
/** The folder behind the link may be seen in part, and not be touched. */
const RECORDS = {
  '/closed': { download: false, create: false, modify: false, rename: false, delete: false },
  '/closed/SECRET': { see: false },
}

it.runIf(CAN_SWAP).each(['a home', 'a further root'])(
  'in %s a folder that is swapped for a link is no door to where that leads',
  async (where) => {
    const isFar = where === 'a further root'
    await using far = await makeTree(isFar ? TREE : {})
    const files = Object.entries(TREE).map(([path, text]) => [`home/${path}`, text])
    await using app = await openApp({
      tree: isFar ? {} : Object.fromEntries(files),
      config: { roots: { far: far.root } },
      users: [{ username: 'ben', scope: isFar ? '/' : '/home' }],
    })
    const [base, top] = isFar ? ['far:', '/top'] : ['/home', '']
    const root = isFar ? far.root : app.tree.at('home')
    await app.store.transaction((tx) => {
      const set = (path: string, as: string, said: Omit<GrantRecord, 'who'>) => {
        const place = `${base}${path}` as PlaceText
        setFolder(tx, { place, as, quota: null, grants: [{ who: 'user:2', ...said }] })
      }
      if (isFar) set('/', 'top', { see: true })
      for (const [path, said] of Object.entries(RECORDS)) set(path, '', said)
    })
    await symlink('closed', join(root, 'aside'))
    await mkdir(join(root, 'to'))
    const [user, dav] = [await app.as('ben'), await davAs(app, 2)]
    const at = `/dav${top}`
    const job = (what: object) =>
      user.fetch('/api/jobs?wait=60', { method: 'POST', body: JSON.stringify(what) })
    const doorsOf = (round: number): Record<string, () => Promise<Response>> => ({
      'dav PROPFIND': () => dav('PROPFIND', `${at}/door`, { Depth: '1' }),
      'dav GET': () => dav('GET', `${at}/door/f.txt`),
      'GET below': () => dav('GET', `${at}/door/sub/f.txt`),
      'dav PUT': () => dav('PUT', `${at}/door/new-${round}.txt`, {}, 'x'),
      'dav HEAD': () => dav('HEAD', `${at}/door/f.txt`),
      'dav PATCH': () => dav('PATCH', `${at}/door/p.txt`, APPEND, 'inside bytes'),
      'PUT of a part': () =>
        dav('PUT', `${at}/door/p.txt`, { 'Content-Range': 'bytes 0-5/12' }, 'inside'),
      'dav PROPPATCH': () => dav('PROPPATCH', `${at}/door/l.txt`, {}, NOTE),
      'dav LOCK and UNLOCK': async () => {
        const locked = await dav('LOCK', `${at}/door/l.txt`, { Timeout: 'Second-60' }, LOCK_INFO)
        const token = locked.headers.get('lock-token')
        if (token !== null) await dav('UNLOCK', `${at}/door/l.txt`, { 'Lock-Token': token })
        return locked
      },
      'LOCK of a new name': () => dav('LOCK', `${at}/door/locked-${round}.txt`, {}, LOCK_INFO),
      'dav in parts': async () => {
        const parts = `/remote.php/dav/uploads/ben/u${round}`
        const target = { Destination: `${at}/door/parts-${round}.txt` }
        await dav('MKCOL', parts, round % 2 === 0 ? target : {})
        await dav('PUT', `${parts}/1`, {}, 'inside bytes')
        return dav('MOVE', `${parts}/.file`, target)
      },
      'PUT over': () => dav('PUT', `${at}/door/f.txt`, {}, 'inside bytes'),
      'dav MKCOL': () => dav('MKCOL', `${at}/door/folder-${round}`),
      'dav DELETE': () => dav('DELETE', `${at}/door/new-${round - 1}.txt`),
      'dav COPY': () => dav('COPY', `${at}/door`, { Destination: `${at}/to/dav-${round}` }),
      'dav MOVE': () =>
        dav('MOVE', `${at}/door/folder-${round - 1}`, { Destination: `${at}/to/moved-${round}` }),
      'copy as a job': () =>
        job({ kind: 'copy', items: [`${top}/door`], to: `${top}/to`, conflict: 'rename' }),
      'compress as a job': () =>
        job({
          kind: 'compress',
          items: [`${top}/door`],
          to: `${top}/to`,
          conflict: 'rename',
          deflated: false,
        }),
      'delete as a job': () => job({ kind: 'delete', items: [`${top}/door/folder-${round - 2}`] }),
    })
    const leaks: Record<string, string> = {}
    const seen = { served: 0, refused: 0, noted: 0, locked: 0 }
    {
      await using _swapping = await keepExchanging(join(root, 'door'), join(root, 'aside'))
      for (let round = 0; round < ROUNDS || Object.values(seen).includes(0); round++)
        await Promise.all(
          Object.entries(doorsOf(round)).map(async ([door, go]) => {
            const response = await go()
            const text = await response.text().catch(() => '')
            if (text.includes('inside')) seen.served++
            if (!response.ok) seen.refused++
            if (door === 'dav PROPPATCH' && text.includes('200 OK')) seen.noted++
            if (response.headers.has('lock-token')) seen.locked++
            if (text.includes('SECRET')) leaks[door] = text
          }),
        )
    }
    expect(leaks).toEqual({})
    for (const path of ['f.txt', 'l.txt', 'sub/f.txt', 'SECRET/f.txt'])
      expect(await readFile(join(root, 'closed', path), 'utf8')).toBe('SECRET BYTES')
    expect((await readdir(join(root, 'closed'))).sort()).toEqual([
      'SECRET',
      'f.txt',
      'l.txt',
      'sub',
    ])
    const told = await (await dav('PROPFIND', `${at}/closed`, { Depth: '1' })).text()
    expect(told).toContain('/closed/l.txt')
    expect(told).not.toMatch(/urn:x|activelock/)
    for (const entry of await readdir(join(root, 'to'), { recursive: true, withFileTypes: true })) {
      expect(entry.name).not.toContain('SECRET')
      if (!entry.isFile()) continue
      const content = await readFile(join(entry.parentPath, entry.name), 'latin1')
      expect(content, entry.name).not.toContain('SECRET')
    }
  },
)
