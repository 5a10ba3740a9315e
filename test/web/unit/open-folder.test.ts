// When a folder that is opened is drawn as one that takes its time.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { FileInfo } from '../../../src/api-types.ts'
import { openPath } from '../../../web/operations/open-folder.ts'
import { listing } from '../../../web/state/listing.ts'

const folder = (name: string): FileInfo => ({
  ...{ name, path: `/${name}`, size: 0, extension: '', modified: '2026-01-01T00:00:00Z' },
  ...{ mode: 0, isDir: true, isSymlink: false, type: '', items: [] },
})

/** The answer to the next call, which begins and ends when it is told to. */
let answer: { begin(): void; end(name: string): void }

beforeEach(() => {
  vi.useFakeTimers()
  const begun = Promise.withResolvers<Response>()
  const body = new TransformStream<Uint8Array, Uint8Array>()
  const writer = body.writable.getWriter()
  vi.stubGlobal('fetch', () => begun.promise)
  answer = {
    begin: () => begun.resolve(new Response(body.readable)),
    end(name) {
      void writer.write(new TextEncoder().encode(JSON.stringify(folder(name))))
      void writer.close()
    },
  }
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const slow = () => listing.phase.kind === 'loading' && listing.phase.slow

/** The folder is there, at the latest after so many milliseconds. */
async function shownWithin(vpath: string, ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  await vi.waitFor(() => expect(listing.phase).toMatchObject({ kind: 'folder', vpath }))
}

it('a folder that nothing is heard of for 150 ms is drawn as one that takes its time', async () => {
  openPath('/silent')
  await vi.advanceTimersByTimeAsync(149)
  expect(slow()).toBe(false)
  await vi.advanceTimersByTimeAsync(2)
  expect(slow()).toBe(true)
  answer.begin()
  answer.end('silent')
  await shownWithin('/silent', 200)
})

it('one that has begun to arrive is awaited for longer, and shown as soon as it is there', async () => {
  openPath('/begun')
  await vi.advanceTimersByTimeAsync(100)
  answer.begin()
  await vi.advanceTimersByTimeAsync(290)
  expect(slow()).toBe(false)
  answer.end('begun')
  await shownWithin('/begun', 0)
})

it('one that goes on arriving for long is drawn as one that takes its time', async () => {
  openPath('/large')
  answer.begin()
  await vi.advanceTimersByTimeAsync(310)
  expect(slow()).toBe(true)
  answer.end('large')
  await shownWithin('/large', 200)
})
