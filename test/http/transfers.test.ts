// Answers that nobody reads: what they may hold is bounded for each visitor, share and account, and
// who stalls gives way to who comes.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { archiveMemory } from '../../src/files/archive/archive.ts'
import {
  createTransfers,
  LIMITS as SERVER_LIMITS,
  STALLED_MS,
  type TransferKind,
} from '../../src/http/transfers.ts'
import { AppError } from '../../src/lib/errors.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { makeShare } from '../support/shares.ts'

const LIMITS = { all: 100, visitors: 80, share: 60, visitor: 30, user: 50 }

const forever = new AbortController().signal

function watched(waitMs = 0) {
  let nowMs = 0
  const transfers = createTransfers(LIMITS, () => nowMs, waitMs)
  const gone: string[] = []
  return {
    gone,
    open: (
      name: string,
      owners: [TransferKind, string][],
      bytes: number,
      { sent = () => 0, signal = forever }: { sent?: () => number; signal?: AbortSignal } = {},
    ) =>
      transfers.begin(
        { owners: new Map(owners), bytes, sent, giveWay: () => void gone.push(name) },
        () => signal,
      ),
    later: (ms: number) => {
      nowMs += ms
    },
    [Symbol.dispose]: () => transfers.close(),
  }
}

const of = (visitor: string, share = 's'): [TransferKind, string][] => [
  ['share', `share ${share}`],
  ['visitor', visitor],
  ['visitors', 'visitors'],
  ['all', 'all'],
]

it('a visitor, a share, all visitors and all together have each a limit', async () => {
  using transfers = watched()
  const { open } = transfers
  const eve: [TransferKind, string][] = [
    ['user', 'eve'],
    ['all', 'all'],
  ]
  const isFull = (owners: [TransferKind, string][]) =>
    expect(open('refused', owners, 1)).rejects.toThrow(AppError)
  await open('a', of('anna'), 30)
  await isFull(of('anna'))
  const end = await open('b', of('ben'), 30)
  await isFull(of('carl'))
  await open('c', of('carl', 'other'), 20)
  await isFull(of('dora', 'third'))
  await open('d', eve, 20)
  await isFull(eve)
  end()
  end()
  await open('e', of('ben'), 30)
  await isFull(of('ben'))
})

it('one that is larger than a limit alone is admitted while nothing else is on its way', async () => {
  using transfers = watched()
  const end = await transfers.open('large', of('anna'), 1_000)
  await expect(transfers.open('next', of('anna'), 1)).rejects.toThrow(AppError)
  end()
  await transfers.open('next', of('anna'), 1)
})

it('the one that has stalled longest gives way, one that goes on never does', async () => {
  using transfers = watched()
  const { open, gone, later } = transfers
  let taken = 0
  await open('reading', of('anna'), 10, { sent: () => taken++ })
  await open('first', of('anna'), 10)
  later(1_000)
  await open('second', of('anna'), 10)
  await expect(open('soon', of('anna'), 10)).rejects.toThrow(AppError)
  expect(gone).toEqual([])
  later(STALLED_MS)
  await open('late', of('anna'), 10)
  expect(gone).toEqual(['first'])
  await open('later', of('anna'), 10)
  expect(gone).toEqual(['first', 'second'])
  await expect(open('latest', of('anna'), 10)).rejects.toThrow(AppError)
})

it('who finds no room waits for it, unless they leave', async () => {
  using transfers = watched(60_000)
  const { open } = transfers
  const end = await open('a', of('anna'), 30)
  const leaving = new AbortController()
  const left = open('b', of('anna'), 10, { signal: leaving.signal })
  const next = open('c', of('anna'), 10)
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  end()
  ;(await next)()
  await open('d', of('anna'), 30)
})

function ask(app: TestApp, path: string): { socket: Socket; head: Promise<string> } {
  const socket = connect(app.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  const head = once(socket, 'data').then(([part]) => {
    socket.pause()
    return String(part)
  })
  return { socket, head }
}

it('archives that nobody reads are answered 429 from some number on, until one of them ends', async () => {
  await using app = await startApp({ tree: { 'dir/large.bin': Buffer.alloc(64 * 1024 * 1024) } })
  const hash = await makeShare(app, '/dir/')
  const path = `/api/public/dl/${hash}?algo=tar`
  const asked = Array.from({ length: 30 }, () => ask(app, path))
  const heads = await withDeadline(
    'the answers',
    60_000,
    Promise.all(asked.map(({ head }) => head)),
  )
  const refused = heads.filter((head) => head.startsWith('HTTP/1.1 429'))
  expect(refused.length).toBeGreaterThan(5)
  expect(refused.length).toBeLessThan(29)
  expect(refused[0]).toMatch(/Retry-After: \d+/i)
  // Others have places of their own.
  const admin = await app.as('admin')
  const response = await admin.fetch('/api/raw/dir/?algo=tar')
  expect(response.status).toBe(200)
  await response.body?.cancel()

  for (const { socket } of asked) socket.destroy()
  await waitFor('a place', async () => {
    const { socket, head } = ask(app, path)
    const again = await head
    socket.destroy()
    return again.startsWith('HTTP/1.1 200')
  })
  expect(app.errors).toEqual([])
})

it('a visit that waits for room is not answered when the share ends meanwhile', async () => {
  await using app = await startApp({
    tree: { 'dir/large.bin': Buffer.alloc(64 * 1024 * 1024), 'ends/a.txt': 'a' },
  })
  const hash = await makeShare(app, '/dir/')
  const ending = await makeShare(app, '/ends/')
  const places = Math.floor(SERVER_LIMITS.visitor / archiveMemory('tar'))
  const taken = Array.from({ length: places }, () => ask(app, `/api/public/dl/${hash}?algo=tar`))
  for (const { head } of taken) expect(await head).toMatch(/^HTTP\/1.1 200/)
  const visit = ask(app, `/api/public/dl/${ending}?algo=tar`)
  const admin = await app.as('admin')
  expect((await admin.fetch(`/api/share/${ending}`, { method: 'DELETE' })).status).toBe(200)
  for (const { socket } of taken) socket.destroy()
  expect(await visit.head).toMatch(/^HTTP\/1.1 404/)
  visit.socket.destroy()
})

it('past so many connections the longest idle one is closed, not the newcomer', async () => {
  await using app = await startApp({ connections: 20 })
  const sockets = Array.from({ length: 100 }, () => connect(app.port, '127.0.0.1'))
  let closed = 0
  for (const socket of sockets) {
    socket.on('error', () => {}).resume()
    socket.once('close', () => {
      closed++
    })
    // Heads that never end.
    socket.write('GET /health HTTP/1.1\r\nHost:')
  }
  await waitFor('places for others', () => closed >= 80)
  expect((await app.fetch('/health')).status).toBe(200)
  for (const socket of sockets) socket.destroy()
})

it('a connection that is being answered keeps its place', async () => {
  await using app = await startApp({
    connections: 5,
    tree: { 'dir/large.bin': Buffer.alloc(64 * 1024 * 1024) },
  })
  const hash = await makeShare(app, '/dir/')
  const { socket, head } = ask(app, `/api/public/dl/${hash}/large.bin`)
  await head
  const others = Array.from({ length: 50 }, () => connect(app.port, '127.0.0.1'))
  let closed = 0
  for (const other of others)
    other
      .on('error', () => {})
      .once('close', () => {
        closed++
      })
      .resume()
  await waitFor('the others to make room', () => closed >= 45)
  let bytes = 0
  socket.on('data', (part: Buffer) => {
    bytes += part.length
  })
  socket.resume()
  await waitFor('the whole file', () => bytes > 60 * 1024 * 1024)
  for (const each of [socket, ...others]) each.destroy()
})
