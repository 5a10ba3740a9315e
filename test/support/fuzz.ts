// Requests nobody would send, against the whole server: paths, queries, headers and bodies from
// fast-check, mixed with what nearly makes sense so that they get past the first check.
import { readdir, readFile, symlink } from 'node:fs/promises'
import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import { PASSWORD, startApp, type TestApp } from './app.ts'
import { SECRET, type Tree } from './tree.ts'

export interface FuzzRequest {
  method: string
  /** Request target as sent. */
  target: string
  headers: OutgoingHttpHeaders
  body: Buffer
  /** Whose token is sent. */
  who: 'admin' | 'bob' | 'nobody' | 'garbage'
}

interface FuzzAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
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

/** Stands in files of the server that neither bob nor a share of his folder may see. */
const FORBIDDEN = 'a marker that only the administrator may read'
const FORBIDDEN_FILES = { 'plain.txt': FORBIDDEN, 'deny/denied.txt': FORBIDDEN }

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

/**
 * Failures with status 500 that the contract lays down (http-api 1.4, 4.7, 5.4, 7.3, 7.4, 13,
 * 14); every other one is a defect.
 */
const CONTRACTED_500: readonly { on: RegExp; because: RegExp }[] = [
  {
    on: /^\S+ \/api\/(public\/)?(resources|raw|tus|usage|share|search|subtitle|preview|dl|command|selections)/,
    because: /(ENOTDIR|EISDIR|ENAMETOOLONG|ELOOP|EINVAL|ENOTEMPTY|EILSEQ) at \//s,
  },
  {
    on: /^\S+ \/api\/(public\/)?(resources|raw|tus|usage|share|search|dl)/,
    because: / is not a (file|folder)$/s,
  },
  {
    on: /^(POST|PUT|PATCH) \/api\/(resources|tus)/,
    because: / is a folder and cannot be replaced by a file/s,
  },
  { on: /^GET \/api\/(public\/)?preview\//, because: /preview of \/.*: /s },
  { on: /^GET \/api\/(public\/)?subtitle\//, because: /no cues found/ },
  {
    on: /^POST \/api\/(signup|users)/,
    because: /no folder name can be made of this user name/,
  },
  { on: /^PUT \/api\/users\//, because: /users have no field / },
]

/** Whether the wording is one of these; which request may have it is judged with its answer. */
function isContracted(line: string): boolean {
  return CONTRACTED_500.some(({ because }) => because.test(line))
}

export interface Fuzzed extends AsyncDisposable {
  /** Sends a request and throws when the answer breaks a promise. */
  probe(request: FuzzRequest): Promise<void>
  /** Throws when something has escaped or failed in the background. */
  inspect(): Promise<void>
}

/** Starts a server over a fresh tree with an administrator, a limited account and a share. */
export async function startFuzzed(): Promise<Fuzzed> {
  const app = await startApp({
    users: [{ username: 'bob', scope: '/folder', hideDotfiles: true }],
    settings: {
      signup: true,
      rules: [{ regex: false, allow: false, path: '/deny', regexp: null }],
    },
    config: { loginRateLimit: { attempts: 0, windowMs: 1000 }, enableExec: false },
  })
  const { tree } = app
  await fillTree(tree)
  const outside = await snapshot(tree)
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const tokens = { admin: '', bob: '', garbage: 'a.b.c', nobody: '' }
  const refresh = async () => {
    tokens.admin = (await app.as('admin')).token
    tokens.bob = (await app.as('bob')).token
  }
  await refresh()
  const hash = await makeShare(app, tokens.admin)
  let requests = 0

  return {
    probe: async (given) => {
      // Sessions end by what is fuzzed; most requests shall get past the door.
      if (++requests % 100 === 0) {
        await refresh().catch(() => {})
        // The administrator may have removed or overwritten them.
        await tree.add(FORBIDDEN_FILES).catch(() => {})
      }
      const target = given.target.replaceAll('HASH', hash)
      const token = tokens[given.who]
      const headers = { ...given.headers, ...(token ? { 'X-Auth': token } : {}) }
      const logged = app.log.length
      const before = given.who === 'admin' ? null : await forbiddenFiles(tree)
      const answer = await send(app.port, agent, { ...given, target, headers })
      judge(
        given,
        answer,
        app.log.slice(logged).find((line) => / 500 /.test(line)),
      )
      if (before !== null && (await forbiddenFiles(tree)) !== before)
        throw new Error(`changed beyond the scope: ${given.method} ${target} as ${given.who}`)
    },
    inspect: async () => {
      const health = await fetch(`${app.origin}/health`)
      if (health.status !== 200) throw new Error(`the server is not well: ${health.status}`)
      const broken = app.errors.filter((line) => !isContracted(line))
      if (broken.length > 0) throw new Error(`unexpected failures:\n${broken.join('\n')}`)
      const refused = app.log.filter((line) => /: 500 \S+ /.test(line) && !isContracted(line))
      if (refused.length > 0)
        throw new Error(`a 500 that no contract knows:\n${refused.join('\n')}`)
      const now = await snapshot(tree)
      if (now !== outside) throw new Error(`changed outside of the tree:\n${outside}\n${now}`)
    },
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await app[Symbol.asyncDispose]()
    },
  }
}

async function fillTree(tree: Tree): Promise<void> {
  await tree.add({
    'movie.srt': '1\n00:00:01,000 --> 00:00:02,000\nHi\n',
    'film.mp4': 'no film',
    'pixel.png': Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
    ...FORBIDDEN_FILES,
    'folder/.hidden/x.txt': 'x',
  })
  await symlink(join(tree.outside, 'secret.txt'), tree.at('folder/out'))
  await symlink('/etc', tree.at('folder/etc'))
}

// What must stay as it is: everything beside the served folder but the server's own files.
async function snapshot(tree: Tree): Promise<string> {
  const names = (await readdir(tree.base)).filter((name) => !name.startsWith('filebrowser.db'))
  const inside = await readdir(tree.outside, { recursive: true })
  const secret = await readFile(join(tree.outside, 'secret.txt'), 'utf8')
  return JSON.stringify([names.sort(), inside.sort(), secret])
}

// What only the administrator may change: everything in the root but bob's own folder.
async function forbiddenFiles(tree: Tree): Promise<string> {
  const names = (await readdir(tree.root)).filter((name) => name !== 'folder' && name !== 'users')
  const facts = Object.keys(FORBIDDEN_FILES).map((name) => tree.read(name).catch(() => null))
  return JSON.stringify([names.sort(), await Promise.all(facts)])
}

async function makeShare(app: TestApp, token: string): Promise<string> {
  const response = await fetch(`${app.origin}/api/share/folder/`, {
    method: 'POST',
    headers: { 'X-Auth': token },
    body: '{}',
  })
  return ((await response.json()) as { hash: string }).hash
}

function judge(
  given: FuzzRequest,
  { status, headers, body }: FuzzAnswer,
  /** The line that the server logged for it. */
  reason: string | undefined,
): void {
  const complain = (what: string) => {
    throw new Error(`${what}: ${given.method} ${given.target} as ${given.who} -> ${status}`)
  }
  if (status < 200 || status > 599) complain('a strange status')
  if (headers['x-request-id'] !== undefined) complain('an unexpected failure')
  if (status === 500 && headers['x-error-code'] === undefined) complain('a 500 without a reason')
  if (status === 500 && reason !== undefined) {
    const route = given.target.split('?')[0] ?? ''
    const known = CONTRACTED_500.some(
      ({ on, because }) => because.test(reason) && on.test(`${given.method} ${route}`),
    )
    if (!known) complain(`a 500 that no contract knows here (${reason})`)
  }
  const mayRead = given.who === 'admin' && !/^\/api\/public\//.test(given.target)
  if (!mayRead && body.includes(FORBIDDEN)) complain('a file beyond the scope got out')
  if (body.includes(SECRET)) complain('a secret got out')
  if (/root:.*:0:0:/.test(body.toString('latin1'))) complain('a file of the host got out')
  if (body.includes('node:internal') || body.includes('/src/')) complain('a stack trace')
}

function send(port: number, agent: Agent, given: FuzzRequest): Promise<FuzzAnswer> {
  return new Promise((resolve, reject) => {
    const { method, target, body } = given
    const headers: OutgoingHttpHeaders = { ...given.headers, 'Content-Length': body.length }
    const options = { host: '127.0.0.1', port, agent, method, path: target, headers }
    const call = request(options, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        const answer = { status: response.statusCode ?? 0, headers: response.headers }
        resolve({ ...answer, body: Buffer.concat(parts) })
      })
    })
    call.on('error', (error) =>
      reject(new Error(`no answer to ${method} ${target} (${error.message})`, { cause: error })),
    )
    call.setTimeout(20_000, () => call.destroy(new Error('no answer within 20 s')))
    call.end(body)
  })
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** Sends `count` requests to fresh servers, `perServer` to each. Reports seed and shrunk request. */
export async function fuzz(count: number, perServer: number, seed?: number): Promise<void> {
  for (let sent = 0; sent < count; sent += perServer) {
    await using server = await startFuzzed()
    const numRuns = Math.min(perServer, count - sent)
    const options = { numRuns, ...(seed === undefined ? {} : { seed: seed + sent }) }
    await fc.assert(
      fc.asyncProperty(fuzzRequest, (given) => server.probe(given)),
      options,
    )
    await server.inspect()
  }
}
