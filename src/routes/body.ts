// Request bodies as JSON, bounded.
import type { IncomingMessage } from 'node:http'
import { AppError, badRequest } from '../errors.ts'
import { ParseError, type Reader, readObject } from '../parse.ts'
import type { Ctx } from './env.ts'

const MAX_JSON_BYTES = 1_048_576

/**
 * Reads the body as one JSON object; what follows the first value is ignored, as the original
 * does. Throws 400 with the decoder's reason, or `too_large` past `maxBytes`.
 */
export async function readJson<T>(
  c: Ctx,
  parse: (reader: Reader) => T,
  maxBytes = MAX_JSON_BYTES,
): Promise<T> {
  const bytes = await readBytes(c.env.incoming, maxBytes)
  const text = bytes.toString('utf8').trim()
  if (text === '') throw badRequest('EOF')
  try {
    return parse(readObject(parseFirst(text), ''))
  } catch (error) {
    if (error instanceof ParseError || error instanceof SyntaxError) throw badRequest(error.message)
    throw error
  }
}

async function readBytes(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  // Not destroyed when it is too large: the server reads the rest, so that the connection stays
  // usable for the next request.
  const parts = incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  for await (const chunk of parts) {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) {
      throw new AppError('too_large', 'http: request body too large', { status: 400, expose: true })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseFirst(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const end = endOfFirstValue(text)
    if (end === text.length) throw error
    return JSON.parse(text.slice(0, end))
  }
}

// Finds where a leading object or list closes; strings are skipped with their escapes.
function endOfFirstValue(text: string): number {
  if (text[0] !== '{' && text[0] !== '[') return text.length
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '"') {
      for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i++
    } else if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') {
      depth--
      if (depth === 0) return i + 1
    }
  }
  return text.length
}
