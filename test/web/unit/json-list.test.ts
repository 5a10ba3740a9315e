import { describe, expect, it } from 'vitest'
import { readJsonList } from '../../../web/api/json-list.ts'

const items = [
  { name: 'a}],{"b', size: 1 },
  { name: 'quote " and \\" and \\', size: 2, more: { deep: [{ x: '{' }] } },
  { name: '😀 ü\n', size: 3 },
  { name: '', size: 4 },
]

/** The bytes of `text` in parts of `partBytes`. */
function streamOf(text: string, partBytes: number): ReadableStream<BufferSource> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + partBytes))
      at += partBytes
    },
  })
}

async function readAll(text: string, partBytes: number): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const some of readJsonList(streamOf(text, partBytes))) found.push(...some)
  return found
}

describe('a list read while it arrives', () => {
  it('gives every object, wherever the parts are cut', async () => {
    const text = JSON.stringify(items)
    for (let partBytes = 1; partBytes <= text.length + 4; partBytes++) {
      expect(await readAll(text, partBytes)).toEqual(items)
    }
    expect(await readAll('[]', 1)).toEqual([])
  })

  it('gives what has arrived before the rest, and frees what it reads from', async () => {
    let cancelled = false
    const endless = new ReadableStream<BufferSource>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('[{"size":1},')),
      cancel() {
        cancelled = true
      },
    })
    for await (const some of readJsonList(endless)) {
      expect(some[0]).toEqual({ size: 1 })
      break
    }
    expect(cancelled).toBe(true)
  })

  it('is a lost connection when its end does not come', async () => {
    const text = JSON.stringify(items)
    for (const cut of ['', '[', text.slice(0, -1), text.slice(0, -2), text.slice(0, 30)]) {
      await expect(readAll(cut, 7)).rejects.toMatchObject({ status: 0 })
    }
    await expect(readAll('<html>{no list}</html>', 7)).rejects.toMatchObject({ status: 0 })
  })
})
