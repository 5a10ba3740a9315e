// Servers started from the command line, each in a working folder of its own, and what they answer.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeEach, expect } from 'vitest'
import type { Document } from '../../src/store/document.ts'
import { type RunningCli, runCli, startCli } from './cli.ts'
import { waitFor, withDeadline } from './deadline.ts'

export const TLS = join(import.meta.dirname, '..', 'data', 'tls')
export const PASSWORD = 'Correct-Horse-9-Battery'

/** The working folder of the test of the moment, with the served folder `srv` in it. */
export let cwd: string
let servers: RunningCli[]

/** A working folder for each test of the file; servers still up are stopped after it. */
export function freshFolders(): void {
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'filebrowser-serve-'))
    await mkdir(join(cwd, 'srv'))
    await writeFile(join(cwd, 'srv', 'a.txt'), 'hello')
    servers = []
  })
  afterEach(async () => {
    for (const server of servers) server.signal('stop', 'SIGTERM')
    await Promise.all(servers.map(({ ended }) => ended))
    // What was cut off may still note its end, which in a process of its own would be over.
    await rm(cwd, { recursive: true, force: true, maxRetries: 3 })
  })
}

export interface Served {
  cli: RunningCli
  origin: string
  port: number
  stop(): Promise<number>
}

/** Starts on a free port unless the words say otherwise; waits until it listens. */
export async function serve(
  words: string[] = [],
  env: Record<string, string> = {},
): Promise<Served> {
  const tcp =
    words.some((word) => /^(-p|--port|--socket)/.test(word)) || env.FB_PORT || env.FB_SOCKET
  const cli = startCli(['-r', 'srv', ...(tcp ? [] : ['-p', '0']), ...words], { cwd, env })
  let over = false
  cli.ended.then(() => {
    over = true
  })
  const block = await waitFor('the start block', () => {
    if (over) throw new Error(JSON.stringify(cli.output()))
    return /\n {2}(Open|Socket) +(\S+)\n/.exec(cli.output().stderr)
  })
  servers.push(cli)
  const origin = (block[2] ?? '').replace(/\/$/, '').replace('localhost', '127.0.0.1')
  return {
    cli,
    origin,
    port: Number(URL.canParse(origin) ? new URL(origin).port : 0),
    stop() {
      servers = servers.filter((server) => server !== cli)
      cli.signal('stop', 'SIGTERM')
      return withDeadline('the stop of the server', 60_000, cli.ended)
    },
  }
}

/** Runs a start that ends with code 1. */
export const failed = async (words: string[], env: Record<string, string> = {}) => {
  const result = await withDeadline('a start that fails', 60_000, runCli(words, { cwd, env }))
  expect(result.code).toBe(1)
  return result
}

export const database = async (): Promise<Document> =>
  JSON.parse(await readFile(join(cwd, 'filebrowser.db'), 'utf8'))

export const login = (origin: string, password: string, headers: Record<string, string> = {}) =>
  fetch(`${origin}/api/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ username: 'admin', password }),
  })

/** Asks for /health; `subject` is the name in the certificate. */
export async function health(options: object, tls = false) {
  return new Promise<{ status: number; subject: string }>((resolve, reject) => {
    const request = (tls ? httpsRequest : httpRequest)({
      path: '/health',
      agent: false,
      ...options,
    })
    request.once('error', reject)
    request.once('response', (response) => {
      response.resume()
      const socket = response.socket as TLSSocket
      const subject = tls ? String(socket.getPeerCertificate().subject.CN) : ''
      resolve({ status: response.statusCode ?? 0, subject })
    })
    request.end()
  })
}
