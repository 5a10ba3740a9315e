// Keeps a JSON text away from the page: scanning it, and looking for words, takes long for large ones.

import { answerCalls } from '../../lib/worker-calls.ts'
import { decodeText } from '../../text/decode.ts'
import { JsonError, JsonText } from '../../text/json-scan.ts'
import type { JsonFailure, JsonQuestion } from './json-client.ts'

let json: JsonText | null = null
const MAX_MATCHES = 10_000

function answer(request: JsonQuestion) {
  if (request.kind === 'open') {
    json = null
    const text =
      typeof request.data === 'string'
        ? request.data
        : decodeText(new Uint8Array(request.data)).text
    json = new JsonText(text)
    return { root: json.root, isLines: json.isLines }
  }
  if (json === null) throw new Error('nothing is open')
  if (request.kind === 'children') return json.children(request.start, request.from, request.to)
  if (request.kind === 'text') return json.text.slice(request.start, request.end)
  return find(json, request.wanted, request.after)
}

/** The next match after an offset, round to the beginning, and how many there are. */
function find(tree: JsonText, wanted: string, after: number) {
  const escaped = JSON.stringify(wanted).slice(1, -1)
  const source = [...new Set([wanted, escaped])]
    .map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('|')
  const pattern = new RegExp(source, 'gi')
  let total = 0
  let current = 0
  let first = -1
  let next = -1
  for (const match of tree.text.matchAll(pattern)) {
    total += 1
    if (first === -1) first = match.index
    if (next === -1 && match.index > after) {
      next = match.index
      current = total
    }
    if (total >= MAX_MATCHES && next !== -1) break
  }
  if (total === 0) return null
  const offset = next === -1 ? first : next
  return {
    offset,
    current: next === -1 ? 1 : current,
    total,
    more: total >= MAX_MATCHES,
    path: tree.pathTo(offset),
  }
}

answerCalls(
  answer,
  (error): JsonFailure => ({
    place: error instanceof JsonError ? { line: error.line, column: error.column } : null,
  }),
)
