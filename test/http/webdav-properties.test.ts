import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { type OpenedApp, openApp } from '../support/app.ts'
import { type DavAsk, davAs } from '../support/dav.ts'

const TREE = { 'a.txt': 'hello', 'folder/b.txt': 'b', 'other/c.txt': 'c' }
const update = (inner: string) =>
  `<D:propertyupdate xmlns:D="DAV:" xmlns:m="urn:schemas-microsoft-com:">${inner}</D:propertyupdate>`
const set = (inner: string) => `<D:set><D:prop>${inner}</D:prop></D:set>`
const NOTE = '<n:note xmlns:n="urn:n">kept</n:note>'

const patch = (dav: DavAsk, path: string, inner: string) =>
  dav('PROPPATCH', path, {}, update(inner))
const told = async (dav: DavAsk, path: string) =>
  (await dav('PROPFIND', path, { Depth: '0' })).text()
const isNoted = async (dav: DavAsk, path: string) => (await told(dav, path)).includes('>kept<')
const fileOf = (app: OpenedApp) => `${app.store.file}.properties`

describe('properties by WebDAV', () => {
  it('come back with their namespaces, languages and nested elements', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const value =
      '<a:x xmlns:a="urn:a" xml:lang="de" a:at="1&quot;" plain="&lt;">t&amp;<b xmlns=""><a:c/></b>😀</a:x>'
    expect((await patch(dav, '/dav/a.txt', set(value))).status).toBe(207)
    expect(await told(dav, '/dav/a.txt')).toContain(
      '<x:x xmlns:x="urn:a" xml:lang="de" xmlns:a0="urn:a" a0:at="1&quot;" plain="&lt;">t&amp;<b xmlns=""><x:c xmlns:x="urn:a"/></b>😀</x:x>',
    )
    const names = '<D:propfind xmlns:D="DAV:"><D:propname/></D:propfind>'
    const text = await (await dav('PROPFIND', '/dav/', { Depth: '1' }, names)).text()
    expect(text).toContain('<x:x xmlns:x="urn:a"/>')
  })

  it('are set and removed in the order of the request', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const remove = `<D:remove><D:prop><n:note xmlns:n="urn:n"/></D:prop></D:remove>`
    await patch(dav, '/dav/a.txt', remove + set(NOTE))
    expect(await isNoted(dav, '/dav/a.txt')).toBe(true)
    await patch(dav, '/dav/a.txt', set(NOTE) + remove)
    expect(await isNoted(dav, '/dav/a.txt')).toBe(false)
  })

  it('are all set, or none', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const answer = await patch(dav, '/dav/a.txt', set(`${NOTE}<D:getetag>x</D:getetag>`))
    expect(await answer.text()).toMatch(
      /getetag\/><\/D:prop><D:status>HTTP\/1.1 403.*cannot-modify-protected-property.*note.*424/,
    )
    expect(await isNoted(dav, '/dav/a.txt')).toBe(false)
  })

  it('end at 64 KiB a file with 507', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const large = `<x xmlns="urn:x">${'a'.repeat(70_000)}</x>`
    expect(await (await patch(dav, '/dav/a.txt', set(NOTE + large))).text()).toContain(
      'HTTP/1.1 507',
    )
    expect(await isNoted(dav, '/dav/a.txt')).toBe(false)
  })

  it.each([
    ['{DAV:}lastmodified', '<D:lastmodified>1700000000</D:lastmodified>'],
    [
      'Win32LastModifiedTime',
      '<m:Win32FileAttributes>00000020</m:Win32FileAttributes>' +
        '<m:Win32LastModifiedTime>Tue, 14 Nov 2023 22:13:20 GMT</m:Win32LastModifiedTime>',
    ],
  ])('%s sets the time of the file', async (_, inner) => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    expect(await (await patch(dav, '/dav/a.txt', set(inner))).text()).toContain('HTTP/1.1 200')
    expect((await stat(app.tree.at('a.txt'))).mtimeMs).toBe(1_700_000_000_000)
    expect(await told(dav, '/dav/a.txt')).not.toContain('Win32FileAttributes')
  })

  it('make a file a program', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const to = (text: string) =>
      set(`<p:executable xmlns:p="http://apache.org/dav/props/">${text}</p:executable>`)
    const isProgram = async () => ((await stat(app.tree.at('a.txt'))).mode & 0o100) !== 0
    await patch(dav, '/dav/a.txt', to('T'))
    expect(await isProgram()).toBe(true)
    await patch(dav, '/dav/a.txt', to('F'))
    expect(await isProgram()).toBe(false)
  })

  it('follow copies and moves by any door, and end with the file', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    const admin = await app.as('admin')
    const page = (query: string, method = 'PATCH') =>
      admin.fetch(`/api/resources${query}`, { method })
    await patch(dav, '/dav/folder/b.txt', set(NOTE))
    await page('/folder?action=copy&destination=/copy')
    await page('/folder?action=rename&destination=/moved')
    for (const path of ['copy/b.txt', 'moved/b.txt'])
      expect(await isNoted(dav, `/dav/${path}`), path).toBe(true)
    await dav('COPY', '/dav/copy', { Destination: '/dav/other' })
    expect(await isNoted(dav, '/dav/other/b.txt')).toBe(true)
    await dav('MOVE', '/dav/a.txt', { Destination: '/dav/other/b.txt' })
    expect(await isNoted(dav, '/dav/other/b.txt')).toBe(false)
    await page('/moved/b.txt', 'DELETE')
    await dav('PUT', '/dav/moved/b.txt', {}, 'new')
    expect(await isNoted(dav, '/dav/moved/b.txt')).toBe(false)
    await dav('PUT', '/dav/copy/b.txt', {}, 'another content')
    expect(await isNoted(dav, '/dav/copy/b.txt')).toBe(true)
  })

  it('come back from the trash with what was deleted, whole or in part', async () => {
    await using app = await openApp({ tree: { ...TREE, 'folder/c.txt': 'c' } })
    const dav = await davAs(app)
    const admin = await app.as('admin')
    for (const name of ['b.txt', 'c.txt']) await patch(dav, `/dav/folder/${name}`, set(NOTE))
    const remove = async (path: string) => {
      await admin.fetch(`/api/resources/${path}`, { method: 'DELETE' })
      return (await (await admin.fetch('/api/trash')).json()).items[0].id
    }
    const restore = (id: string) =>
      admin.fetch('/api/trash/restore', { method: 'POST', body: JSON.stringify({ ids: [id] }) })
    const id = await remove('folder')
    await restore(`${id}/b.txt`)
    expect(await isNoted(dav, '/dav/folder/b.txt')).toBe(true)
    await dav('MOVE', '/dav/folder', { Destination: '/dav/part' })
    await restore(id)
    expect(await isNoted(dav, '/dav/folder/c.txt')).toBe(true)
    const gone = await remove('folder')
    await admin.fetch(`/api/trash/${gone}`, { method: 'DELETE' })
    const written = async () =>
      Object.keys(JSON.parse(await readFile(`${app.store.file}.properties`, 'utf8')))
    await expect.poll(written, { timeout: 5_000 }).toEqual([app.tree.at('part/b.txt')])
  })

  it('are kept beside the database, in a file that is there as long as they are', async () => {
    await using app = await openApp({ tree: TREE })
    const dav = await davAs(app)
    await told(dav, '/dav/a.txt')
    expect(existsSync(fileOf(app))).toBe(false)
    await patch(dav, '/dav/a.txt', set(NOTE))
    await expect.poll(() => existsSync(fileOf(app))).toBe(true)
    expect(JSON.parse(await readFile(fileOf(app), 'utf8'))).toEqual({
      [app.tree.at('a.txt')]: { '{urn:n}note': '<x:note xmlns:x="urn:n">kept</x:note>' },
    })
    await dav('DELETE', '/dav/a.txt')
    await (await app.as('admin')).fetch('/api/trash', { method: 'DELETE' })
    await expect.poll(() => existsSync(fileOf(app))).toBe(false)
  })
})
