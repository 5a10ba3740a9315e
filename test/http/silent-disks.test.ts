// A disk that stops answering: what is on it is refused in words, everything else goes on.
import { open, readdir, readlink } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { PASSWORD, startApp, type TestApp } from '../support/app.ts'
import { leastOf } from '../support/cpu-time.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { HAS_FUSE, mountFuse } from '../support/fuse-disk.ts'

interface Item {
  path: string
  name: string
}
type Answer = { items: Item[] } & Item[]

const TREE = {
  'a.txt': 'a',
  'other/b.txt': 'b',
  'links/to-disk': { link: '../disk' },
}

async function withDisk(app: TestApp) {
  const disk = await mountFuse(`${app.tree.base}/source`, app.tree.at('disk'))
  const admin = await app.as('admin')
  const saved = await admin.fetch('/api/resources/disk/deep/c.txt', { method: 'POST', body: 'c' })
  expect(saved.status).toBe(200)
  return { disk, admin }
}

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const startedAt = performance.now()
  const value = await work
  return { value, ms: performance.now() - startedAt }
}

it.runIf(HAS_FUSE)(
  'what holds a silent disk is listed within two seconds, and the disk marked',
  async () => {
    await using app = await startApp({ tree: TREE })
    const { disk, admin } = await withDisk(app)
    await using _ = disk
    // Uploads that were begun there are asked about too.
    const begun = { method: 'POST', headers: { 'Upload-Length': '5' } }
    expect((await admin.fetch('/api/tus/disk/begun.bin', begun)).status).toBe(201)
    const shared = await admin.fetch('/api/share/', { method: 'POST', body: '{}' })
    const { hash } = await shared.json()
    const json = async (path: string): Promise<Answer> => (await admin.fetch(path)).json()
    const isBack = async () => {
      const { items } = await json('/api/resources/')
      return !items.some((item) => 'unreachable' in item)
    }
    const search = async () => {
      const answer = await admin.fetch('/api/search/?query=disk&details=true')
      return (await answer.text()).trim().split('\n')
    }
    const ask = () =>
      Promise.all([
        json('/api/resources/'),
        json('/api/resources/recursive/'),
        json(`/api/public/share/${hash}`),
        json('/api/resources/links/'),
        search(),
      ])
    const seen: Awaited<ReturnType<typeof ask>>[] = []
    const listedMs = await leastOf(2_000, async () => {
      await disk.obey({ hangs: false })
      await waitFor('the disk', isBack)
      await disk.obey({ hangs: true })
      const asked = timed(ask())
      // Nobody else waits, that is half as long in all.
      const others = await timed(
        (async () => {
          for (const path of ['/health', '/api/resources/other/', '/api/raw/a.txt'])
            expect((await admin.fetch(path)).status, path).toBe(200)
        })(),
      )
      const uploads = await timed(admin.fetch('/api/uploads'))
      const { value, ms } = await asked
      seen.push(value)
      return Math.max(2 * others.ms, uploads.ms, ms)
    })
    expect(listedMs).toBeLessThan(2_000)
    for (const [parent, recursive, publicly, links, found] of seen) {
      const marked = { isDir: true, size: 0, unreachable: true }
      for (const { items } of [parent, publicly]) {
        const names = items.map(({ name }) => name)
        expect(names).toEqual(['disk', 'links', 'other', 'a.txt'])
        expect(items[0]).toMatchObject({ ...marked, type: '' })
        expect(items[1]).not.toHaveProperty('unreachable')
      }
      expect(recursive.find(({ path }) => path === '/disk')).toMatchObject(marked)
      expect(recursive).toHaveLength(6)
      expect(links.items[0]).toMatchObject({ isSymlink: true, size: 0, unreachable: true })
      expect(found.map((line) => JSON.parse(line))).toEqual([
        { dir: true, path: 'disk', unreachable: true },
        expect.objectContaining({ dir: false, path: 'links/to-disk' }),
      ])
    }
    // Known to be silent by now.
    const knownMs = await leastOf(500, async () => (await timed(json('/api/resources/'))).ms)
    expect(knownMs).toBeLessThan(500)

    await disk.obey({ hangs: false })
    await waitFor('the disk', isBack)
    expect((await json('/api/resources/disk/deep/')).items[0]).toMatchObject({ name: 'c.txt' })
  },
)

it.runIf(HAS_FUSE)(
  'a silent disk refuses what comes, takes no thread from others, and gives all back',
  async () => {
    await using app = await startApp({ tree: TREE })
    const { disk, admin } = await withDisk(app)
    await using _ = disk
    await disk.obey({ hangs: true })
    const paths = [
      'resources/disk/',
      'raw/disk/deep/c.txt',
      'resources/disk/deep/c.txt',
      'usage/disk/',
    ]
    const requests = Array.from({ length: 10 }, () => paths).flat()
    const answers = Promise.all(requests.map((path) => admin.fetch(`/api/${path}`)))
    const save = admin.fetch('/api/resources/other/new.txt', { method: 'POST', body: 'new' })
    expect((await timed(save)).value.status).toBe(200)
    const body = JSON.stringify({ username: 'admin', password: PASSWORD })
    const signedInMs = await leastOf(2_000, async () => {
      const { value, ms } = await timed(app.fetch('/api/login', { method: 'POST', body }))
      expect(value.status).toBe(200)
      return ms
    })
    expect(signedInMs).toBeLessThan(2_000)
    for (const answer of await answers) {
      expect(answer.status, answer.url).toBe(503)
      expect(answer.headers.get('x-error-code'), answer.url).toBe('unreachable')
    }
    const refusedMs = await leastOf(500, async () => {
      const change = admin.fetch('/api/resources/disk/d.txt', { method: 'POST', body: 'd' })
      const { value, ms } = await timed(change)
      expect(value.status).toBe(503)
      return ms
    })
    expect(refusedMs).toBeLessThan(500)

    await disk.obey({ hangs: false })
    await waitFor(
      'the disk',
      async () => (await admin.fetch('/api/resources/disk/')).status === 200,
    )
    expect(await (await admin.fetch('/api/raw/disk/deep/c.txt')).text()).toBe('c')
    await waitFor('the descriptors', async () => {
      const fds = await readdir('/proc/self/fd')
      const links = await Promise.all(fds.map((fd) => linkAt(`/proc/self/fd/${fd}`)))
      return !links.some((link) => link.startsWith(app.tree.root))
    })
    expect(app.errors).toEqual([])
  },
)

function linkAt(path: string): Promise<string> {
  return readlink(path).catch(() => '')
}

/** How often a file is open in this process. */
async function openAt(path: string): Promise<number> {
  const targets = (await readdir('/proc/self/fd')).map((fd) =>
    readlink(`/proc/self/fd/${fd}`).catch(() => ''),
  )
  return (await Promise.all(targets)).filter((target) => target === path).length
}

it.runIf(HAS_FUSE)(
  'checksums of files on a silent disk are refused, and those of others go on',
  async () => {
    const large = Buffer.alloc(3 * 1024 * 1024)
    const users = ['ann', 'ben', 'eve'].map((username) => ({ username }))
    await using app = await startApp({ tree: { 'near.bin': large }, users })
    const { disk, admin } = await withDisk(app)
    await using _ = disk
    const huge = await open(app.tree.at('disk/huge.bin'), 'w')
    await huge.truncate(2 ** 40)
    await huge.close()
    const people = await Promise.all(users.map(({ username }) => app.as(username)))
    const sum = 'checksum=sha512'
    // As many as there are threads for; a terabyte takes long enough.
    const hashing = people
      .slice(0, 2)
      .map((user) => user.fetch(`/api/resources/disk/huge.bin?${sum}`))
    await waitFor('both threads', async () => (await openAt(app.tree.at('disk/huge.bin'))) === 2)
    await disk.obey({ hangs: true })
    for (const answer of await withDeadline('the refusals', 60_000, Promise.all(hashing))) {
      expect(answer.status).toBe(503)
      expect(answer.headers.get('x-error-code')).toBe('unreachable')
    }
    for (const user of [...people, admin])
      expect((await user.fetch(`/api/resources/near.bin?${sum}`)).status).toBe(200)
    await disk.obey({ hangs: false })
  },
)
