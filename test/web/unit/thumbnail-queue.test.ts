import { describe, expect, it } from 'vitest'
import { isThumbnailHopeless, queueThumbnail } from '../../../web/listing/grid/thumbnail-queue.ts'

/** Lets the queue, which waits for the end of a render, go on. */
const settle = () => new Promise<void>((done) => queueMicrotask(() => queueMicrotask(done)))

describe('the queue of thumbnails', () => {
  it('loads six at a time, the newest screenful first, and passes on the place of those that left', async () => {
    const started: string[] = []
    const ask = (url: string) => queueThumbnail(url, 'image', () => started.push(url))
    const first = Array.from({ length: 8 }, (_, i) => ask(`a${i}`))
    await settle()
    expect(started).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5'])
    const second = ['b0', 'b1'].map(ask)
    await settle()
    first[0]?.('loaded')
    expect(started.at(-1)).toBe('b0')
    // Scrolled away before its turn.
    second[1]?.('cancelled')
    first[1]?.('cancelled')
    expect(started.at(-1)).toBe('a6')
    first[1]?.('loaded')
    expect(started).toHaveLength(8)
    for (const done of [...first.slice(2), second[0]]) done?.('loaded')
    expect(started).toHaveLength(9)
  })

  it('stops asking for a kind the server never pictures', async () => {
    for (const url of ['v0', 'v1', 'v2']) {
      expect(isThumbnailHopeless('another', 'video')).toBe(false)
      const done = queueThumbnail(url, 'video', () => {})
      await settle()
      done('failed')
    }
    expect(isThumbnailHopeless('another', 'video')).toBe(true)
    expect(isThumbnailHopeless('v0', 'image')).toBe(true)
  })
})
