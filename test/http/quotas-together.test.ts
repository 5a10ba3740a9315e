// Limits of homes at the doors that jobs, archives and WebDAV have opened: twenty at once, of one kind and of all.
import { readdir } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { setHome } from '../../src/store/access/groups.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { linesOf, tarOf } from '../support/bundles.ts'
import { type DavAsk, davAs } from '../support/dav.ts'
import { waitFor } from '../support/deadline.ts'
import type { SignedIn } from '../support/login.ts'
import { sumOf } from '../support/quotas.ts'
import { zipOf } from '../support/zips.ts'

const BYTES = 40 * 1024
/** Half of them fit, to the byte. */
const LIMIT = 10 * BYTES
const CONTENT = new Uint8Array(BYTES)

/** Whoever asks; `admin` sees all, `bob` has the limited home. */
interface By {
  bob: SignedIn
  admin: SignedIn
  dav: DavAsk
  adminDav: DavAsk
}
/** Writes the content as `x<i>`, or tries to; the status, or why the job failed. */
type Write = (by: By, i: number) => Promise<string>

const statusOf = async (answer: Promise<Response>) => String((await answer).status)

async function job(who: SignedIn, body: object): Promise<string> {
  const answer = await who.fetch('/api/jobs?wait=60', {
    method: 'POST',
    body: JSON.stringify(body),
  })
  if (!answer.ok) return String(answer.status)
  const { state, reason, errors } = await answer.json()
  return state === 'done' && errors.length === 0 ? '201' : (reason ?? errors[0]?.code ?? state)
}

const KINDS: Record<string, Write> = {
  'copies by jobs': ({ admin }, i) =>
    job(admin, { kind: 'copy', items: [`/from/x${i}`], to: '/home' }),
  'moves by jobs': ({ admin }, i) =>
    job(admin, { kind: 'move', items: [`/from/x${i}`], to: '/home' }),
  'archives that are unpacked': ({ admin }, i) =>
    job(admin, { kind: 'extract', items: [`/zips/${i}.zip`], to: '/home' }),
  'archives that are packed': ({ admin }, i) =>
    job(admin, { kind: 'compress', items: [`/from/x${i}`], to: `/home/${i}.tar`, format: 'tar' }),
  'copies by WebDAV': ({ adminDav }, i) =>
    statusOf(adminDav('COPY', `/dav/from/x${i}`, { Destination: `/dav/home/x${i}` })),
  'moves by WebDAV': ({ adminDav }, i) =>
    statusOf(adminDav('MOVE', `/dav/from/x${i}`, { Destination: `/dav/home/x${i}` })),
  'parts by WebDAV': async ({ dav }, i) => {
    const parts = `/remote.php/dav/uploads/bob/u${i}`
    const Destination = `/remote.php/dav/files/bob/x${i}`
    const begun = await dav('MKCOL', parts, { Destination, 'OC-Total-Length': String(BYTES) })
    if (!begun.ok) return String(begun.status)
    for (const name of ['1', '2']) {
      const half = CONTENT.slice(BYTES / 2)
      const sent = await dav('PUT', `${parts}/${name}`, { Destination }, half)
      if (!sent.ok) {
        await dav('DELETE', parts)
        return String(sent.status)
      }
    }
    const status = await statusOf(dav('MOVE', `${parts}/.file`, { Destination }))
    if (status !== '201') await dav('DELETE', parts)
    return status
  },
  // Thirteen beginnings fit, and the rest of one more beside them: halves would leave no room for any rest.
  'PUT and PATCH by WebDAV': async ({ dav }, i) => {
    const cut = (BYTES * 3) / 4
    const begun = await dav('PUT', `/dav/x${i}`, {}, CONTENT.slice(0, cut))
    if (!begun.ok) return String(begun.status)
    const headers = {
      'Content-Type': 'application/x-sabredav-partialupdate',
      'X-Update-Range': 'append',
    }
    const status = await statusOf(dav('PATCH', `/dav/x${i}`, headers, CONTENT.slice(cut)))
    return status === '204' ? '201' : status
  },
  POST: ({ bob }, i) =>
    statusOf(bob.fetch(`/api/resources/x${i}`, { method: 'POST', body: CONTENT })),
  bundles: async ({ bob }, i) => {
    const body = new Uint8Array(await tarOf([{ name: `x${i}`, content: CONTENT }]))
    const answer = await bob.fetch('/api/bundle/', { method: 'POST', body })
    if (!answer.ok) return String(answer.status)
    return String(linesOf(await answer.text())[0]?.status)
  },
  'resumable uploads': async ({ bob }, i) => {
    const begun = await bob.fetch(`/api/tus/x${i}`, {
      method: 'POST',
      headers: { 'Upload-Length': String(BYTES) },
    })
    if (!begun.ok) return String(begun.status)
    const headers = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }
    return statusOf(bob.fetch(`/api/tus/x${i}`, { method: 'PATCH', headers, body: CONTENT }))
  },
}

async function openLimited(): Promise<{ app: TestApp; by: By }> {
  const numbers = Array.from({ length: 20 }, (_, i) => i)
  const app = await startApp({
    tree: {
      home: null,
      ...Object.fromEntries(numbers.map((i) => [`from/x${i}`, CONTENT])),
      ...Object.fromEntries(
        numbers.map((i) => [
          `zips/${i}.zip`,
          zipOf([{ name: `x${i}`, content: Buffer.from(CONTENT) }]),
        ]),
      ),
    },
    users: [{ username: 'bob', scope: '/home' }],
  })
  await app.store.transaction((tx) => setHome(tx, { userID: 2, home: true, homeQuota: LIMIT }))
  const by = {
    bob: await app.as('bob'),
    admin: await app.as('admin'),
    dav: await davAs(app, 2),
    adminDav: await davAs(app, 1),
  }
  return { app, by }
}

async function expectWithin({ app, by }: Awaited<ReturnType<typeof openLimited>>): Promise<void> {
  const held = sumOf(app.tree.at('home'))
  expect(held).toBeLessThanOrEqual(LIMIT)
  // What was reserved is let go right after the answer.
  await waitFor('a figure that is what the disk holds', async () => {
    const { used } = await (await by.bob.fetch('/api/usage/')).json()
    return used === held ? true : null
  })
  const names = await readdir(app.tree.at('home'))
  expect(names.filter((name) => name.startsWith('.fb-tmp-'))).toEqual([])
}

it.each(Object.keys(KINDS))('twenty at once never pass the limit by a byte: %s', async (name) => {
  const opened = await openLimited()
  await using _app = opened.app
  const write = KINDS[name] as Write
  const ends = await Promise.all(Array.from({ length: 20 }, (_, i) => write(opened.by, i)))
  const done = ends.filter((end) => end === '201' || end === '204' || end === '200').length
  const others = ends.filter((end) => !['200', '201', '204'].includes(end))
  expect(new Set(others)).toEqual(new Set([/job|archives/.test(name) ? 'quota_exceeded' : '507']))
  expect(done).toBeGreaterThan(0)
  await expectWithin(opened)
})

it('nor do twenty of all kinds together', async () => {
  const opened = await openLimited()
  await using _app = opened.app
  const kinds = Object.values(KINDS)
  const ends = await Promise.all(
    Array.from({ length: 20 }, (_, i) => (kinds[i % kinds.length] as Write)(opened.by, i)),
  )
  expect(ends.filter((end) => !/^20[014]$|^507$|^quota_exceeded$/.test(end))).toEqual([])
  await expectWithin(opened)
})
