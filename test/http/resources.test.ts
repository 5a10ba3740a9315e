import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { SAMPLES } from '../support/pictures.ts'
import { recordsOf } from '../support/records.ts'
import { AWKWARD_NAMES, SECRET } from '../support/tree.ts'

const encode = (name: string) => name.split('/').map(encodeURIComponent).join('/')

describe('awkward names', () => {
  it('are listed, read, renamed and deleted as themselves', async () => {
    await using app = await startApp()
    const admin = await app.as('admin')
    const listing = await (await admin.fetch('/api/resources/')).json()
    const names = listing.items.map((item: { name: string }) => item.name)
    expect(names).toEqual(expect.arrayContaining([...AWKWARD_NAMES]))
    for (const name of AWKWARD_NAMES) {
      const raw = await admin.fetch(`/api/raw/${encode(name)}`)
      expect(await raw.text(), name).toBe(`content of ${name}`)
      const target = `/moved ${name}`
      const query = `action=rename&destination=${encodeURIComponent(encode(target))}`
      const moved = await admin.fetch(`/api/resources/${encode(name)}?${query}`, {
        method: 'PATCH',
      })
      expect(moved.status, name).toBe(200)
      expect(await app.tree.read(`moved ${name}`)).toBe(`content of ${name}`)
      const gone = await admin.fetch(`/api/resources${encode(target)}`, { method: 'DELETE' })
      expect(gone.status, name).toBe(204)
    }
    const left = await readdir(app.tree.root)
    expect(left.filter((name) => name.startsWith('moved'))).toEqual([])
  })

  it('neither lists nor opens a link that leaves the scope', async () => {
    await using app = await startApp()
    const admin = await app.as('admin')
    const listing = await (await admin.fetch('/api/resources/')).text()
    expect(listing).not.toContain('link-outside')
    for (const path of ['/api/raw/link-outside', '/api/resources/link-outside']) {
      const response = await admin.fetch(path)
      expect(response.status).toBe(403)
      expect(await response.text()).not.toContain(SECRET)
    }
  })
})

describe('what cards show', () => {
  it('counts what an account sees in a folder, and names the first picture that can be read', async () => {
    await using app = await startApp({
      tree: {
        'album/.hidden.jpg': 'x',
        'album/b.jpg': 'picture',
        'album/a.txt': 'text',
        'album/a.png': '',
        'album/sub/c.jpg': 'below',
        empty: null,
      },
    })
    const admin = await app.as('admin')
    const summary = async (path: string) =>
      (await admin.fetch(`/api/resources${path}?summary=true`)).json()
    const { picture, ...album } = await summary('/album')
    expect(album).toMatchObject({ path: '/album', isDir: true, numDirs: 1, numFiles: 4 })
    expect(album.items).toBeUndefined()
    // Hidden names are shown to this account, and come first; an empty file is no picture.
    expect(picture).toMatchObject({ path: '/album/.hidden.jpg', type: 'image', size: 1 })
    expect(await summary('/empty')).toMatchObject({ numDirs: 0, numFiles: 0, picture: null })
    expect((await summary('/album/a.txt')).type).toBe('text')
    expect((await admin.fetch('/api/resources/gone?summary=true')).status).toBe(404)
  })

  it('tells how long a film is, without looking for subtitles', async () => {
    await using app = await startApp()
    await app.tree.add({
      'film.mp4': await readFile(join(SAMPLES, 'film.mp4')),
      'film.srt': 'x',
      'broken.mp4': 'no film',
    })
    const admin = await app.as('admin')
    const ask = async (path: string) => (await admin.fetch(`/api/resources${path}`)).json()
    expect(await ask('/film.mp4?duration=true')).toMatchObject({ type: 'video', duration: 4 })
    expect(await ask('/film.mp4?duration=true')).not.toHaveProperty('subtitles')
    expect(await ask('/film.mp4')).toHaveProperty('subtitles', ['/film.srt'])
    expect(await ask('/film.mp4')).not.toHaveProperty('duration')
    expect(await ask('/broken.mp4?duration=true')).toMatchObject({ duration: null })
  })
})

describe('deleting what was seen', () => {
  async function seenBelow(user: { fetch(path: string): Promise<Response> }, path: string) {
    const below = await (await user.fetch(`/api/resources/recursive${path}`)).json()
    const times = below.map((entry: { path: string; isDir: boolean; modified: string }) => {
      return [entry.path, entry.isDir ? null : entry.modified]
    })
    return Object.fromEntries([[path, null], ...times])
  }
  const remove = (entries: object | undefined) => ({
    method: 'DELETE',
    ...(entries === undefined ? {} : { body: JSON.stringify({ entries }) }),
  })
  const at = '/api/resources/copy?seen=true&trash=false'

  it('removes a tree that is as it was', async () => {
    const files = {
      'copy/a.txt': 'A',
      'copy/deep/b.txt': 'B',
      'copy/empty': null,
      'other.txt': 'x',
    }
    await using app = await startApp({ tree: files })
    const admin = await app.as('admin')
    const seen = await seenBelow(admin, '/copy')
    expect((await admin.fetch(at, remove(seen))).status).toBe(204)
    expect(await readdir(app.tree.root)).toEqual(['other.txt'])
  })

  it.each([
    ['came', { 'copy/deep/new.txt': 'new' }],
    ['changed', { 'copy/a.txt': 'changed' }],
    ['is being uploaded', { 'copy/deep/.fb-tmp-part': 'half' }],
  ])('keeps all when something %s since the look', async (_, since) => {
    const files = { 'copy/a.txt': 'A', 'copy/deep/b.txt': 'B', 'copy/deep/c.txt': 'C' }
    await using app = await startApp({ tree: files })
    const admin = await app.as('admin')
    const seen = await seenBelow(admin, '/copy')
    await app.tree.add(since)
    const there = await readdir(app.tree.root, { recursive: true })
    const answer = await admin.fetch(at, remove(seen))
    expect(answer.status).toBe(412)
    expect(answer.headers.get('X-Error-Code')).toBe('precondition_failed')
    expect(await readdir(app.tree.root, { recursive: true })).toEqual(there)
  })

  it('keeps what comes while it removes, and ends the shares of what went before', async () => {
    const names = Array.from({ length: 1000 }, (_, n) => `copy/${1000 + n}.txt`)
    await using app = await startApp({ tree: Object.fromEntries(names.map((name) => [name, 'x'])) })
    const admin = await app.as('admin')
    for (const name of ['copy', 'copy/1999.txt'])
      await admin.fetch(`/api/share/${name}`, { method: 'POST', body: '{}' })
    const seen = await seenBelow(admin, '/copy')
    const answer = admin.fetch(at, remove(seen))
    await waitFor('the first removals', async () => !existsSync(app.tree.at('copy/1999.txt')))
    await app.tree.add({ 'copy/late.txt': 'late' })
    expect((await answer).status).toBe(412)
    expect(await readdir(app.tree.at('copy'))).toEqual(['late.txt'])
    expect(recordsOf(app.store).shares.map(({ path }) => path)).toEqual(['/copy'])
  })

  it.each([
    ['without a body, as a proxy may send it on', undefined],
    ['that names something elsewhere', { '/copy': null, '/other.txt': 'x' }],
    ['that does not name the entry itself', { '/copy/a.txt': 'x' }],
    ['with a time that is none', { '/copy': null, '/copy/a.txt': 1 }],
  ])('refuses a deletion %s, and deletes nothing', async (_, entries) => {
    await using app = await startApp({ tree: { 'copy/a.txt': 'A', 'other.txt': 'x' } })
    const admin = await app.as('admin')
    expect((await admin.fetch(at, remove(entries))).status).toBe(400)
    expect(await app.tree.read('copy/a.txt')).toBe('A')
    expect(await app.tree.read('other.txt')).toBe('x')
  })
})

describe('writing', () => {
  it('keeps the old file when an upload breaks off, and leaves nothing behind', async () => {
    await using app = await startApp({ tree: { 'keep.txt': 'old content' } })
    const admin = await app.as('admin')
    const url = `${app.origin}/api/resources/keep.txt?override=true`
    const sending = request(url, {
      method: 'POST',
      headers: { 'X-Auth': admin.token, 'Content-Length': 1_000_000 },
    })
    sending.on('error', () => {})
    sending.write(Buffer.alloc(100_000, 'x'))
    await waitFor('the temporary file', async () => (await readdir(app.tree.root)).length > 1)
    sending.destroy()
    await waitFor('the clean-up', async () => (await readdir(app.tree.root)).length === 1)
    expect(await app.tree.read('keep.txt')).toBe('old content')
  })

  it('does not delete a folder that an upload names as its target', async () => {
    await using app = await startApp({ tree: { 'folder/inner.txt': 'inner' } })
    const admin = await app.as('admin')
    const response = await admin.fetch('/api/resources/folder?override=true', {
      method: 'POST',
      body: 'x',
    })
    expect(response.status).toBe(500)
    expect(await app.tree.read('folder/inner.txt')).toBe('inner')
  })

  it('saves only what the client has seen when it says so', async () => {
    await using app = await startApp({ tree: { 'a.txt': 'one' } })
    const admin = await app.as('admin')
    const etag = (await admin.fetch('/api/raw/a.txt')).headers.get('etag') ?? ''
    const save = (body: string, match: string) =>
      admin.fetch('/api/resources/a.txt', { method: 'PUT', body, headers: { 'If-Match': match } })
    const first = await save('two', etag)
    expect(first.status).toBe(200)
    const stale = await save('three', etag)
    expect(stale.status).toBe(412)
    expect(stale.headers.get('x-error-code')).toBe('precondition_failed')
    expect(stale.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(await app.tree.read('a.txt')).toBe('two')
  })

  it.each([
    ['PUT', '', 'If-None-Match', '*', 412],
    ['PUT', '', 'If-None-Match', 'etag', 412],
    ['PUT', '', 'If-None-Match', '"other"', 200],
    ['POST', '?override=true', 'If-None-Match', '*', 412],
    ['POST', '?override=true', 'If-Match', '"other"', 412],
    ['POST', '?override=true', 'If-Match', 'etag', 200],
  ])('answers a %s%s with %s: %s by %i', async (method, query, name, value, status) => {
    await using app = await startApp({ tree: { 'a.txt': 'one' } })
    const admin = await app.as('admin')
    const etag = (await admin.fetch('/api/raw/a.txt')).headers.get('etag') ?? ''
    const headers = { [name]: value === 'etag' ? etag : value }
    const path = `/api/resources/a.txt${query}`
    const response = await admin.fetch(path, { method, body: 'two', headers })
    expect(response.status).toBe(status)
    expect(await app.tree.read('a.txt')).toBe(status === 200 ? 'two' : 'one')
  })

  it.each([
    ['If-Match', '*', 412],
    ['If-None-Match', '*', 200],
  ])('answers an upload to a free name with %s: %s by %i', async (name, value, status) => {
    await using app = await startApp({ tree: {} })
    const admin = await app.as('admin')
    const options = { method: 'POST', body: 'x', headers: { [name]: value } }
    expect((await admin.fetch('/api/resources/a.txt', options)).status).toBe(status)
    expect(await readdir(app.tree.root)).toEqual(status === 200 ? ['a.txt'] : [])
  })

  it('lets one of two saves through that have seen the same file', async () => {
    await using app = await startApp({ tree: { 'a.txt': 'one' } })
    const admin = await app.as('admin')
    const etag = (await admin.fetch('/api/raw/a.txt')).headers.get('etag') ?? ''
    const save = (body: string) => {
      const sending = request(`${app.origin}/api/resources/a.txt`, {
        method: 'PUT',
        headers: { 'X-Auth': admin.token, 'If-Match': etag },
      })
      sending.write(body)
      return sending
    }
    const answerOf = async (sending: ClientRequest) => {
      const [answer] = (await once(sending.end(), 'response')) as [IncomingMessage]
      answer.resume()
      return [answer.statusCode, answer.headers['x-error-code'], answer.headers.etag === etag]
    }
    const saves = [save('two'), save('three')]
    // Both are past the first look at the file when both temporary files are there.
    await waitFor('both bodies', async () => (await readdir(app.tree.root)).length === 3)
    const answers = await Promise.all(saves.map(answerOf))
    expect(answers.sort()).toEqual([
      [200, undefined, false],
      [412, 'precondition_failed', false],
    ])
    expect(await readdir(app.tree.root)).toEqual(['.fb-versions', 'a.txt'])
  })

  it('keeps the mode of a file it replaces', async () => {
    await using app = await startApp({ tree: { 'run.sh': 'old' } })
    const { chmod } = await import('node:fs/promises')
    await chmod(app.tree.at('run.sh'), 0o755)
    const admin = await app.as('admin')
    await admin.fetch('/api/resources/run.sh', { method: 'PUT', body: 'new' })
    expect((await stat(app.tree.at('run.sh'))).mode & 0o777).toBe(0o755)
  })

  it('gives a file the modification time it had where it comes from', async () => {
    await using app = await startApp({ tree: {} })
    const admin = await app.as('admin')
    await admin.fetch('/api/resources/old.txt', {
      method: 'POST',
      body: 'x',
      headers: { 'X-Modified': '1700000000123' },
    })
    expect((await stat(app.tree.at('old.txt'))).mtimeMs).toBe(1_700_000_000_123)
  })

  it('refuses what cannot fit before taking a byte', async () => {
    await using app = await startApp({ tree: {} })
    const admin = await app.as('admin')
    const response = await admin.fetch('/api/tus/huge.bin', {
      method: 'POST',
      headers: { 'Upload-Length': String(Number.MAX_SAFE_INTEGER) },
    })
    expect(response.status).toBe(507)
    expect(response.headers.get('x-error-code')).toBe('no_space')
    expect(await readdir(app.tree.root)).toEqual([])
  })
})

it('a folder of the root that is called `recursive` is as good as any', async () => {
  await using app = await startApp({ tree: { 'recursive/a.txt': 'x' } })
  const admin = await app.as('admin')
  const listed = await (await admin.fetch('/api/resources/recursive/?recursive=false')).json()
  expect(listed.items.map(({ name }: { name: string }) => name)).toEqual(['a.txt'])
  expect((await admin.fetch('/api/resources/recursive?recursive=false')).redirected).toBe(false)
  const deep = await (await admin.fetch('/api/resources/recursive/')).json()
  expect(deep.map(({ path }: { path: string }) => path)).toEqual(['/recursive', '/recursive/a.txt'])

  const at = '/api/resources/recursive'
  expect((await admin.fetch(`${at}/b.txt`, { method: 'POST', body: 'new' })).status).toBe(200)
  expect((await admin.fetch(`${at}/b.txt`, { method: 'PUT', body: 'saved' })).status).toBe(200)
  expect(await app.tree.read('recursive/b.txt')).toBe('saved')
  const query = 'action=rename&destination=/renamed'
  expect((await admin.fetch(`${at}?${query}`, { method: 'PATCH' })).status).toBe(200)
  expect(await readdir(app.tree.root)).toEqual(['.fb-versions', 'renamed'])
  await app.tree.add({ 'recursive/c.txt': 'x' })
  expect((await admin.fetch(`${at}?trash=false`, { method: 'DELETE' })).status).toBe(204)
  expect(await readdir(app.tree.root)).toEqual(['.fb-versions', 'renamed'])
})

it('sends an empty file to who asks for a range of it, as download managers do', async () => {
  await using app = await startApp({ tree: { 'empty.bin': '' } })
  const admin = await app.as('admin')
  for (const Range of ['bytes=0-', 'bytes=0-1023', 'bytes=-5']) {
    const response = await admin.fetch('/api/raw/empty.bin', { headers: { Range } })
    expect([response.status, await response.text()], Range).toEqual([200, ''])
  }
})

describe('copy and move', () => {
  const patch = (source: string, action: string, destination: string, more = '') =>
    [
      `/api/resources${source}?action=${action}&destination=${encodeURIComponent(destination)}${more}`,
      { method: 'PATCH' },
    ] as const

  it('lets the share of a file follow it', async () => {
    await using app = await startApp({ tree: { 'a.txt': 'shared' } })
    const admin = await app.as('admin')
    const share = await (
      await admin.fetch('/api/share/a.txt', { method: 'POST', body: '{}' })
    ).json()
    expect((await admin.fetch(...patch('/a.txt', 'rename', '/b.txt'))).status).toBe(200)
    await app.tree.add({ 'a.txt': 'another file at the old place' })
    const download = await app.fetch(`/api/public/dl/${share.hash}`)
    expect(await download.text()).toBe('shared')
  })

  it('takes a destination that was encoded once', async () => {
    await using app = await startApp({ tree: { 'a.txt': 'x' } })
    const admin = await app.as('admin')
    expect((await admin.fetch(...patch('/a.txt', 'rename', '/100%.txt'))).status).toBe(200)
    expect(await app.tree.read('100%.txt')).toBe('x')
  })

  it('merges a folder moved onto another one', async () => {
    await using app = await startApp({ tree: { 'a/x.txt': 'x', 'b/y.txt': 'y', 'b/x.txt': 'old' } })
    const admin = await app.as('admin')
    const moved = await admin.fetch(...patch('/a', 'rename', '/b', '&override=true'))
    expect(moved.status).toBe(200)
    expect((await readdir(app.tree.at('b'))).sort()).toEqual(['x.txt', 'y.txt'])
    expect(await app.tree.read('b/x.txt')).toBe('x')
    await expect(stat(app.tree.at('a'))).rejects.toThrow()
  })

  it('copies nothing of a tree that holds a link out of the scope', async () => {
    await using app = await startApp({
      tree: { 'a/x.txt': 'x', 'a/out': { link: '/etc/hostname' } },
    })
    const admin = await app.as('admin')
    expect((await admin.fetch(...patch('/a', 'copy', '/b'))).status).toBe(403)
    expect(await readdir(app.tree.root)).toEqual(['a'])
  })

  it('runs no hook for an action it does not know', async () => {
    await using app = await startApp({
      tree: { 'a.txt': 'x' },
      config: { enableExec: true },
      settings: { commands: { before_upload: ['touch ran'] } },
    })
    const admin = await app.as('admin')
    expect((await admin.fetch(...patch('/a.txt', 'upload', '/b.txt'))).status).toBe(400)
    expect(await readdir(app.tree.root)).toEqual(['a.txt'])
  })
})

describe('resumable uploads', () => {
  const patchHeaders = (offset: number) => ({
    'Content-Type': 'application/offset+octet-stream',
    'Upload-Offset': String(offset),
  })

  it('stays out of sight until it is whole and then replaces at once', async () => {
    await using app = await startApp({ tree: { 'a.bin': 'before' } })
    const admin = await app.as('admin')
    const url = '/api/tus/a.bin?override=true'
    await admin.fetch(url, { method: 'POST', headers: { 'Upload-Length': '10' } })
    await admin.fetch(url, { method: 'PATCH', headers: patchHeaders(0), body: 'hello' })
    expect(await app.tree.read('a.bin')).toBe('before')
    const listing = await (await admin.fetch('/api/resources/')).json()
    expect(listing.items.map((item: { name: string }) => item.name)).toEqual(['a.bin'])
    await admin.fetch(url, { method: 'PATCH', headers: patchHeaders(5), body: 'world' })
    expect(await app.tree.read('a.bin')).toBe('helloworld')
    expect(await readdir(app.tree.root)).toEqual(['.fb-versions', 'a.bin'])
  })

  it('keeps what arrived when the connection breaks and goes on from there', async () => {
    await using app = await startApp({ tree: {} })
    const admin = await app.as('admin')
    const content = Buffer.from(Array.from({ length: 500_000 }, (_, i) => i % 251))
    await admin.fetch('/api/tus/b.bin', {
      method: 'POST',
      headers: { 'Upload-Length': String(content.length) },
    })
    const broken = request(`${app.origin}/api/tus/b.bin`, {
      method: 'PATCH',
      headers: { 'X-Auth': admin.token, ...patchHeaders(0), 'Content-Length': content.length },
    })
    broken.on('error', () => {})
    broken.write(content.subarray(0, 200_000))
    const offset = async () => {
      const head = await admin.fetch('/api/tus/b.bin', { method: 'HEAD' })
      return Number(head.headers.get('upload-offset'))
    }
    await waitFor('the first bytes on disk', async () => (await offset()) === 200_000)
    broken.destroy()
    // The server notices the loss; the next request then finds the upload free.
    const rest = await admin.fetch('/api/tus/b.bin', {
      method: 'PATCH',
      headers: patchHeaders(200_000),
      body: content.subarray(200_000),
    })
    expect(rest.status).toBe(204)
    const { readFile } = await import('node:fs/promises')
    const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
    expect(sha(await readFile(app.tree.at('b.bin')))).toBe(sha(content))
  })

  it('completes an empty file at its creation', async () => {
    await using app = await startApp({ tree: {} })
    const admin = await app.as('admin')
    await admin.fetch('/api/tus/empty', { method: 'POST', headers: { 'Upload-Length': '0' } })
    expect((await stat(app.tree.at('empty'))).size).toBe(0)
  })

  it('leaves the disk as it was when the length is no number', async () => {
    await using app = await startApp({ tree: { 'a.txt': 'old' } })
    const admin = await app.as('admin')
    for (const length of ['-1', '1e3', '+1', 'x', '']) {
      const response = await admin.fetch('/api/tus/a.txt?override=true', {
        method: 'POST',
        headers: { 'Upload-Length': length },
      })
      expect(response.status, length).toBe(400)
    }
    expect(await app.tree.read('a.txt')).toBe('old')
    expect(await readdir(app.tree.root)).toEqual(['a.txt'])
  })

  it('does not come back after the folder it went to was removed', async () => {
    await using app = await startApp({ tree: {} })
    const admin = await app.as('admin')
    await admin.fetch('/api/tus/dir/a.txt', { method: 'POST', headers: { 'Upload-Length': '3' } })
    await rm(app.tree.at('dir'), { recursive: true })
    const response = await admin.fetch('/api/tus/dir/a.txt', {
      method: 'PATCH',
      headers: patchHeaders(0),
      body: 'abc',
    })
    expect(response.status).toBe(404)
  })
})

it('bodies about as large as what a socket gives at once arrive whole, whatever sends them', async () => {
  await using app = await startApp()
  const admin = await app.as('admin')
  const tus = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }
  for (const sizeBytes of [60_000, 64_000, 64_800, 65_200, 65_536, 65_537, 70_000]) {
    const body = Buffer.from(Array.from({ length: sizeBytes }, (_, i) => i % 251))
    const name = `${sizeBytes}.bin`
    await admin.fetch(`/api/resources/post-${name}`, { method: 'POST', body })
    await admin.fetch(`/api/resources/put-${name}`, { method: 'POST' })
    await admin.fetch(`/api/resources/put-${name}`, { method: 'PUT', body })
    const headers = { 'Upload-Length': String(sizeBytes) }
    await admin.fetch(`/api/tus/tus-${name}`, { method: 'POST', headers })
    await admin.fetch(`/api/tus/tus-${name}`, { method: 'PATCH', headers: tus, body })
    for (const way of ['post', 'put', 'tus'])
      expect((await readFile(app.tree.at(`${way}-${name}`))).equals(body), way + name).toBe(true)
  }
})
