// Requests nobody would send: paths, queries, headers and bodies from fast-check, mixed with what
// nearly makes sense so that they get past the first check.
import type { OutgoingHttpHeaders } from 'node:http'
import fc from 'fast-check'
import { PASSWORD } from './app.ts'

export interface FuzzRequest {
  method: string
  /** Request target as sent. */
  target: string
  headers: OutgoingHttpHeaders
  body: Buffer
  /** Whose token is sent. */
  who: 'admin' | 'bob' | 'nobody' | 'garbage'
}

const EXISTING = [
  ...['plain.txt', 'folder', 'folder/inner.txt', 'with space.txt', '..two-dots.txt', '.hidden.txt'],
  ...['link-inside', 'link-outside', 'link-dangling', 'movie.srt', 'pixel.png', 'deny', 'film.mp4'],
]
const NASTY_SEGMENTS = [
  ...['..', '.', '', '%2e%2e', '%2E%2e%2f', '..%2f..%2f', '..%5c', '\\', '%00', '%', '%zz', '%ff'],
  ...[
    '~',
    'con',
    '-',
    '*',
    'a'.repeat(300),
    'é',
    'e\u0301',
    '😀',
    '\u202e',
    ';a=b',
    'x:y',
    '$HOME',
  ],
  ...['{{x}}', '`id`', '.fb-', '.filebrowser-upload-', 'null', '__proto__', 'constructor', '1'],
]
/** Routes that take a path behind them, and those that are one address. */
const TREE_ROUTES = [
  ...['resources', 'resources', 'resources', 'resources/recursive', 'raw', 'raw', 'tus', 'tus'],
  ...['usage', 'share', 'search', 'subtitle', 'preview/thumb', 'preview/big', 'preview/x'],
  ...['command', 'public/share/HASH', 'public/dl/HASH', 'public/preview/thumb/HASH'],
  ...['public/subtitle/HASH', 'public/share', 'public/dl/none', 'archive', 'nothing'],
  ...['public/preview/big/HASH'],
]
const SINGLE_ROUTES = [
  ...['users', 'users/1', 'users/2', 'users/3', 'users/99999999999999999999', 'users/x'],
  ...['settings', 'shares', 'login', 'renew', 'signup', 'logout', 'sessions', 'sessions/x'],
  ...['openapi.json', 'public/share/HASH', 'public/dl/HASH', 'share/HASH', ''],
  ...['selections', 'public/selections/HASH', 'public/selections/none'],
]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND']

const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...EXISTING, ...NASTY_SEGMENTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
)

const path = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...EXISTING).map((name) => [name]),
      fc.array(word, { maxLength: 4 }),
    ),
    fc.constantFrom('once', 'once', 'once', 'twice', 'raw'),
    fc.boolean(),
  )
  .map(([segments, encoding, slash]) => {
    const text = segments
      .map((segment) => {
        if (encoding === 'raw') return segment.replace(/[^\x21-\x7e]|[?#]/g, '_')
        const encoded = segment.split('/').map(encode).join('/')
        return encoding === 'twice' ? encode(encoded) : encoded
      })
      .join('/')
    return slash ? `${text}/` : text
  })

const value = fc.oneof(
  fc.constantFrom(
    ...['true', 'false', '', '0', '-1', '1', 'copy', 'rename', 'upload', 'zip', 'tar', 'targz'],
    ...['tarxz', 'rar', 'md5', 'sha256', 'crc', 'type:image x', 'case:sensitive', '"', '%2Ffolder'],
    ...['a.txt,%2Ffolder', '%252e%252e', '/folder', '/', '..', '%00', '%zz', 'NaN', '1e3'],
  ),
  word,
)

const query = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        ...['algo', 'files', 'override', 'rename', 'action', 'destination', 'checksum', 'inline'],
        ...['query', 'details', 'token', 'key', 'all', 'display', 'expires', 'auth', '__proto__'],
        'selection',
      ),
      value,
    ),
    { maxLength: 4 },
  )
  .map((pairs) => pairs.map(([name, text]) => `${name}=${encode(text)}`).join('&'))

const headerValue = fc.oneof(
  fc.constantFrom(
    ...['0', '1', '-1', '5', '1e3', '99999999999999999999', 'bytes=0-', 'bytes=5-2', 'bytes=-1'],
    ...['bytes=0-0,2-3,', 'bytes=', '*', 'W/"x"', '"x"', 'true', 'gzip, br;q=0', 'a%zz+b', 'a b'],
    ...['Thu, 01 Jan 1970 00:00:00 GMT', 'never', 'application/offset+octet-stream', 'a.b.c'],
    ...['http://evil.example', '127.0.0.1, 10.0.0.1', 'x'.repeat(4000), 'basic YTpi'],
  ),
  fc.string({ maxLength: 20 }).map((text) => text.replace(/[^\x20-\x7e]/g, '')),
)

const headers = fc.dictionary(
  fc.constantFrom(
    ...['Range', 'If-Range', 'If-Match', 'If-None-Match', 'If-Modified-Since', 'Upload-Length'],
    ...['If-Unmodified-Since', 'Upload-Offset', 'Content-Type', 'X-Modified', 'X-Encoding'],
    ...['X-SHARE-PASSWORD', 'Cookie', 'Origin', 'X-Forwarded-For', 'Accept-Encoding', 'Referer'],
    ...['X-Forwarded-Proto', 'Authorization', 'Accept-Language', 'User-Agent', 'Host'],
  ),
  headerValue,
  { maxKeys: 4 },
)

const permissions = fc.dictionary(
  fc.constantFrom('admin', 'execute', 'create', 'rename', 'modify', 'delete', 'share', 'download'),
  fc.oneof(fc.boolean(), fc.jsonValue()),
)
const rule = fc.record(
  {
    regex: fc.boolean(),
    allow: fc.boolean(),
    path: fc.oneof(fc.constantFrom('/folder', '/', ''), fc.string()),
    regexp: fc.oneof(fc.constant(null), fc.record({ raw: fc.string() })),
  },
  { requiredKeys: [] },
)
const userData = fc.record(
  {
    id: fc.oneof(fc.constantFrom(0, 1, 2, -1, 1.5), fc.string()),
    username: fc.constantFrom('admin', 'bob', 'carol', '', '../x', 'a'.repeat(5000)),
    password: fc.constantFrom('', 'short', 'a long enough passphrase 7', 'p'.repeat(100)),
    scope: word,
    locale: fc.string(),
    perm: permissions,
    commands: fc.array(fc.string(), { maxLength: 3 }),
    rules: fc.array(rule, { maxLength: 3 }),
    sorting: fc.oneof(fc.record({ by: fc.string(), asc: fc.boolean() }), fc.jsonValue()),
  },
  { requiredKeys: [] },
)
const structured = fc.oneof(
  fc.record(
    {
      what: fc.constantFrom('user', 'x'),
      which: fc.array(fc.constantFrom('all', 'perm', 'locale', 'password', 'rules', 'Id', 'x')),
      current_password: fc.constantFrom('', 'wrong', PASSWORD),
      data: fc.oneof(userData, fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
  fc.record(
    {
      username: fc.constantFrom('admin', 'bob', 'x', ''),
      password: fc.constantFrom('', 'wrong', PASSWORD),
      remember: fc.jsonValue(),
      expires: fc.constantFrom('', '1', '-5', 'x', '99999999999999999999'),
      unit: fc.constantFrom('hours', 'x', ''),
    },
    { requiredKeys: [] },
  ),
  // Settings that would change the rules for the requests after it come seldom.
  fc.record({ signup: fc.boolean(), rules: fc.array(rule, { maxLength: 2 }), tus: fc.jsonValue() }),
)
const body = fc.oneof(
  { weight: 2, arbitrary: fc.constant(Buffer.alloc(0)) },
  { weight: 3, arbitrary: structured.map((value) => Buffer.from(JSON.stringify(value))) },
  { weight: 1, arbitrary: fc.json().map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.constant(Buffer.from('['.repeat(20_000))) },
)

/** One request; `HASH` in its target stands for a live share. */
export const fuzzRequest: fc.Arbitrary<FuzzRequest> = fc
  .record({
    method: fc.oneof(
      { weight: 3, arbitrary: fc.constant('GET') },
      { weight: 4, arbitrary: fc.constantFrom(...METHODS) },
    ),
    place: fc.oneof(
      {
        weight: 12,
        arbitrary: fc
          .tuple(fc.constantFrom(...TREE_ROUTES), path)
          .map(([route, rest]) => `/api/${route}/${rest}`),
      },
      { weight: 6, arbitrary: fc.constantFrom(...SINGLE_ROUTES).map((route) => `/api/${route}`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom('/static', '/health', '/docs/api', '', '/files'), path)
          .map(([route, rest]) => `${route}/${rest}`),
      },
    ),
    query,
    headers,
    body,
    who: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('admin', 'bob') },
      { weight: 1, arbitrary: fc.constantFrom('nobody', 'garbage') },
    ) as fc.Arbitrary<FuzzRequest['who']>,
  })
  .map(({ place, query, ...rest }) => ({
    ...rest,
    target: place.replace(/^\/+/, '/') + (query === '' ? '' : `?${query}`),
  }))

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
