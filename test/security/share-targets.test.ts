// A link belongs to the file or folder it was made for, not to a name: it ends with it, whoever takes
// it away and by whatever call, and serves nothing that takes the name later.

import { link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Share } from '../../src/store/document.ts'
import { MAX_SHARES } from '../../src/store/shares.ts'
import { openStore } from '../../src/store/store.ts'
import { startApp, type TestApp, type TestAppOptions } from '../support/app.ts'
import { MAY_MOUNT, mountDisk } from '../support/mounts.ts'
import { changeRecords, recordsOf } from '../support/records.ts'
import { makeShare, readPublic } from '../support/shares.ts'

/** At HZ=100, and a little. */
const CLOCK_TICK_MS = 15
const SHARED = 'what was shared'
const LATER = 'CONFIDENTIAL'

const tree = {
  'team/report.txt': SHARED,
  'team/pub/a.txt': SHARED,
  'team/own.txt': LATER,
  'other/b.txt': LATER,
}

const users = [{ username: 'ann' }, { username: 'bob', scope: '/team' }]

const start = (options: TestAppOptions = {}) => startApp({ tree, users, ...options })

/** Everything a visitor gets, at the link and below. */
async function read(app: TestApp, hash: string): Promise<string> {
  return (await readPublic(app, hash)).text + (await readPublic(app, hash, '/a.txt')).text
}

async function call(app: TestApp, username: string, method: string, path: string, body?: string) {
  const user = await app.as(username)
  const response = await user.fetch(`/api/${path}`, { method, ...(body !== undefined && { body }) })
  expect(response.status, `${method} ${path}`).toBeLessThan(300)
}

/** As another process finds them. */
async function storedShares(app: TestApp): Promise<readonly Share[]> {
  const again = await openStore(app.store.file)
  await again.close()
  return recordsOf(again).shares
}

const hashes = (app: TestApp) => recordsOf(app.store).shares.map(({ hash }) => hash)

/** What an account sees of its links: by hash, whether they have ended. */
async function listed(app: TestApp, username: string): Promise<Record<string, boolean>> {
  const response = await (await app.as(username)).fetch('/api/shares')
  const shares = (await response.json()) as { hash: string; ended?: true }[]
  return Object.fromEntries(shares.map(({ hash, ended }) => [hash, ended === true]))
}

const away: [string, string, string][] = [
  ['deleted', 'DELETE', 'resources/report.txt'],
  ['renamed', 'PATCH', 'resources/report.txt?action=rename&destination=%2Fold.txt'],
  ['replaced', 'PATCH', 'resources/own.txt?action=rename&destination=%2Freport.txt&override=true'],
]

describe('a link ends with its file', () => {
  it.each(away)('when somebody else has %s it', async (_how, method, path) => {
    await using app = await start()
    const hash = await makeShare(app, '/team/report.txt', {}, 'ann')
    expect(await read(app, hash)).toContain(SHARED)
    await call(app, 'bob', method, path)
    await writeFile(app.tree.at('team/report.txt'), LATER)
    expect(await read(app, hash)).not.toContain(LATER)
    expect(await listed(app, 'ann')).toEqual({ [hash]: true })
  })

  it.each(['DELETE', 'PATCH'])(
    'when somebody else takes the folder above away (%s)',
    async (method) => {
      await using app = await start()
      const folder = await makeShare(app, '/pub/', {}, 'bob')
      const file = await makeShare(app, '/pub/a.txt', {}, 'bob')
      const beside = await makeShare(app, '/report.txt', {}, 'bob')
      const rest = method === 'PATCH' ? '?action=rename&destination=%2Felsewhere' : ''
      await call(app, 'ann', method, `resources/team/pub${rest}`)
      await app.tree.add({ 'team/pub/a.txt': LATER })
      expect(await read(app, folder)).not.toContain(LATER)
      expect(await read(app, file)).not.toContain(LATER)
      expect(await listed(app, 'bob')).toEqual({ [folder]: true, [file]: true, [beside]: false })
    },
  )

  it('when it was shared through a link', async () => {
    await using app = await start({ tree: { ...tree, way: { link: 'team' } } })
    const hash = await makeShare(app, '/way/report.txt', {}, 'ann')
    await call(app, 'bob', 'DELETE', 'resources/report.txt')
    await call(app, 'bob', 'POST', 'resources/report.txt', LATER)
    expect(await read(app, hash)).not.toContain(LATER)
    expect(await listed(app, 'ann')).toEqual({ [hash]: true })
  })
})

describe('a link that ended by what somebody else did', () => {
  it.each(away)('opens nothing when the very file is back after it was %s', async (...how) => {
    await using app = await start()
    const hash = await makeShare(app, '/team/report.txt', {}, 'ann')
    const [, method, path] = how
    const aside = join(app.tree.base, 'aside')
    await link(app.tree.at('team/report.txt'), aside)
    await call(app, 'bob', method, path)
    await rename(aside, app.tree.at('team/report.txt'))
    expect(await readFile(app.tree.at('team/report.txt'), 'utf8')).toBe(SHARED)
    expect(new Set((await readPublic(app, hash)).statuses)).toEqual(new Set([404]))
    await call(app, 'ann', 'PUT', 'resources/team/report.txt', LATER)
    expect(new Set((await readPublic(app, hash)).statuses)).toEqual(new Set([404]))
  })

  it('stays in its own list over a restart, until its owner deletes it', async () => {
    await using app = await start()
    const theirs = await makeShare(app, '/team/report.txt', {}, 'ann')
    await makeShare(app, '/report.txt', {}, 'bob')
    await call(app, 'bob', 'DELETE', 'resources/report.txt')
    expect(await listed(app, 'ann')).toEqual({ [theirs]: true })
    expect(await listed(app, 'bob')).toEqual({})
    expect(await storedShares(app)).toEqual(recordsOf(app.store).shares)
    expect(await storedShares(app)).toMatchObject([{ hash: theirs, ended: true }])
    // It is no link to what takes the name.
    await call(app, 'ann', 'POST', 'resources/team/report.txt', LATER)
    const ann = await app.as('ann')
    expect(await (await ann.fetch('/api/share/team/report.txt')).json()).toEqual([])
    expect(
      (await (await app.as('bob')).fetch(`/api/share/${theirs}`, { method: 'DELETE' })).status,
    ).toBe(403)
    await call(app, 'ann', 'DELETE', `share/${theirs}`)
    expect(hashes(app)).toEqual([])
  })

  it('counts towards what its owner may hold, and goes when it expires', async () => {
    await using app = await start()
    const hash = await makeShare(app, '/team/report.txt', { expires: '1', unit: 'days' }, 'ann')
    await call(app, 'bob', 'DELETE', 'resources/report.txt')
    const fill = { path: '/team/own.txt', userID: 2, expire: 0, passwordHash: '', token: '' }
    await changeRecords(app.store, (doc) => {
      const more = Array.from({ length: MAX_SHARES - 1 }, (_, i) => ({ ...fill, hash: `fill${i}` }))
      return { ...doc, shares: [...doc.shares, ...more] }
    })
    const ann = await app.as('ann')
    const make = () => ann.fetch('/api/share/team/own.txt', { method: 'POST', body: '{}' })
    expect((await make()).status).toBe(400)
    await changeRecords(app.store, (doc) => {
      const shares = doc.shares.map((share) =>
        share.hash === hash ? { ...share, expire: 1 } : share,
      )
      return { ...doc, shares }
    })
    expect((await make()).status).toBe(200)
    expect(hashes(app)).not.toContain(hash)
  })
})

/** Waits until a file made now has a later time of birth, whatever tick the kernel's clock has. */
async function untilOlderThanTick(path: string): Promise<void> {
  const { birthtimeMs } = await stat(path)
  await vi.waitUntil(() => Date.now() > birthtimeMs + CLOCK_TICK_MS, { interval: 1 })
}

describe('a link serves nothing that has taken the name behind its back', () => {
  it.each([
    ['a folder for a file', '/team/report.txt'],
    ['a file for a folder', '/team/pub/'],
    ['another folder', '/team/pub/'],
    ['a file that was there before under another name', '/team/report.txt'],
  ])('%s', async (what, shared) => {
    await using app = await start()
    await untilOlderThanTick(app.tree.at('team/own.txt'))
    const hash = await makeShare(app, shared, {}, 'ann')
    const at = app.tree.at(shared.replace(/^\/|\/$/g, ''))
    await rename(at, join(app.tree.base, 'aside'))
    if (what === 'a file for a folder') await writeFile(at, LATER)
    else if (what.startsWith('a file')) await rename(app.tree.at('team/own.txt'), at)
    else {
      await mkdir(at)
      await writeFile(join(at, 'a.txt'), LATER)
    }
    const { statuses, text } = await readPublic(app, hash)
    expect(new Set(statuses)).toEqual(new Set([404]))
    expect(text + (await read(app, hash))).not.toMatch(/CONFIDENTIAL|a\.txt/)
    // The link is not lost: it works again when what was shared is back.
    await rm(at, { recursive: true })
    await rename(join(app.tree.base, 'aside'), at)
    expect(await read(app, hash)).toContain(SHARED)
  })
})

describe('a link goes on', () => {
  const saved = 'a newer version'

  it('after saves, uploads and copies onto the file, by anybody', async () => {
    await using app = await start()
    const hash = await makeShare(app, '/team/report.txt', {}, 'ann')
    await call(app, 'bob', 'PUT', 'resources/report.txt', `${saved} 1`)
    expect(await read(app, hash)).toContain(`${saved} 1`)
    await call(app, 'ann', 'POST', 'resources/team/report.txt?override=true', `${saved} 2`)
    expect(await read(app, hash)).toContain(`${saved} 2`)
    await call(app, 'bob', 'POST', 'resources/new.txt', `${saved} 3`)
    const copy = 'action=copy&destination=%2Freport.txt&override=true'
    await call(app, 'bob', 'PATCH', `resources/new.txt?${copy}`)
    expect(await read(app, hash)).toContain(`${saved} 3`)
    const ann = await app.as('ann')
    const headers = { 'Upload-Length': '5' }
    const path = '/api/tus/team/report.txt?override=true'
    expect((await ann.fetch(path, { method: 'POST', headers })).status).toBe(201)
    const patch = { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }
    const done = await ann.fetch(path, { method: 'PATCH', headers: patch, body: 'tus 4' })
    expect(done.status).toBe(204)
    expect(await read(app, hash)).toContain('tus 4')
  })

  it('when our own save has a time of birth before the link, as after the clock was set back', async () => {
    await using app = await start()
    const hash = await makeShare(app, '/team/report.txt', {}, 'ann')
    await changeRecords(app.store, (doc) => {
      const ahead = Date.now() + 3_600_000
      const shares = doc.shares.map((share) =>
        share.target ? { ...share, target: { ...share.target, notedMs: ahead } } : share,
      )
      return { ...doc, shares }
    })
    await call(app, 'bob', 'PUT', 'resources/report.txt', saved)
    expect(await read(app, hash)).toContain(saved)
  })

  it('after another program saved the file by a sibling that it renamed', async () => {
    await using app = await start()
    const hash = await makeShare(app, '/team/report.txt', {}, 'ann')
    await writeFile(app.tree.at('team/.report.swp'), saved)
    await rename(app.tree.at('team/.report.swp'), app.tree.at('team/report.txt'))
    expect(await read(app, hash)).toContain(saved)
  })

  it('where its owner moves the file, and ends there when somebody else deletes it', async () => {
    await using app = await start()
    const hash = await makeShare(app, '/team/report.txt', {}, 'ann')
    const rest = 'action=rename&destination=%2Fteam%2Fpub%2Fnew.txt'
    await call(app, 'ann', 'PATCH', `resources/team/report.txt?${rest}`)
    expect(await read(app, hash)).toContain(SHARED)
    await call(app, 'bob', 'DELETE', 'resources/pub')
    expect(await listed(app, 'ann')).toEqual({ [hash]: true })
  })

  it.runIf(MAY_MOUNT)('where its owner moves the file to another disk', async () => {
    await using app = await start()
    await using _disk = await mountDisk(app.tree.at('disk'), 1 << 20)
    const hash = await makeShare(app, '/team/report.txt', {}, 'ann')
    const folder = await makeShare(app, '/team/pub/', {}, 'ann')
    const move = 'action=rename&destination=%2Fdisk%2F'
    await call(app, 'ann', 'PATCH', `resources/team/report.txt?${move}r.txt`)
    await call(app, 'ann', 'PATCH', `resources/team/pub?${move}pub`)
    expect(await read(app, hash)).toContain(SHARED)
    expect(await read(app, folder)).toContain(SHARED)
  })

  it('where it was imported: the first use notes what it is for', async () => {
    await using app = await start()
    const imported = { hash: 'imported', path: '/team/pub/', userID: 2, expire: 0 }
    await changeRecords(app.store, (doc) => ({
      ...doc,
      shares: [{ ...imported, passwordHash: '', token: '' }],
    }))
    expect(await read(app, 'imported')).toContain(SHARED)
    const aside = join(app.tree.base, 'aside')
    await rename(app.tree.at('team/pub'), aside)
    await app.tree.add({ 'team/pub/a.txt': LATER })
    expect(await read(app, 'imported')).not.toContain(LATER)
  })
})

it('an imported link that was never used ends with its file, too', async () => {
  await using app = await start()
  const imported = { hash: 'imported', path: '/team/report.txt', userID: 2, expire: 0 }
  await changeRecords(app.store, (doc) => ({
    ...doc,
    shares: [{ ...imported, passwordHash: '', token: '' }],
  }))
  await call(app, 'bob', 'DELETE', 'resources/report.txt')
  expect(await listed(app, 'ann')).toEqual({ imported: true })
})

it('what a link was made for survives a restart and is told to nobody', async () => {
  await using app = await start()
  const hash = await makeShare(app, '/team/report.txt', {}, 'ann')
  const stored = await storedShares(app)
  expect(stored).toEqual(recordsOf(app.store).shares)
  expect(stored[0]?.target?.place).toBe(app.tree.at('team/report.txt'))
  const ann = await app.as('ann')
  for (const path of ['/api/shares', '/api/share/team/report.txt', `/api/public/share/${hash}`])
    expect(await (await ann.fetch(path)).text()).not.toMatch(/target|bornNs|notedMs/)
})
