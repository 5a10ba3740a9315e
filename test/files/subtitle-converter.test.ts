import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { createSubtitleConverter } from '../../src/files/subtitle/converter.ts'
import { toWebVtt } from '../../src/files/subtitle/subtitle.ts'
import { createThreads } from '../../src/programs/threads.ts'
import { leastOf } from '../support/cpu-time.ts'

const srt = (text: string) => Buffer.from(`1\n00:00:01,000 --> 00:00:02,000\n${text}\n`)
const { signal } = new AbortController()

function source(bytes: Buffer, onRead: () => void = () => {}) {
  const read = async () => {
    onRead()
    return new Uint8Array(bytes)
  }
  return { sizeBytes: bytes.length, format: 'srt' as const, read }
}

async function textOf(converter: ReturnType<typeof createSubtitleConverter>, bytes: Buffer) {
  const text = await converter.convert(source(bytes), signal)
  text.release()
  return Buffer.from(text.bytes).toString()
}

it('converts large files like small ones', async () => {
  const converter = createSubtitleConverter(createThreads())
  const large = srt(`${'<b>a</b> '.repeat(30_000)}end`)
  expect(large.length).toBeGreaterThan(256 * 1024)
  expect(await textOf(converter, large)).toBe(toWebVtt(large, 'srt'))
  expect(await textOf(converter, srt('<i>b</i>'))).toBe(toWebVtt(srt('<i>b</i>'), 'srt'))
})

it('leaves the server to others meanwhile', async () => {
  const converter = createSubtitleConverter(createThreads())
  const hostile = srt('<b>'.repeat(1_000_000) + '</u>'.repeat(500_000))
  const startMs = performance.now()
  toWebVtt(hostile, 'srt')
  const alone = performance.now() - startMs
  const longestMs = await leastOf(alone / 2, async () => {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    await Promise.all([textOf(converter, hostile), textOf(converter, hostile)])
    delay.disable()
    return delay.max / 1e6
  })
  expect(longestMs).toBeLessThan(alone / 2)
})

it('a large file without cues fails like a small one', async () => {
  const converter = createSubtitleConverter(createThreads())
  for (const bytes of [Buffer.from('nothing'), Buffer.alloc(300_000, 'nothing\n')])
    await expect(converter.convert(source(bytes), signal)).rejects.toMatchObject({
      name: 'AppError',
      code: 'unsupported',
      status: 500,
      message: 'no cues found',
    })
})

it('reads a large file when it is its turn, and not for whoever has left', async () => {
  const converter = createSubtitleConverter(createThreads())
  const large = srt('a '.repeat(200_000))
  const leaving = new AbortController()
  let reads = 0
  const count = () => {
    reads++
  }
  const first = converter.convert(source(large, count), signal)
  const waiting = Array.from({ length: 50 }, () =>
    converter.convert(source(large, count), leaving.signal).catch((error) => error.name),
  )
  const last = converter.convert(source(large, count), signal)
  await expect(last).rejects.toMatchObject({ code: 'too_many_requests' })
  expect(reads).toBeLessThan(2)
  leaving.abort()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['AbortError']))
  // The places of those who left are free again.
  const next = await converter.convert(source(large, count), signal)
  ;(await first).release()
  next.release()
  expect(reads).toBe(2)
})

it('keeps at most some 50 MB of texts that nobody takes', async () => {
  const converter = createSubtitleConverter(createThreads())
  const large = srt('a '.repeat(4_000_000))
  const leaving = new AbortController()
  let reads = 0
  const count = () => {
    reads++
  }
  const held: { release(): void }[] = []
  const convert = async () => held.push(await converter.convert(source(large, count), signal))
  while (held.length < 7) await convert()
  const waiting = converter.convert(source(large, count), leaving.signal)
  await new Promise((resolve) => setImmediate(resolve))
  expect(reads).toBe(7)
  leaving.abort()
  await expect(waiting).rejects.toThrow('aborted')
  held[0]?.release()
  await convert()
  expect(reads).toBe(8)
})
