// Strange requests against the whole server.
import { readdir, readFile, symlink } from 'node:fs/promises'
import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import { startApp, type TestApp } from './app.ts'
import { FORBIDDEN, type FuzzAnswer, isKnown500, judge } from './fuzz-answers.ts'
import { type FuzzRequest, fuzzRequest } from './fuzz-requests.ts'
import type { Tree } from './tree.ts'

const FORBIDDEN_FILES = { 'plain.txt': FORBIDDEN, 'deny/denied.txt': FORBIDDEN }

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
      const broken = app.errors.filter((line) => !isKnown500(line))
      if (broken.length > 0) throw new Error(`unexpected failures:\n${broken.join('\n')}`)
      const refused = app.log.filter((line) => /: 500 \S+ /.test(line) && !isKnown500(line))
      if (refused.length > 0)
        throw new Error(`a 500 that clients do not know:\n${refused.join('\n')}`)
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
