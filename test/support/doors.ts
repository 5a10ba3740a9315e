// Every door of the server: a call, the rights it needs, and its answers with and without them.

import { randomUUID } from 'node:crypto'
import type { Permissions } from '../../src/api-types.ts'
import { addApiToken } from '../../src/auth/api-tokens.ts'
import { identityOf } from '../../src/auth/external/admit.ts'
import { connect, fingerprintOf } from '../../src/auth/external/identities.ts'
import { ROOT } from '../../src/lib/vpath.ts'
import { defaultPermissions } from '../../src/store/document.ts'
import { findUser } from '../../src/store/users.ts'
import { PASSWORD, startApp, type TestApp } from './app.ts'
import { linesOf, tarOf } from './bundles.ts'
import { LOCK_INFO, tokenFor } from './dav.ts'
import type { SignedIn } from './login.ts'
import { changeRecords, recordsOf } from './records.ts'
import { makeShare } from './shares.ts'
import { runLine } from './shell.ts'
import { keepInTrash } from './trash.ts'

/** Content that nobody without the right to download may see. */
export const CANARY = 'canary-content-of-the-file'
export const TUS = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }

export interface Door {
  name: string
  needs: (keyof Permissions)[]
  denied: number
  /** Status with every right. */
  open: number
  /** For people, not for tokens. */
  isPersonal?: true
  go(user: SignedIn, app: TestApp, kept?: Kept): Promise<Response>
}

/** Where something is put into the trash: the folder that has it, and the path in there. */
export interface Kept {
  base: string
  path: string
}

const get = (path: string) => (user: SignedIn) => user.fetch(path)
const send =
  (method: string, path: string, body = 'x', headers: Record<string, string> = {}) =>
  (user: SignedIn) =>
    user.fetch(path, { method, body, headers })

const keptBeside = ({ tree }: TestApp): Kept => ({ base: tree.root, path: 'gone.txt' })

function jobOf(kind: string, item: string, more: object = {}): string {
  return JSON.stringify({ kind, items: [`/${item}`], ...more })
}

const fullTokens = new WeakMap<object, Promise<string>>()

/** One for all calls to an application: an account has a hundred at most. */
function fullToken(app: TestApp): Promise<string> {
  const token = fullTokens.get(app.store) ?? tokenFor(app, 2, { perm: full })
  fullTokens.set(app.store, token)
  return token
}

/** By WebDAV, with a token that the account has made, or the one that is asked by. */
const dav =
  (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  async (user: SignedIn, app: TestApp) => {
    const own = user.token === '' || user.token.startsWith('fbt.')
    const token = own ? user.token : await fullToken(app)
    const all = { ...headers, ...(token && { Authorization: `Bearer ${token}` }) }
    return app.fetch(path, { method, headers: all, ...(body !== undefined && { body }) })
  }
/** A file in parts, by both versions of Nextcloud's protocol; the answer that refuses it, or the last. */
const inParts = (name: string, version: 1 | 2) => async (user: SignedIn, app: TestApp) => {
  const folder = `/remote.php/dav/uploads/subject/${randomUUID()}`
  const target = { Destination: `/dav/dav/${name}` }
  const begun = await dav('MKCOL', folder, version === 2 ? target : {})(user, app)
  if (!begun.ok) return begun
  const sent = await dav('PUT', `${folder}/1`, {}, 'x')(user, app)
  return sent.ok ? dav('MOVE', `${folder}/.file`, target)(user, app) : sent
}
const davTo = (method: string, from: string, to: string) =>
  dav(method, `/dav/dav/${from}`, { Destination: `/dav/dav/${to}` })

export const DOORS: Door[] = [
  { name: 'WebDAV GET', needs: ['download'], denied: 403, open: 200, go: dav('GET', '/dav/a.txt') },
  {
    name: 'WebDAV PROPPATCH',
    needs: ['modify'],
    denied: 403,
    open: 207,
    go: dav(
      'PROPPATCH',
      '/dav/a.txt',
      {},
      '<propertyupdate xmlns="DAV:"><set><prop><x xmlns="urn:x">1</x></prop></set></propertyupdate>',
    ),
  },
  {
    name: 'WebDAV PATCH',
    needs: ['modify', 'download'],
    denied: 403,
    open: 204,
    go: dav(
      'PATCH',
      '/dav/dav/part.txt',
      { 'X-Update-Range': 'append', 'Content-Type': 'application/x-sabredav-partialupdate' },
      'x',
    ),
  },
  {
    name: 'WebDAV LOCK',
    needs: ['modify'],
    denied: 403,
    open: 200,
    go: dav('LOCK', '/dav/dav/lock.txt', {}, LOCK_INFO),
  },
  {
    name: 'WebDAV LOCK of a new name',
    needs: ['create'],
    denied: 403,
    open: 201,
    go: dav('LOCK', '/dav/dav/lock-new.txt', {}, LOCK_INFO),
  },
  {
    name: 'WebDAV UNLOCK',
    needs: [],
    denied: 0,
    open: 409,
    go: dav('UNLOCK', '/dav/a.txt', { 'Lock-Token': '<urn:uuid:none>' }),
  },
  {
    name: 'WebDAV PROPFIND',
    needs: [],
    denied: 0,
    open: 207,
    go: dav('PROPFIND', '/dav/', { Depth: '1' }),
  },
  {
    name: 'WebDAV PUT',
    needs: ['create'],
    denied: 403,
    open: 201,
    go: dav('PUT', '/dav/dav/n.txt', {}, 'x'),
  },
  {
    name: 'WebDAV PUT over',
    needs: ['modify'],
    denied: 403,
    open: 204,
    go: dav('PUT', '/dav/dav/e.txt', {}, 'x'),
  },
  {
    name: 'WebDAV MKCOL',
    needs: ['create'],
    denied: 403,
    open: 201,
    go: dav('MKCOL', '/dav/dav/new'),
  },
  {
    name: 'WebDAV DELETE',
    needs: ['delete'],
    denied: 403,
    open: 204,
    go: dav('DELETE', '/dav/dav/d.txt'),
  },
  {
    name: 'WebDAV COPY',
    needs: ['create'],
    denied: 403,
    open: 201,
    go: davTo('COPY', 'a.txt', 'c.txt'),
  },
  {
    name: 'WebDAV COPY over',
    needs: ['create', 'modify'],
    denied: 403,
    open: 204,
    go: davTo('COPY', 'a.txt', 'o.txt'),
  },
  {
    name: 'WebDAV COPY over a folder',
    needs: ['create', 'delete'],
    denied: 403,
    open: 204,
    go: davTo('COPY', 'from', 'to'),
  },
  {
    name: 'WebDAV MOVE',
    needs: ['rename'],
    denied: 403,
    open: 201,
    go: davTo('MOVE', 'm.txt', 'm2.txt'),
  },
  {
    name: 'WebDAV MOVE over',
    needs: ['rename', 'modify'],
    denied: 403,
    open: 204,
    go: davTo('MOVE', 'm3.txt', 'o2.txt'),
  },
  {
    name: 'WebDAV in parts',
    needs: ['create'],
    denied: 403,
    open: 201,
    go: inParts('parts.txt', 2),
  },
  {
    name: 'WebDAV in parts over',
    needs: ['modify'],
    denied: 403,
    open: 204,
    go: inParts('e.txt', 2),
  },
  {
    name: 'WebDAV in parts, the target at the end',
    needs: ['create'],
    denied: 403,
    open: 201,
    go: inParts('parts-1.txt', 1),
  },
  {
    name: 'WebDAV in parts over, the target at the end',
    // Until the target is known it is kept where something may be made.
    needs: ['create', 'modify'],
    denied: 403,
    open: 204,
    go: inParts('e.txt', 1),
  },
  {
    name: 'WebDAV HEAD',
    needs: ['download'],
    denied: 403,
    open: 200,
    go: dav('HEAD', '/dav/a.txt'),
  },
  { name: 'raw file', needs: ['download'], denied: 202, open: 200, go: get('/api/raw/a.txt') },
  {
    name: 'raw inline',
    needs: ['download'],
    denied: 202,
    open: 200,
    go: get('/api/raw/a.txt?inline=true'),
  },
  { name: 'archive', needs: ['download'], denied: 202, open: 200, go: get('/api/raw/?algo=tar') },
  {
    name: 'archive of a selection',
    needs: ['download'],
    denied: 202,
    open: 200,
    go: get('/api/raw/?files=a.txt&algo=zip'),
  },
  {
    name: 'checksum',
    needs: ['download'],
    denied: 202,
    open: 200,
    go: get('/api/resources/a.txt?checksum=sha256'),
  },
  {
    name: 'bytes through X-Encoding',
    needs: ['download'],
    denied: 202,
    open: 200,
    go: (user) => user.fetch('/api/resources/a.txt', { headers: { 'X-Encoding': 'true' } }),
  },
  {
    name: 'preview',
    needs: ['download'],
    denied: 202,
    open: 501,
    go: get('/api/preview/thumb/a.txt'),
  },
  { name: 'subtitle', needs: ['download'], denied: 202, open: 200, go: get('/api/subtitle/a.srt') },
  {
    name: 'versions of a file',
    needs: ['modify', 'download'],
    denied: 403,
    open: 200,
    go: get('/api/versions/a.txt'),
  },
  {
    name: 'keep a version',
    needs: ['modify', 'download'],
    denied: 403,
    open: 404,
    go: send('POST', '/api/versions/a.txt', JSON.stringify({ id: 'none', action: 'keep' })),
  },
  {
    name: 'delete a version',
    needs: ['modify', 'download', 'delete'],
    denied: 403,
    open: 404,
    go: send('DELETE', '/api/versions/a.txt?id=none', ''),
  },
  {
    name: 'turn a picture',
    needs: ['modify', 'download'],
    denied: 403,
    open: 415,
    go: send('POST', '/api/pictures/a.txt', JSON.stringify({ rotate: 90 })),
  },
  {
    name: 'dates of pictures',
    needs: [],
    denied: 0,
    open: 200,
    go: send('POST', '/api/taken/', '{}'),
  },
  { name: 'own history', needs: [], denied: 0, open: 200, go: get('/api/history') },
  {
    name: 'undo nothing',
    needs: [],
    denied: 0,
    open: 404,
    go: send('POST', '/api/history/nothing-of-theirs/undo', ''),
  },
  { name: 'own preferences', needs: [], denied: 0, open: 200, go: get('/api/preferences') },
  {
    name: 'say what Delete does',
    isPersonal: true,
    needs: [],
    denied: 0,
    open: 204,
    go: send('PUT', '/api/preferences', '{"onDelete":"ask"}'),
  },
  { name: 'list the trash', needs: [], denied: 0, open: 200, go: get('/api/trash') },
  {
    name: 'size of the trash',
    needs: ['admin'],
    denied: 403,
    open: 200,
    go: get('/api/trash/usage'),
  },
  {
    name: 'bytes from the trash',
    needs: ['download'],
    denied: 202,
    open: 200,
    go: async (user, app, { base, path } = keptBeside(app)) =>
      user.fetch(`/api/trash/${await keepInTrash(base, path, CANARY)}?raw=true`),
  },
  {
    name: 'delete for good',
    needs: ['delete'],
    denied: 403,
    open: 202,
    go: async (user, app, { base, path } = keptBeside(app)) => {
      const id = await keepInTrash(base, path, CANARY, { id: 'b'.repeat(32) })
      return user.fetch(`/api/trash/${id}`, { method: 'DELETE' })
    },
  },
  {
    name: 'empty the trash',
    needs: [],
    denied: 0,
    open: 202,
    go: send('DELETE', '/api/trash?olderThan=1h'),
  },
  {
    name: 'restore nothing',
    needs: [],
    denied: 0,
    open: 200,
    go: send('POST', '/api/trash/restore', '{}'),
  },
  {
    name: 'create a file',
    needs: ['create'],
    denied: 403,
    open: 200,
    go: send('POST', '/api/resources/new.txt'),
  },
  {
    name: 'upload a bundle',
    needs: ['create'],
    denied: 403,
    open: 200,
    go: async (user) => {
      const body = new Uint8Array(await tarOf([{ name: 'bundled.txt', content: 'x' }]))
      const answer = await user.fetch('/api/bundle/', { method: 'POST', body })
      const text = await answer.text()
      // What became of the file is in its line.
      const [line] = answer.ok ? linesOf(text) : []
      return new Response(text, { status: line?.status ?? answer.status })
    },
  },
  {
    name: 'create a folder',
    needs: ['create'],
    denied: 403,
    open: 200,
    go: send('POST', '/api/resources/new/'),
  },
  {
    name: 'overwrite',
    needs: ['create', 'modify'],
    denied: 403,
    open: 200,
    go: send('POST', '/api/resources/over.txt?override=true'),
  },
  {
    name: 'save',
    needs: ['modify'],
    denied: 403,
    open: 200,
    go: send('PUT', '/api/resources/edit.txt'),
  },
  {
    name: 'delete',
    needs: ['delete'],
    denied: 403,
    open: 204,
    go: send('DELETE', '/api/resources/del.txt', ''),
  },
  {
    name: 'copy',
    needs: ['create'],
    denied: 403,
    open: 200,
    go: send('PATCH', '/api/resources/a.txt?action=copy&destination=/copy.txt'),
  },
  {
    name: 'copy over',
    needs: ['create', 'modify'],
    denied: 403,
    open: 200,
    go: send('PATCH', '/api/resources/a.txt?action=copy&destination=/over.txt&override=true'),
  },
  {
    name: 'rename',
    needs: ['rename'],
    denied: 403,
    open: 200,
    go: send('PATCH', '/api/resources/move.txt?action=rename&destination=/moved.txt'),
  },
  {
    name: 'rename over',
    needs: ['rename', 'modify'],
    denied: 403,
    open: 200,
    go: send(
      'PATCH',
      '/api/resources/move2.txt?action=rename&destination=/over2.txt&override=true',
    ),
  },
  {
    name: 'copy as a job',
    needs: ['create'],
    denied: 403,
    open: 201,
    go: send('POST', '/api/jobs?wait=30', jobOf('copy', 'a.txt', { to: '/', conflict: 'rename' })),
  },
  {
    name: 'copy over as a job',
    needs: ['create', 'modify'],
    denied: 403,
    open: 201,
    go: send(
      'POST',
      '/api/jobs?wait=30',
      jobOf('copy', 'a.txt', { to: '/job', conflict: 'replace' }),
    ),
  },
  {
    name: 'move as a job',
    needs: ['rename'],
    denied: 403,
    open: 201,
    go: send('POST', '/api/jobs?wait=30', jobOf('move', 'job/move.txt', { to: '/shared' })),
  },
  {
    name: 'delete as a job',
    needs: ['delete'],
    denied: 403,
    open: 201,
    go: send('POST', '/api/jobs?wait=30', jobOf('delete', 'job/del.txt')),
  },
  {
    name: 'mode as a job',
    needs: ['modify'],
    denied: 403,
    open: 201,
    go: send('POST', '/api/jobs?wait=30', jobOf('mode', 'a.txt', { mode: '644' })),
  },
  {
    name: 'compress as a job',
    needs: ['create', 'download'],
    denied: 403,
    open: 201,
    go: send('POST', '/api/jobs?wait=30', jobOf('compress', 'a.txt', { conflict: 'rename' })),
  },
  {
    name: 'sums as a job',
    needs: ['create', 'download'],
    denied: 403,
    open: 201,
    go: send('POST', '/api/jobs?wait=30', jobOf('checksum', 'a.txt', { conflict: 'rename' })),
  },
  {
    name: 'check of sums as a job',
    needs: ['download'],
    denied: 403,
    open: 201,
    go: send('POST', '/api/jobs?wait=30', jobOf('checksum', 'a.txt', { check: true })),
  },
  {
    name: 'extract as a job',
    needs: ['create', 'download'],
    denied: 403,
    open: 201,
    go: send('POST', '/api/jobs?wait=30', jobOf('extract', 'a.txt')),
  },
  {
    name: 'empty the trash as a job',
    needs: [],
    denied: 0,
    open: 201,
    go: send('POST', '/api/jobs?wait=30', JSON.stringify({ kind: 'empty', olderThan: '900d' })),
  },
  {
    name: 'restore nothing as a job',
    needs: [],
    denied: 0,
    open: 404,
    go: send('POST', '/api/jobs', JSON.stringify({ kind: 'restore', ids: ['none'] })),
  },
  {
    name: 'listen to jobs',
    needs: [],
    denied: 0,
    open: 200,
    go: async (user) => {
      const control = new AbortController()
      const { status } = await user.fetch('/api/events', { signal: control.signal })
      control.abort()
      return new Response(null, { status })
    },
  },
  { name: 'no job', needs: [], denied: 0, open: 404, go: get('/api/jobs/none') },
  {
    name: 'forget no job',
    needs: [],
    denied: 0,
    open: 404,
    go: send('DELETE', '/api/jobs/none', ''),
  },
  { name: 'own jobs', needs: [], denied: 0, open: 200, go: get('/api/jobs') },
  { name: 'all jobs', needs: ['admin'], denied: 403, open: 200, go: get('/api/jobs?all=true') },
  ...['pause', 'resume', 'cancel', 'retry'].map(
    (action): Door => ({
      name: `${action} no job`,
      needs: [],
      denied: 0,
      open: 404,
      go: send('POST', `/api/jobs/none/${action}`, ''),
    }),
  ),
  {
    name: 'begin a resumable upload',
    needs: ['create'],
    denied: 403,
    open: 201,
    go: send('POST', '/api/tus/t.bin', '', { 'Upload-Length': '2' }),
  },
  {
    name: 'begin one over a file',
    needs: ['create', 'modify'],
    denied: 403,
    open: 201,
    go: send('POST', '/api/tus/over3.txt?override=true', '', { 'Upload-Length': '2' }),
  },
  {
    name: 'go on with one',
    needs: ['create'],
    denied: 403,
    open: 404,
    go: send('PATCH', '/api/tus/none.bin', 'ab', TUS),
  },
  {
    name: 'ask for its state',
    needs: ['create'],
    denied: 403,
    open: 404,
    go: (user) => user.fetch('/api/tus/none.bin', { method: 'HEAD' }),
  },
  {
    name: 'cancel one',
    needs: ['delete'],
    denied: 403,
    open: 404,
    go: send('DELETE', '/api/tus/none.bin', ''),
  },
  {
    name: 'list shares',
    needs: ['share', 'download'],
    denied: 403,
    open: 200,
    go: get('/api/shares'),
  },
  {
    name: 'shares of a path',
    needs: ['share', 'download'],
    denied: 403,
    open: 200,
    go: get('/api/share/a.txt'),
  },
  {
    name: 'share',
    needs: ['share', 'download'],
    denied: 403,
    open: 200,
    go: send('POST', '/api/share/a.txt', '{}'),
  },
  {
    name: 'end a share',
    needs: ['share', 'download'],
    denied: 403,
    open: 404,
    go: send('DELETE', '/api/share/none', ''),
  },
  {
    name: 'preview of a picture',
    needs: ['download'],
    denied: 202,
    open: 200,
    go: get('/api/preview/thumb/pixel.png?inline=true'),
  },
  {
    name: 'large preview of a picture',
    needs: ['download'],
    denied: 202,
    open: 200,
    go: get('/api/preview/big/pixel.png?inline=true'),
  },
  {
    name: 'register a selection',
    needs: ['download'],
    denied: 202,
    open: 200,
    go: send('POST', '/api/selections', '{"files":["a.txt"]}'),
  },
  ...[
    'share/HASH',
    'dl/HASH?algo=tar',
    'dl/HASH/a.txt',
    'preview/thumb/HASH/pixel.png',
    'subtitle/HASH/a.srt',
  ].map(
    (path): Door => ({
      name: `visitors of an own share: ${path}`,
      needs: ['share', 'download'],
      denied: 403,
      open: 200,
      go: (_, app) => app.fetch(`/api/public/${path.replace('HASH', shareOf(app))}`),
    }),
  ),
  {
    name: 'run a command',
    needs: ['execute'],
    denied: 403,
    open: 200,
    go: async (user, app) => {
      const lines = await runLine(app, user.token, 'echo hello')
      return new Response(null, { status: lines[0] === 'hello' ? 200 : 403 })
    },
  },
  {
    name: 'read another account',
    needs: ['admin'],
    denied: 403,
    open: 200,
    go: get('/api/users/1'),
  },
  {
    name: 'change another account',
    needs: ['admin'],
    denied: 403,
    open: 200,
    go: send('PUT', '/api/users/3', update(3, 'locale', 'de')),
  },
  {
    name: 'widen the own scope',
    needs: ['admin'],
    denied: 403,
    open: 200,
    go: send('PUT', '/api/users/2', update(2, 'scope', '/')),
  },
  {
    name: 'remove another account',
    needs: ['admin'],
    denied: 403,
    open: 200,
    go: send('DELETE', '/api/users/3', JSON.stringify({ current_password: PASSWORD })),
  },
  {
    name: 'end the session of another',
    needs: ['admin'],
    denied: 404,
    open: 204,
    go: async (user, app) => {
      await app.as('admin')
      const { id } = recordsOf(app.store).sessions.find(({ userID }) => userID === 1) ?? { id: '' }
      return user.fetch(`/api/sessions/${id}`, { method: 'DELETE' })
    },
  },
  { name: 'own account', needs: [], denied: 0, open: 200, go: get('/api/users/2') },
  {
    name: 'own language',
    needs: [],
    denied: 0,
    open: 200,
    isPersonal: true,
    go: send('PUT', '/api/users/2', update(2, 'locale', 'de')),
  },
  {
    name: 'own sessions',
    needs: [],
    denied: 0,
    open: 200,
    isPersonal: true,
    go: get('/api/sessions'),
  },
  { name: 'own tokens', needs: [], denied: 0, open: 200, isPersonal: true, go: get('/api/tokens') },
  {
    name: 'make a token',
    needs: [],
    denied: 0,
    open: 201,
    isPersonal: true,
    go: send('POST', '/api/tokens', JSON.stringify({ name: 'x', current_password: PASSWORD })),
  },
  {
    name: 'remove a token of their own',
    needs: [],
    denied: 0,
    open: 404,
    isPersonal: true,
    go: send('DELETE', '/api/tokens/none', ''),
  },
  { name: 'read who did what', needs: ['admin'], denied: 403, open: 200, go: get('/api/audit') },
  {
    name: 'export who did what',
    needs: ['admin'],
    denied: 403,
    open: 200,
    go: get('/api/audit/export'),
  },
  { name: 'list accounts', needs: ['admin'], denied: 403, open: 200, go: get('/api/users') },
  {
    name: 'create an account',
    needs: ['admin'],
    denied: 403,
    open: 400,
    go: send('POST', '/api/users', '{}'),
  },
  { name: 'list groups', needs: ['admin'], denied: 403, open: 200, go: get('/api/groups') },
  { name: 'one group', needs: ['admin'], denied: 403, open: 404, go: get('/api/groups/9') },
  {
    name: 'make a group',
    needs: ['admin'],
    denied: 403,
    open: 400,
    go: send('POST', '/api/groups', '{}'),
  },
  {
    name: 'change a group',
    needs: ['admin'],
    denied: 403,
    open: 404,
    go: send('PUT', '/api/groups/9', '{}'),
  },
  {
    name: 'delete a group',
    needs: ['admin'],
    denied: 403,
    open: 404,
    go: send('DELETE', '/api/groups/9', '{}'),
  },
  { name: 'list folders', needs: ['admin'], denied: 403, open: 200, go: get('/api/folders') },
  {
    name: 'set a folder',
    needs: ['admin'],
    denied: 403,
    open: 400,
    go: send('PUT', '/api/folders', '{}'),
  },
  {
    name: 'forget a folder',
    needs: ['admin'],
    denied: 403,
    open: 400,
    go: send('DELETE', '/api/folders?place=/none', '{}'),
  },
  {
    name: 'explain rights',
    needs: ['admin'],
    denied: 403,
    open: 200,
    go: get('/api/access?path=/'),
  },
  { name: 'read settings', needs: ['admin'], denied: 403, open: 200, go: get('/api/settings') },
  {
    name: 'change settings',
    needs: ['admin'],
    denied: 403,
    open: 400,
    go: send('PUT', '/api/settings', ''),
  },
  {
    name: 'all sessions',
    needs: ['admin'],
    denied: 403,
    open: 200,
    go: get('/api/sessions?all=true'),
  },
  {
    name: 'own second factor',
    needs: [],
    denied: 0,
    open: 200,
    isPersonal: true,
    go: get('/api/second-factor'),
  },
  {
    name: 'begin to have one',
    needs: [],
    denied: 0,
    open: 200,
    isPersonal: true,
    go: send('POST', '/api/second-factor', JSON.stringify({ current_password: PASSWORD })),
  },
  {
    name: 'switch it on',
    needs: [],
    denied: 0,
    open: 400,
    isPersonal: true,
    go: send('PUT', '/api/second-factor', '{"code":"1"}'),
  },
  {
    name: 'switch it off',
    needs: [],
    denied: 0,
    open: 404,
    isPersonal: true,
    go: send('DELETE', '/api/second-factor', '{}'),
  },
  {
    name: 'renew recovery codes',
    needs: [],
    denied: 0,
    open: 404,
    isPersonal: true,
    go: send('POST', '/api/second-factor/recovery', '{}'),
  },
  {
    name: 'list second factors',
    needs: ['admin'],
    denied: 403,
    open: 200,
    go: get('/api/second-factors'),
  },
  {
    name: 'require one of another',
    needs: ['admin'],
    denied: 403,
    open: 204,
    go: send('PUT', '/api/second-factors/1', JSON.stringify({ current_password: PASSWORD })),
  },
  {
    name: 'reset that of another',
    needs: ['admin'],
    denied: 403,
    open: 404,
    go: send('DELETE', '/api/second-factors/1', JSON.stringify({ current_password: PASSWORD })),
  },
  {
    name: 'list who comes from elsewhere',
    needs: ['admin'],
    denied: 403,
    open: 200,
    go: get('/api/identities'),
  },
  {
    name: 'confirm who one is',
    needs: [],
    denied: 0,
    open: 204,
    isPersonal: true,
    go: send('POST', '/api/confirm', JSON.stringify({ password: PASSWORD })),
  },
  {
    name: 'by what one confirms it',
    needs: [],
    denied: 0,
    open: 200,
    isPersonal: true,
    go: get('/api/confirm'),
  },
  {
    name: 'begin to confirm it by passkey',
    needs: [],
    denied: 0,
    open: 403,
    isPersonal: true,
    go: send('POST', '/api/confirm/options', '{}'),
  },
  {
    name: 'own passkeys',
    needs: [],
    denied: 0,
    open: 200,
    isPersonal: true,
    go: get('/api/passkeys'),
  },
  {
    name: 'begin to add a passkey',
    needs: [],
    denied: 0,
    open: 403,
    isPersonal: true,
    go: send('POST', '/api/passkeys/options', '{}'),
  },
  {
    name: 'add a passkey',
    needs: [],
    denied: 0,
    open: 403,
    isPersonal: true,
    go: send('POST', '/api/passkeys', '{}'),
  },
  {
    name: 'rename a passkey',
    needs: [],
    denied: 0,
    open: 404,
    isPersonal: true,
    go: send('PATCH', '/api/passkeys/none', '{"name":"x"}'),
  },
  {
    name: 'remove a passkey',
    needs: [],
    denied: 0,
    open: 404,
    isPersonal: true,
    go: send('DELETE', '/api/passkeys/none', JSON.stringify({ current_password: PASSWORD })),
  },
  { name: 'the provider', needs: ['admin'], denied: 403, open: 200, go: get('/api/oidc') },
  {
    name: 'own name there',
    needs: [],
    denied: 0,
    open: 200,
    isPersonal: true,
    go: get('/api/oidc/identity'),
  },
  // The page that says that it does not answer.
  {
    name: 'connect there',
    needs: [],
    denied: 0,
    open: 200,
    isPersonal: true,
    go: get('/api/oidc/connect'),
  },
  {
    name: 'confirm there',
    needs: [],
    denied: 0,
    open: 200,
    isPersonal: true,
    go: get('/api/oidc/confirm'),
  },
  {
    name: 'disconnect',
    needs: [],
    denied: 0,
    open: 404,
    isPersonal: true,
    go: send('DELETE', '/api/oidc/identity', '{}'),
  },
  { name: 'listing', needs: [], denied: 0, open: 200, go: get('/api/resources/') },
  { name: 'info', needs: [], denied: 0, open: 200, go: get('/api/resources/a.txt') },
  {
    name: 'everything below',
    needs: [],
    denied: 0,
    open: 200,
    go: get('/api/resources/recursive/'),
  },
  { name: 'search', needs: [], denied: 0, open: 200, go: get('/api/search/?query=a') },
  { name: 'unfinished uploads', needs: [], denied: 0, open: 200, go: get('/api/uploads') },
  {
    name: 'give up an unfinished upload of their own',
    needs: [],
    denied: 0,
    open: 404,
    go: send('DELETE', '/api/uploads/none.bin', ''),
  },
  { name: 'no other nodes', needs: ['admin'], denied: 403, open: 404, go: get('/api/nodes') },
  { name: 'locks', needs: [], denied: 0, open: 200, go: get('/api/locks/a.txt') },
  {
    name: 'end no lock',
    needs: [],
    denied: 0,
    open: 404,
    go: send('DELETE', '/api/locks/a.txt?id=none', ''),
  },
  { name: 'usage', needs: [], denied: 0, open: 200, go: get('/api/usage/') },
]

const FILES = Object.fromEntries(
  ['a', 'over', 'over2', 'over3', 'edit', 'del', 'move', 'move2'].map((name) => [
    `${name}.txt`,
    CANARY,
  ]),
)
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
/** What the doors are tried on. */
export const FILES_OF_DOORS = {
  ...FILES,
  'a.srt': `1\n00:00:01,000 --> 00:00:02,000\n${CANARY}\n`,
  'pixel.png': PIXEL,
  'shared/a.txt': CANARY,
  'shared/a.srt': `1\n00:00:01,000 --> 00:00:02,000\n${CANARY}\n`,
  'shared/pixel.png': PIXEL,
  ...Object.fromEntries(
    ['a', 'd', 'e', 'o', 'o2', 'm', 'm3', 'from/a', 'to/a', 'lock', 'part'].map((name) => [
      `dav/${name}.txt`,
      CANARY,
    ]),
  ),
  'job/a.txt': CANARY,
  'job/move.txt': CANARY,
  'job/del.txt': CANARY,
}
/** Every right there is. */
export const full: Permissions = { ...defaultPermissions(), admin: true }

function update(id: number, field: string, value: unknown): string {
  return JSON.stringify({
    what: 'user',
    which: [field],
    current_password: PASSWORD,
    data: { id, [field]: value },
  })
}

/** The account `subject`, acting by a token with these rights. */
export async function subjectByToken(app: TestApp, perm: Permissions): Promise<SignedIn> {
  const wanted = { name: 'matrix', perm, folder: ROOT, expiresMs: 0 }
  const { text } = await app.store.transaction((tx) => addApiToken(tx, 2, wanted))
  return {
    token: text,
    cookie: '',
    fetch: (path, init = {}) => {
      const headers = new Headers(init.headers)
      headers.set('X-Auth', text)
      return app.fetch(path, { ...init, headers })
    },
  }
}

/** Makes `subject` somebody whom only a directory lets in, and whose group there administrates. */
export async function joinDirectory(app: TestApp): Promise<void> {
  await app.store.transaction((tx) => {
    const user = findUser(tx, 2)
    if (!user) throw new Error('there is no subject')
    const who = { issuer: 'ldap:dc=example', subject: 'x', username: 'subject', groups: ['staff'] }
    const rules = {
      create: true,
      linkByName: false,
      allowedGroups: ['staff'],
      adminGroup: 'staff',
      adminLifeMs: 60 * 60_000,
    }
    connect(tx, { ...identityOf(2, who, rules), madeWith: fingerprintOf(user) })
  })
}

/** Hash of the folder that `subject` shares. */
export function shareOf(app: TestApp): string {
  return recordsOf(app.store).shares.find(({ path }) => path.endsWith('/shared/'))?.hash ?? ''
}

/** An application with the account `subject` (id 2), who has shared a folder, and `other` (id 3). */
export async function startMatrix(perm: Permissions): Promise<TestApp> {
  const app = await startApp({
    tree: FILES_OF_DOORS,
    // Nobody answers there.
    config: {
      enableExec: true,
      'oidc.issuer': 'http://127.0.0.1:9',
      'oidc.clientId': 'files',
    },
    users: [
      { username: 'subject', perm: full, commands: ['echo'] },
      { username: 'other', scope: '/folder' },
    ],
  })
  await makeShare(app, '/shared/', {}, 'subject')
  await changeRecords(app.store, (doc) => {
    const users = doc.users.map((user) => (user.id === 2 ? { ...user, perm } : user))
    return { ...doc, users }
  })
  return app
}
