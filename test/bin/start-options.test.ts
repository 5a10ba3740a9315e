// Options of the start that old start scripts, units and compose files give in several spellings:
// each does the same in each of them.
import { copyFile, readdir, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withDeadline } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { SAMPLES } from '../support/pictures.ts'
import { type Program, runProgram, startProgram } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'

/** One way to give an option: words, environment, or keys of the configuration file. */
interface Given {
  args?: string[]
  env?: Record<string, string>
  file?: Record<string, unknown>
}

/** Starts with the option and nothing else about it; `listen` stands in for address and port. */
async function startWith(tree: Tree, given: Given, listen?: string[]): Promise<Program> {
  const file = join(tree.base, 'start.json')
  if (given.file) await writeFile(file, JSON.stringify(given.file))
  return startProgram(tree, {
    args: [...(given.file ? ['-c', file] : []), ...(given.args ?? [])],
    ...(given.env && { env: given.env }),
    ...(listen && { listen }),
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const statusAt = async (port: number) => (await fetch(`http://127.0.0.1:${port}/health`)).status

describe('the port', () => {
  const ways: [string, (port: number) => Given][] = [
    ['-p', (port) => ({ args: ['-p', `${port}`] })],
    ['-p without a space', (port) => ({ args: [`-p${port}`] })],
    ['--port', (port) => ({ args: [`--port=${port}`] })],
    ['FB_PORT', (port) => ({ env: { FB_PORT: `${port}` } })],
    ['port in the file', (port) => ({ file: { port } })],
    ['port in the file, as text', (port) => ({ file: { port: `${port}` } })],
  ]
  test.each(ways)('by %s is where the server listens', async (_name, give) => {
    await using tree = await makeTree({})
    const port = await freePort()
    await using program = await startWith(tree, give(port), ['-a', '127.0.0.1'])
    expect(program.port).toBe(port)
    expect(await statusAt(port)).toBe(200)
    await program.stop()
    await expect(statusAt(port)).rejects.toThrow('fetch failed')
  })

  test('by config set is that of the next start, and a flag is above it', async () => {
    await using tree = await makeTree({})
    const [stored, given] = [await freePort(), await freePort()]
    const first = await startProgram(tree)
    await first.stop()
    const { database } = first
    const change = ['config', 'set', '-d', database, '--port', `${stored}`]
    expect((await runProgram(change, { cwd: tree.base })).code).toBe(0)
    await using second = await startProgram(tree, { listen: ['-a', '127.0.0.1'] })
    expect(await statusAt(stored)).toBe(200)
    await second.stop()
    await using third = await startWith(tree, { args: ['-p', `${given}`] }, ['-a', '127.0.0.1'])
    expect(third.port).toBe(given)
    await expect(statusAt(stored)).rejects.toThrow('fetch failed')
  })

  test('that is taken ends the start with its number', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    const args = ['-r', tree.root, '-d', 'second.db', '-a', '127.0.0.1', '-p', `${program.port}`]
    const { code, stderr } = await runProgram(args, { cwd: tree.base })
    expect(stderr).toContain(`port ${program.port} is in use by another program`)
    expect(code).toBe(1)
  })
})

describe('the folder for previews', () => {
  test.each<[string, (folder: string) => Given]>([
    ['--cacheDir', (folder) => ({ args: ['--cacheDir', folder] })],
    ['--cache-dir', (folder) => ({ args: [`--cache-dir=${folder}`] })],
    ['FB_CACHE_DIR', (folder) => ({ env: { FB_CACHE_DIR: folder } })],
    ['cacheDir in the file', (folder) => ({ file: { cacheDir: folder } })],
  ])('by %s gets the preview that was made', async (name, give) => {
    await using tree = await makeTree({})
    await copyFile(join(SAMPLES, 'picture.jpg'), tree.at('picture.jpg'))
    const folder = join(tree.base, 'previews')
    await using program = await startWith(tree, give(folder))
    const user = await loginAs(program.origin)
    expect((await user.fetch('/api/preview/big/picture.jpg')).status).toBe(200)
    const made = await readdir(folder, { recursive: true })
    expect(made.filter((path) => /^[\da-f]\/[\da-f]{2}\/[\da-f]{40}$/.test(path))).toHaveLength(1)
    const isOld = name === '--cache-dir'
    expect(program.output().includes('--cache-dir is an old name, use --cacheDir')).toBe(isOld)
  })

  test('by the old spelling in the file is none, as ever, but it is said', async () => {
    await using tree = await makeTree({})
    await copyFile(join(SAMPLES, 'picture.jpg'), tree.at('picture.jpg'))
    const folder = join(tree.base, 'previews')
    await using program = await startWith(tree, { file: { 'cache-dir': folder } })
    const user = await loginAs(program.origin)
    expect((await user.fetch('/api/preview/big/picture.jpg')).status).toBe(200)
    await expect(stat(folder)).rejects.toThrow('ENOENT')
    expect(program.output()).toMatch(/unknown key cache-dir in .* did you mean cacheDir\?/)
  })
})

describe('the address of a Redis', () => {
  const url = 'redis://127.0.0.1:1'
  test.each<[string, Given]>([
    ['--redisCacheUrl', { args: ['--redisCacheUrl', url] }],
    ['--redis-cache-url', { args: [`--redis-cache-url=${url}`] }],
    ['FB_REDIS_CACHE_URL', { env: { FB_REDIS_CACHE_URL: url } }],
    ['redisCacheUrl in the file', { file: { redisCacheUrl: url } }],
  ])('by %s is taken, called unneeded, and uploads go on without', async (name, given) => {
    await using tree = await makeTree({})
    await using program = await startWith(tree, given)
    expect(program.output()).toContain('redisCacheUrl is accepted but not needed')
    const isOld = name === '--redis-cache-url'
    expect(program.output().includes('--redis-cache-url is an old name')).toBe(isOld)
    const user = await loginAs(program.origin)
    const made = await user.fetch('/api/tus/new.txt', {
      method: 'POST',
      headers: { 'Upload-Length': '5', 'Tus-Resumable': '1.0.0' },
    })
    const sent = await user.fetch('/api/tus/new.txt', {
      method: 'PATCH',
      headers: { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
      body: 'hello',
    })
    expect([made.status, sent.status]).toEqual([201, 204])
    expect(await tree.read('new.txt')).toBe('hello')
  })
})

describe.runIf(process.platform !== 'win32')('the permissions of the unix socket', () => {
  test.each<[string, Given, number]>([
    ['nothing', {}, 0o666],
    ['--socketPerm', { args: ['--socketPerm', '0640'] }, 0o640],
    ['--socketPerm, decimal', { args: ['--socketPerm', '416'] }, 0o640],
    ['--socket-perm', { args: ['--socket-perm=0600'] }, 0o600],
    ['FB_SOCKETPERM', { env: { FB_SOCKETPERM: '0660' } }, 0o660],
    ['FB_SOCKET_PERM', { env: { FB_SOCKET_PERM: '0660' } }, 0o660],
    ['socketPerm in the file', { file: { socketPerm: '0620' } }, 0o620],
    ['socketPerm in the file, a number', { file: { socketPerm: 0o620 } }, 0o620],
  ])('by %s', async (name, given, mode) => {
    await using tree = await makeTree({})
    const socketPath = join(tree.base, 'fb.sock')
    await using program = await startWith(tree, given, ['--socket', socketPath])
    expect((await stat(socketPath)).mode & 0o7777).toBe(mode)
    const answered = new Promise<number | undefined>((resolve, reject) => {
      const call = request({ socketPath, path: '/health' }, (answer) => resolve(answer.statusCode))
      call.on('error', reject).end()
    })
    expect(await withDeadline('an answer on the socket', 60_000, answered)).toBe(200)
    const isOld = name === '--socket-perm'
    expect(program.output().includes('--socket-perm is an old name')).toBe(isOld)
  })
})
