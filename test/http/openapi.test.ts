import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenApi } from '../../src/openapi/document.ts'
import type { Answer, Method, Operation } from '../../src/openapi/types.ts'
import { type OpenedApp, openApp, PASSWORD } from '../support/app.ts'
import { findProblems } from '../support/json-schema.ts'
import type { SignedIn } from '../support/login.ts'
import { keepInTrash } from '../support/trash.ts'

let app: OpenedApp
let admin: SignedIn
let document: OpenApi

const KEPT = 'c'.repeat(32)
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

beforeAll(async () => {
  const tree = {
    'a.txt': 'hello\n',
    'folder/b.txt': 'b',
    'movie.mp4': '',
    'movie.srt': '1\n00:00:01,000 --> 00:00:02,000\nHi\n',
    'pixel.png': Buffer.from(PIXEL, 'base64'),
  }
  app = await openApp({ tree, users: [{ username: 'bob' }], settings: { signup: true } })
  await keepInTrash(app.tree.root, 'gone.txt', 'gone', { id: KEPT })
  admin = await app.as('admin')
  document = (await (await app.fetch('/api/openapi.json')).json()) as OpenApi
})

afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
})

/** The routing key of a described path: what stands before its first parameter. */
function keyOf(path: string): string {
  const key = path.replace(/\/\{(path|hash|size)\}.*$/, '')
  return key.replace('/{id}', '/:id')
}

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      return { path, method: method as Method, operation: operation as Operation }
    }),
  )

describe('the description', () => {
  it('names every route that is mounted, and no other', () => {
    const described = new Set(operations().map(({ path, method }) => `${method} ${keyOf(path)}`))
    // `all` routes answer any method; the two or three that make sense are described.
    const anyMethod = new Set(['/api/login', '/api/renew', '/api/signup', '/health', '/ready'])
    const mounted = app.routes
      .filter(({ path }) => path.startsWith('/api/') || anyMethod.has(path))
      .map(({ method, path }) => ({ method: method.toLowerCase(), path }))
    const missing = mounted.filter(({ method, path }) =>
      method === 'all'
        ? !(anyMethod.has(path) && [...described].some((entry) => entry.endsWith(` ${path}`)))
        : !described.has(`${method} ${path}`),
    )
    expect(missing).toEqual([])

    const served = new Set(mounted.map(({ method, path }) => `${method} ${path}`))
    const invented = [...described].filter((entry) => {
      const [method, path] = entry.split(' ')
      // HEAD is served by the handler of GET.
      return (
        !served.has(entry) &&
        !served.has(`all ${path}`) &&
        !(method === 'head' && served.has(`get ${path}`))
      )
    })
    expect(invented).toEqual([])
  })

  it('names every code of failures', () => {
    for (const code of ['method_not_allowed', 'range_not_satisfiable', 'no_space'])
      expect(document.info.description).toContain(code)
  })

  it('refers only to what it holds, and uses each name once', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
    for (const [, path = ''] of references) {
      const found = path
        .split('/')
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document)
      expect(found, path).toBeTruthy()
    }
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const used = new Set(references.map(([, path = '']) => path.split('/').at(-1)))
    for (const name of Object.keys(document.components.schemas)) expect(used, name).toContain(name)
  })

  it('declares each parameter of a path, and no other', () => {
    for (const { path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = (operation.parameters ?? [])
        .filter((p) => p.in === 'path')
        .map((p) => p.name)
      expect(declared.sort(), path).toEqual(inPath.sort())
    }
  })
})

interface Try {
  method: Method
  /** Path with its parameters filled in, query included. */
  url: string
  /** The described path. */
  path: string
  body?: unknown
  headers?: Record<string, string>
  status: number
  anonymous?: boolean
}

async function answerOf({ method, url, path, body, headers, status, anonymous }: Try) {
  const init: RequestInit = { method: method.toUpperCase(), headers: headers ?? {} }
  if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body)
  const response = anonymous ? await app.fetch(url, init) : await admin.fetch(url, init)
  const text = await response.text()
  expect(response.status, `${method} ${url}: ${text}`).toBe(status)
  const described = document.paths[path]?.[method]?.responses[String(status)]
  expect(described, `${method} ${path} describes ${status}`).toBeTruthy()
  const reference = (described as { $ref?: string }).$ref?.split('/').at(-1)
  const answer = (reference ? document.components.responses[reference] : described) as Answer
  return { response, text, answer }
}

/** Holds an answer against its description: type, headers, body. */
async function check(attempt: Try): Promise<string> {
  const { response, text, answer } = await answerOf(attempt)
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  for (const name of Object.keys(answer.headers ?? {}))
    expect(response.headers.has(name), name).toBe(true)
  if (!answer.content) {
    expect(text).toBe('')
    return text
  }
  const found = Object.entries(answer.content).find(([name]) =>
    name.endsWith('/*') ? type.startsWith(name.slice(0, -1)) : name === type,
  )
  // Files come as what they are.
  if (!found && 'application/octet-stream' in answer.content) return text
  expect(found, `${attempt.path} ${type}`).toBeTruthy()
  const value = type === 'application/json' ? JSON.parse(text) : text
  expect(findProblems(document, found?.[1].schema ?? {}, value), attempt.path).toEqual([])
  return text
}

describe('real answers', () => {
  it.each<Try>([
    { method: 'get', path: '/health', url: '/health', status: 200, anonymous: true },
    {
      method: 'post',
      path: '/api/jobs',
      url: '/api/jobs?wait=30',
      body: { kind: 'copy', items: ['/a.txt'], to: '/', conflict: 'rename' },
      status: 201,
    },
    {
      method: 'post',
      path: '/api/jobs',
      url: '/api/jobs',
      body: { kind: 'copy', items: ['/a.txt'], to: '/' },
      status: 409,
    },
    { method: 'get', path: '/api/jobs', url: '/api/jobs', status: 200 },
    { method: 'get', path: '/api/jobs/{id}', url: '/api/jobs/none', status: 404 },
    { method: 'get', path: '/api/resources/{path}', url: '/api/resources/', status: 200 },
    { method: 'get', path: '/api/resources/{path}', url: '/api/resources/a.txt', status: 200 },
    {
      method: 'get',
      path: '/api/resources/{path}',
      url: '/api/resources/a.txt?checksum=sha256',
      status: 200,
    },
    { method: 'get', path: '/api/resources/{path}', url: '/api/resources/movie.mp4', status: 200 },
    { method: 'get', path: '/api/resources/{path}', url: '/api/resources/pixel.png', status: 200 },
    { method: 'get', path: '/api/resources/{path}', url: '/api/resources/none', status: 404 },
    {
      method: 'get',
      path: '/api/resources/{path}',
      url: '/api/resources/',
      status: 401,
      anonymous: true,
    },
    {
      method: 'get',
      path: '/api/resources/recursive/{path}',
      url: '/api/resources/recursive/',
      status: 200,
    },
    {
      method: 'get',
      path: '/api/resources/recursive/{path}',
      url: '/api/resources/recursive/a.txt',
      status: 400,
    },
    { method: 'get', path: '/api/raw/{path}', url: '/api/raw/a.txt', status: 200 },
    { method: 'get', path: '/api/raw/{path}', url: '/api/raw/folder/?algo=tar', status: 200 },
    { method: 'get', path: '/api/raw/{path}', url: '/api/raw/folder/?algo=rar', status: 400 },
    {
      method: 'post',
      path: '/api/selections',
      url: '/api/selections',
      body: { files: ['a.txt'] },
      status: 200,
    },
    {
      method: 'post',
      path: '/api/selections',
      url: '/api/selections',
      body: { files: [] },
      status: 400,
    },
    {
      method: 'get',
      path: '/api/preview/{size}/{path}',
      url: '/api/preview/thumb/pixel.png?inline=true',
      status: 200,
    },
    {
      method: 'get',
      path: '/api/preview/{size}/{path}',
      url: '/api/preview/thumb/a.txt',
      status: 501,
    },
    { method: 'get', path: '/api/subtitle/{path}', url: '/api/subtitle/movie.srt', status: 200 },
    { method: 'get', path: '/api/subtitle/{path}', url: '/api/subtitle/a.txt', status: 400 },
    { method: 'get', path: '/api/usage/{path}', url: '/api/usage/', status: 200 },
    { method: 'get', path: '/api/locks/{path}', url: '/api/locks/a.txt', status: 200 },
    { method: 'get', path: '/api/users', url: '/api/users', status: 200 },
    { method: 'get', path: '/api/users/{id}', url: '/api/users/2', status: 200 },
    { method: 'get', path: '/api/users/{id}', url: '/api/users/99', status: 404 },
    { method: 'get', path: '/api/settings', url: '/api/settings', status: 200 },
    { method: 'get', path: '/api/sessions', url: '/api/sessions', status: 200 },
    { method: 'get', path: '/api/sessions', url: '/api/sessions?all=true', status: 200 },
    { method: 'get', path: '/api/shares', url: '/api/shares', status: 200 },
    { method: 'get', path: '/api/share/{path}', url: '/api/share/a.txt', status: 200 },
    { method: 'post', path: '/api/renew', url: '/api/renew', status: 200 },
    {
      method: 'post',
      path: '/api/login',
      url: '/api/login',
      body: { username: 'x', password: 'y' },
      status: 403,
      anonymous: true,
    },
    {
      method: 'post',
      path: '/api/login',
      url: '/api/login',
      body: { username: 'admin', password: PASSWORD },
      status: 200,
      anonymous: true,
    },
    {
      method: 'post',
      path: '/api/signup',
      url: '/api/signup',
      body: { username: 'neo', password: 'x' },
      status: 400,
      anonymous: true,
    },
    {
      method: 'post',
      path: '/api/resources/{path}',
      url: '/api/resources/new.txt',
      body: 'new',
      status: 200,
    },
    {
      method: 'post',
      path: '/api/resources/{path}',
      url: '/api/resources/new.txt',
      body: 'new',
      status: 409,
    },
    {
      method: 'put',
      path: '/api/resources/{path}',
      url: '/api/resources/new.txt',
      body: 'newer',
      status: 200,
    },
    {
      method: 'patch',
      path: '/api/resources/{path}',
      url: '/api/resources/new.txt?action=rename&destination=%2Fnewest.txt',
      status: 200,
    },
    {
      method: 'delete',
      path: '/api/resources/{path}',
      url: '/api/resources/newest.txt',
      status: 204,
    },
    {
      method: 'post',
      path: '/api/tus/{path}',
      url: '/api/tus/up.bin',
      headers: { 'Upload-Length': '4' },
      status: 201,
    },
    { method: 'get', path: '/api/tus/{path}', url: '/api/tus/up.bin', status: 200 },
    {
      method: 'patch',
      path: '/api/tus/{path}',
      url: '/api/tus/up.bin',
      headers: { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
      body: 'data',
      status: 204,
    },
    { method: 'put', path: '/api/settings', url: '/api/settings', body: 'x', status: 400 },
    {
      method: 'delete',
      path: '/api/users/{id}',
      url: '/api/users/2',
      body: { current_password: 'wrong' },
      status: 400,
    },
    { method: 'get', path: '/api/trash', url: '/api/trash?limit=0', status: 400 },
    { method: 'get', path: '/api/trash', url: '/api/trash', status: 200 },
    { method: 'get', path: '/api/trash/{id}/{path}', url: `/api/trash/${KEPT}/`, status: 200 },
    {
      method: 'get',
      path: '/api/trash/{id}/{path}',
      url: `/api/trash/${KEPT}/?raw=true`,
      status: 200,
    },
    {
      method: 'post',
      path: '/api/trash/restore',
      url: '/api/trash/restore',
      body: { ids: [KEPT, 'none'] },
      status: 200,
    },
    { method: 'delete', path: '/api/trash/{id}', url: `/api/trash/${KEPT}`, status: 404 },
    { method: 'delete', path: '/api/trash', url: '/api/trash', status: 202 },
    {
      method: 'get',
      path: '/api/openapi.json',
      url: '/api/openapi.json',
      status: 200,
      anonymous: true,
    },
  ])('$method $url answers $status as described', async (attempt) => {
    await check(attempt)
  })

  it('of search are lines of the described hits', async () => {
    const response = await admin.fetch('/api/search/?query=&details=true')
    const lines = (await response.text()).split('\n').filter(Boolean)
    expect(lines.length).toBeGreaterThan(3)
    for (const line of lines) {
      expect(
        findProblems(document, { $ref: '#/components/schemas/SearchHit' }, JSON.parse(line)),
      ).toEqual([])
    }
  })

  it('of shares, from making one to ending it', async () => {
    const made = await check({
      method: 'post',
      path: '/api/share/{path}',
      url: '/api/share/folder/',
      body: { password: 'pass', expires: '1', unit: 'days' },
      status: 200,
    })
    const { hash } = JSON.parse(made) as { hash: string }
    const share = {
      method: 'get',
      path: '/api/public/share/{hash}/{path}',
      anonymous: true,
    } as const
    await check({ ...share, url: `/api/public/share/${hash}`, status: 401 })
    const headers = { 'X-SHARE-PASSWORD': 'pass' }
    const info = await check({ ...share, url: `/api/public/share/${hash}`, headers, status: 200 })
    const { token } = JSON.parse(info) as { token: string }
    await check({
      method: 'get',
      path: '/api/public/dl/{hash}/{path}',
      url: `/api/public/dl/${hash}/b.txt?token=${encodeURIComponent(token)}`,
      status: 200,
      anonymous: true,
    })
    await check({
      method: 'delete',
      path: '/api/share/{path}',
      url: `/api/share/${hash}`,
      status: 200,
    })
  })
})

describe('the page', () => {
  it('shows every call, needs no script and nothing from elsewhere', async () => {
    const response = await app.fetch('/docs/api')
    const html = await response.text()
    expect(response.status).toBe(200)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    const nonce = /nonce-([^']+)'/.exec(policy)?.[1]
    expect(
      (nonce && html.includes(nonce.replaceAll('=', '&#61;'))) || html.includes(String(nonce)),
    ).toBeTruthy()
    for (const { operation } of operations())
      expect(html).toContain(`id="${operation.operationId}"`)
    expect(html).not.toMatch(/<script|https?:\/\//)
  })
})
