// A disk that may stop answering is never asked on the event loop, by whatever door.
import type * as Fs from 'node:fs'
import { expect, it, vi } from 'vitest'
import { startApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { HAS_FUSE, mountFuse } from '../support/fuse-disk.ts'

const calls = vi.hoisted(() => ({ disk: '', direct: [] as string[] }))

vi.mock('node:fs', async (original) => {
  const real = await original<typeof Fs>()
  const placeOf = (target: unknown): string => {
    const [, fd, rest] = /^(?:\/proc\/self\/fd\/)?(\d+)(.*)$/.exec(String(target)) ?? []
    try {
      return fd === undefined ? String(target) : real.readlinkSync(`/proc/self/fd/${fd}`) + rest
    } catch {
      return ''
    }
  }
  const watched = Object.entries(real).map(([name, value]) => {
    // Reading where a descriptor leads and closing a reference ask the kernel alone.
    const isAsked = name.endsWith('Sync') && !['readlinkSync', 'closeSync'].includes(name)
    if (!isAsked || typeof value !== 'function') return [name, value]
    const made = (...args: unknown[]) => {
      if (calls.disk && placeOf(args[0]).startsWith(calls.disk)) calls.direct.push(name)
      return (value as (...args: unknown[]) => unknown)(...args)
    }
    return [name, Object.assign(made, value)]
  })
  return Object.fromEntries(watched)
})

it.runIf(HAS_FUSE)('no call waits on the event loop for a disk that may hang', async () => {
  await using app = await startApp({ tree: { 'a.txt': 'a', 'to-disk': { link: 'disk/in' } } })
  await using _ = await mountFuse(`${app.tree.base}/source`, app.tree.at('disk'))
  const admin = await app.as('admin')
  calls.disk = app.tree.at('disk')
  const to = encodeURIComponent('/disk/copy')
  const asked: [string, string, string?][] = [
    ['POST', '/api/resources/disk/in/b.txt', 'b'],
    ['POST', '/api/resources/disk/in/movie.mp4', 'm'],
    ['PUT', '/api/resources/disk/in/b.txt', 'bb'],
    ['GET', '/api/resources/'],
    ['GET', '/api/resources/disk/in/'],
    ['GET', '/api/resources/to-disk/'],
    ['GET', '/api/resources/recursive/'],
    ['GET', '/api/search/?query=b&details=true'],
    ['GET', '/api/raw/disk/in/b.txt'],
    ['GET', '/api/raw/?algo=tar'],
    ['GET', '/api/resources/disk/in/b.txt?checksum=md5'],
    ['GET', '/api/usage/disk/'],
    ['PATCH', `/api/resources/disk/in?action=copy&destination=${to}`],
    ['PATCH', `/api/resources/disk/copy?action=rename&destination=${encodeURIComponent('/copy')}`],
    ['DELETE', '/api/resources/disk/in'],
  ]
  // The second time things have been looked at just now.
  for (const [method, path, body] of [...asked, ...asked.slice(0, -2)]) {
    const answer = await admin.fetch(path, { method, ...(body && { body }) })
    await answer.arrayBuffer()
    expect(answer.status, path).toBeLessThan(300)
  }
  expect(calls.direct).toEqual([])
  // One of this machine is asked directly what was looked at just now.
  calls.disk = app.tree.at('a.txt')
  await waitFor('a direct call', async () => {
    await admin.fetch('/api/resources/a.txt')
    await admin.fetch('/api/resources/a.txt')
    return calls.direct.length > 0
  })
})
