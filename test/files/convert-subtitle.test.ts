import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { convertSubtitle } from '../../src/files/convert-subtitle.ts'
import { toWebVtt } from '../../src/files/subtitle.ts'

const srt = (text: string) => Buffer.from(`1\n00:00:01,000 --> 00:00:02,000\n${text}\n`)

it('converts large files like small ones', async () => {
  const large = srt(`${'<b>a</b> '.repeat(30_000)}end`)
  expect(large.length).toBeGreaterThan(256 * 1024)
  expect(await convertSubtitle(large, 'srt')).toBe(toWebVtt(large, 'srt'))
  expect(await convertSubtitle(srt('<i>b</i>'), 'srt')).toBe(toWebVtt(srt('<i>b</i>'), 'srt'))
})

it('leaves the server to others meanwhile', async () => {
  const hostile = srt('<b>'.repeat(1_000_000) + '</u>'.repeat(500_000))
  const startMs = performance.now()
  toWebVtt(hostile, 'srt')
  const alone = performance.now() - startMs
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await Promise.all([convertSubtitle(hostile, 'srt'), convertSubtitle(hostile, 'srt')])
  delay.disable()
  expect(delay.max / 1e6).toBeLessThan(alone / 2)
})
