// Texts of some size inside the object about their file: whole, exact, and nobody waits for them.
import { truncate } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { openApp, startApp } from '../support/app.ts'
import { leastOf } from '../support/cpu-time.ts'

const MIB = 1024 * 1024

it.each([
  ['signs that are escaped', '<&>"\\\n\t\u2028'],
  ['letters of two, three and four bytes', 'aü€😀'],
  ['a byte that is no text', 'a\ufffd'],
])('%s arrive as they are', async (_, unit) => {
  const text = unit.repeat(Math.ceil((1.5 * MIB) / Buffer.byteLength(unit)))
  await using app = await openApp({ tree: { 'large.txt': text, 'empty.txt': '' } })
  const admin = await app.as('admin')
  const response = await admin.fetch('/api/resources/large.txt')
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const info = (await response.json()) as Record<string, unknown>
  expect(info.content === text).toBe(true)
  expect(Object.keys(info).at(-1)).toBe('content')
  expect(info).toMatchObject({ name: 'large.txt', size: Buffer.byteLength(text), type: 'text' })
  expect(await (await admin.fetch('/api/resources/empty.txt')).json()).not.toHaveProperty('content')
})

it('is escaped in pieces, however much there is to escape', async () => {
  await using app = await openApp({ tree: { 'lt.txt': '<'.repeat(10 * MIB) } })
  const admin = await app.as('admin')
  // One call would have taken nearly all of the time.
  const share = await leastOf(1 / 4, async () => {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    const startedAt = performance.now()
    delay.enable()
    const response = await admin.fetch('/api/resources/lt.txt')
    let bytes = 0
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>)
      bytes += part.length
    delay.disable()
    expect(bytes).toBeGreaterThan(60 * MIB)
    return delay.max / 1e6 / (performance.now() - startedAt)
  })
  expect(share).toBeLessThan(1 / 4)
})

it('breaks off when the file becomes shorter meanwhile', async () => {
  await using app = await startApp({ tree: { 'lt.txt': '<'.repeat(10 * MIB) } })
  const admin = await app.as('admin')
  const response = await admin.fetch('/api/resources/lt.txt', {
    headers: { 'Accept-Encoding': 'identity' },
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  await truncate(app.tree.at('lt.txt'), MIB)
  const readRest = async () => {
    while (!(await reader.read()).done);
  }
  await expect(readRest()).rejects.toThrow()
})
