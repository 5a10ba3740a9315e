// Who may read what the server writes (class 14): its own files nobody but the owner of the
// process, the files of users as configured and never more than the umask allows.
import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openLogFile } from '../../src/lib/log-file.ts'
import { type OpenedApp, openApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'

const TUS = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const umask = process.umask()

afterEach(() => {
  process.umask(umask)
})

async function modeOf(file: string): Promise<string> {
  return ((await stat(file)).mode & 0o7777).toString(8)
}

/** Makes files and folders in every way there is, and gives their modes. */
async function makeAll(app: OpenedApp): Promise<Record<string, string>> {
  const admin = await app.as('admin')
  const send = async (method: string, path: string, body = 'x', headers = {}) => {
    const response = await admin.fetch(path, { method, body, headers })
    expect(response.status, path).toBeLessThan(300)
  }
  await send('POST', '/api/resources/made/')
  await send('POST', '/api/resources/posted.txt')
  await send('POST', '/api/resources/a/b/deep.txt')
  await send('POST', '/api/tus/tus.bin', '', { 'Upload-Length': '2' })
  await send('PATCH', '/api/tus/tus.bin', 'ab', TUS)
  await send('POST', '/api/tus/empty.bin', '', { 'Upload-Length': '0' })
  const names = ['made', 'posted.txt', 'a', 'a/b', 'a/b/deep.txt', 'tus.bin', 'empty.bin']
  const modes = names.map(async (name) => [name, await modeOf(app.tree.at(name))] as const)
  return Object.fromEntries(await Promise.all(modes))
}

describe.skipIf(process.platform === 'win32')('CVE-2025-52900: files of users', () => {
  const expected = (dir: string, file: string) => ({
    made: dir,
    a: dir,
    'a/b': dir,
    'posted.txt': file,
    'a/b/deep.txt': file,
    'tus.bin': file,
    'empty.bin': file,
  })

  it('are for the owner and the group to read unless configured otherwise', async () => {
    process.umask(0o022)
    await using app = await openApp({ tree: {} })
    expect(await makeAll(app)).toEqual(expected('750', '640'))
  })

  it('have the modes that were configured', async () => {
    process.umask(0)
    const settings = { fileMode: 0o664, dirMode: 0o2775 }
    await using app = await openApp({ tree: {}, settings })
    const modes = await makeAll(app)
    expect(modes['posted.txt']).toBe('664')
    expect(modes['tus.bin']).toBe('664')
    expect(modes.made).toMatch(/^2?775$/)
  })

  it('never have more than the umask allows', async () => {
    process.umask(0o077)
    await using app = await openApp({ tree: {}, settings: { fileMode: 0o666, dirMode: 0o777 } })
    expect(await makeAll(app)).toEqual(expected('700', '600'))
  })

  it('keep the mode they had when they are replaced or copied', async () => {
    process.umask(0o022)
    await using app = await openApp({ tree: { 'own.sh': 'x', 'secret.txt': 'x' } })
    await chmod(app.tree.at('own.sh'), 0o755)
    await chmod(app.tree.at('secret.txt'), 0o600)
    const admin = await app.as('admin')
    for (const name of ['own.sh', 'secret.txt']) {
      await admin.fetch(`/api/resources/${name}`, { method: 'PUT', body: 'new' })
      const query = `action=copy&destination=/copy-${name}`
      await admin.fetch(`/api/resources/${name}?${query}`, { method: 'PATCH' })
    }
    expect(await modeOf(app.tree.at('own.sh'))).toBe('755')
    expect(await modeOf(app.tree.at('copy-own.sh'))).toBe('755')
    expect(await modeOf(app.tree.at('secret.txt'))).toBe('600')
    expect(await modeOf(app.tree.at('copy-secret.txt'))).toBe('600')
  })
})

describe.skipIf(process.platform === 'win32')('CVE-2025-52900: files of the server', () => {
  it('are for its own account alone: database, note of uploads, unfinished uploads', async () => {
    process.umask(0)
    await using app = await openApp({ tree: {} })
    const admin = await app.as('admin')
    const begun = await admin.fetch('/api/tus/big.bin', {
      method: 'POST',
      headers: { 'Upload-Length': '100' },
    })
    expect(begun.status).toBe(201)
    await admin.fetch('/api/tus/big.bin', { method: 'PATCH', headers: TUS, body: 'half' })
    const own = (await readdir(app.tree.base)).filter((name) => name.startsWith('filebrowser.db'))
    await waitFor('the note of uploads', async () =>
      (await readdir(app.tree.base)).includes('filebrowser.db.uploads'),
    )
    for (const name of [...own, 'filebrowser.db.uploads'])
      expect(await modeOf(join(app.tree.base, name)), name).toBe('600')
    const unfinished = await readdir(app.tree.root)
    expect(unfinished).toHaveLength(1)
    expect(await modeOf(app.tree.at(unfinished[0] ?? ''))).toMatch(/^[67][04]0$/)
  })

  it('and the pictures in its cache', async () => {
    process.umask(0)
    const app = await openApp({ tree: { 'a.png': PIXEL } })
    await app[Symbol.asyncDispose]()
    await using cached = await openApp({
      tree: { 'a.png': PIXEL },
      config: { cacheDir: join(app.tree.base, 'cache') },
    })
    const admin = await cached.as('admin')
    expect((await admin.fetch('/api/preview/thumb/a.png')).status).toBe(200)
    const cache = join(app.tree.base, 'cache')
    const names = await readdir(cache, { recursive: true })
    expect(names.length).toBeGreaterThan(0)
    for (const name of ['', ...names]) {
      const file = join(cache, name)
      const isDir = (await stat(file)).isDirectory()
      expect(await modeOf(file), name).toBe(isDir ? '700' : '600')
    }
  })

  it('and its log', async () => {
    process.umask(0)
    await using app = await openApp({ tree: {} })
    const target = join(app.tree.base, 'server.log')
    const log = await openLogFile(target, { onError: () => {} })
    log.write('hello\n')
    await log.close()
    expect(await modeOf(target)).toBe('600')
  })
})
