// A list of objects that is read while it arrives: what it holds in all need not fit into memory.

import { ApiError, lostConnection } from './client.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d

/**
 * The objects of a JSON list, in batches as they arrive.
 *
 * @throws ApiError with status 0 when it breaks off or is no such list.
 */
export async function* readJsonList<T>(body: ReadableStream<BufferSource>): AsyncGenerator<T[]> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const scan = createScan<T>()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const items = scan.take(value)
      if (items.length > 0) yield items
    }
    if (!scan.isWhole()) throw new ApiError(0, null, '')
  } catch (error) {
    throw lostConnection(error)
  } finally {
    // A list that nobody reads any more must not keep the server walking.
    await reader.cancel().catch(() => {})
  }
}

/** Finds where the objects of the list begin and end, whatever their texts hold. */
function createScan<T>() {
  let text = ''
  let at = 0
  let depth = 0
  let quoted = false

  return {
    take(part: string): T[] {
      text += part
      let end = 0
      for (; at < text.length; at++) {
        const code = text.charCodeAt(at)
        if (quoted) {
          // What follows may come with the next part only: that begins one further then.
          if (code === BACKSLASH) at++
          else if (code === QUOTE) quoted = false
        } else if (code === QUOTE) quoted = true
        else if (code === OPEN) depth++
        else if (code === CLOSE && --depth === 0) end = at + 1
      }
      if (end === 0) return []
      const items = JSON.parse(`[${text.slice(text.indexOf('{'), end)}]`) as T[]
      text = text.slice(end)
      at -= end
      return items
    },
    isWhole: () => depth === 0 && text.trimEnd().endsWith(']'),
  }
}
