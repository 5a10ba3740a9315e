// What is asked of a job, out of the body of a request.
import { parseDuration } from '../../config/option-values.ts'
import { parseArchiveFormat } from '../../files/archive/archive.ts'
import { CHECKSUM_ALGORITHMS, isChecksumAlgorithm } from '../../files/transfer/checksum.ts'
import type { JobConflict, JobKind } from '../../job-types.ts'
import type { JobHow, JobRequest } from '../../jobs/record.ts'
import { badRequest } from '../../lib/errors.ts'
import { asString, ParseError, type Reader } from '../../lib/parse.ts'
import { ROOT, toVPath, type VPath } from '../../lib/vpath.ts'

const MAX_ITEMS = 10_000
const MAX_URL_CHARS = 4_096

interface Asked {
  /** What the items are called by; null where there are none. */
  items: 'items' | 'ids' | null
  to: 'needed' | 'allowed' | null
  conflicts: readonly JobConflict[]
  how?(r: Reader): JobHow
}

const ALL: readonly JobConflict[] = ['fail', 'skip', 'replace', 'rename', 'newer']
const FEW: readonly JobConflict[] = ['fail', 'replace', 'rename']

const KINDS: Record<JobKind, Asked> = {
  copy: { items: 'items', to: 'needed', conflicts: ALL },
  move: { items: 'items', to: 'needed', conflicts: ALL },
  delete: { items: 'items', to: null, conflicts: ALL },
  restore: { items: 'ids', to: 'allowed', conflicts: FEW },
  empty: { items: null, to: null, conflicts: ALL, how: parseAge },
  mode: { items: 'items', to: null, conflicts: ALL, how: parseMode },
  extract: { items: 'items', to: 'allowed', conflicts: ALL, how: parseArchive },
  compress: { items: 'items', to: 'allowed', conflicts: FEW, how: parseFormat },
  checksum: { items: 'items', to: null, conflicts: FEW, how: parseSums },
  fetch: { items: null, to: 'needed', conflicts: FEW, how: parseFetch },
}

/** Throws ParseError and `bad_request`. What entries of the trash are called is still to be found. */
export function parseRequest(r: Reader): JobRequest {
  const kind = oneOf(r, 'kind', Object.keys(KINDS) as JobKind[])
  const asked = KINDS[kind]
  const items =
    asked.items === 'items' ? someOf(r.list('items', parseItem, MAX_ITEMS), 'items') : []
  const to = r.has('to') ? toVPath(r.str('to')) : null
  if (asked.to === 'needed' && to === null) throw badRequest('to must be a folder')
  if (r.has('to') && (asked.to === null || to === null)) throw badRequest(`to is not for ${kind}`)
  const ids = asked.items === 'ids' && someOf(r.list('ids', asString, MAX_ITEMS), 'ids')
  return {
    kind,
    items,
    to,
    conflict: oneOf(r, 'conflict', asked.conflicts, 'fail'),
    trash: r.has('trash') ? r.bool('trash') : null,
    how: { ...(ids && { ids: [...new Set(ids)] }), ...asked.how?.(r) },
  }
}

function someOf<T>(list: T[], key: string): T[] {
  if (list.length === 0) throw new ParseError(`${key} must not be empty`)
  return list
}

function parseItem(value: unknown, at: string): VPath {
  const vpath = toVPath(asString(value, at))
  if (vpath === null || vpath === ROOT) throw new ParseError(`${at} must be the path of an entry`)
  return vpath
}

function parseAge(r: Reader): JobHow {
  const text = r.str('olderThan')
  if (text === '') return {}
  try {
    return { untilMs: Date.now() - parseDuration(text) }
  } catch (error) {
    throw badRequest(`olderThan: ${(error as Error).message}`)
  }
}

function parseMode(r: Reader): JobHow {
  const text = r.str('mode')
  if (!/^[0-7]{3}$/.test(text)) throw badRequest('mode must be three octal digits')
  return { mode: Number.parseInt(text, 8), recursive: r.bool('recursive') }
}

function parseArchive(r: Reader): JobHow {
  const entries = r
    .list('entries', asString, MAX_ITEMS)
    .map((each) => each.replace(/^\/+|\/+$/g, ''))
  const encoding = r.str('encoding')
  try {
    if (encoding !== '') new TextDecoder(encoding)
  } catch {
    throw badRequest('encoding is not known')
  }
  return {
    ...(entries.length > 0 && { entries }),
    ...(encoding !== '' && { encoding }),
    ...(r.str('password') !== '' && { hasPassword: true as const }),
  }
}

function parseSums(r: Reader): JobHow {
  if (r.bool('check')) return { check: true }
  const algorithm = r.str('algorithm', 'sha256')
  if (!isChecksumAlgorithm(algorithm))
    throw badRequest(`algorithm must be one of ${CHECKSUM_ALGORITHMS.join(', ')}`)
  return { algorithm }
}

function parseFormat(r: Reader): JobHow {
  return { format: parseArchiveFormat(r.str('format')), deflated: r.bool('deflated', true) }
}

function parseFetch(r: Reader): JobHow {
  const text = r.str('url').trim()
  const url = URL.parse(text)
  if (!url || text.length > MAX_URL_CHARS || !/^https?:$/.test(url.protocol))
    throw badRequest('url must be an address that begins with http:// or https://')
  if (url.username !== '' || url.password !== '')
    throw badRequest('url must not hold a name or password')
  url.hash = ''
  const name = r.str('name')
  if (/[/\0]/.test(name) || name === '.' || name === '..')
    throw badRequest('name must be that of a file')
  return { url: url.href, ...(name !== '' && { name }) }
}

function oneOf<T extends string>(r: Reader, key: string, words: readonly T[], fallback = ''): T {
  const word = words.find((each) => each === r.str(key, fallback))
  if (word === undefined) throw badRequest(`${key} must be one of ${words.join(', ')}`)
  return word
}
