// What a thread does when the server stops: process.exit waits for some of them for ever.
import { open } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'

const MIB = 1024 * 1024

function threadsNow(): number {
  return (process.report.getReport() as { workers: unknown[] }).workers.length
}

it('a server that is closed leaves no thread: of a checksum under way, of archives that were made', async () => {
  const app = await openApp({
    tree: {
      'a.bin': Buffer.alloc(MIB, 'x'),
      'film.srt': `1\n00:00:01,000 --> 00:00:02,000\n${'a '.repeat(100_000)}\n`,
    },
  })
  const huge = await open(app.tree.at('huge.bin'), 'w')
  await huge.truncate(2 ** 40)
  await huge.close()
  const admin = await app.as('admin')
  const before = threadsNow()
  for (const format of ['tarlz4', 'tarbz2']) {
    const archive = await admin.fetch(`/api/raw/?files=a.bin&files=film.srt&algo=${format}`)
    expect((await archive.arrayBuffer()).byteLength).toBeGreaterThan(0)
  }
  const hashing = admin.fetch('/api/resources/huge.bin?checksum=sha256')
  hashing.catch(() => {})
  await waitFor('the threads', () => threadsNow() - before >= 3)
  await app[Symbol.asyncDispose]()
  expect(threadsNow()).toBe(before)
  expect((await hashing).status).not.toBe(200)
})
