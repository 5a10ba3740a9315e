// The shell panel's WebSocket (docs/http-api.md 16): one command per connection, off by default. An argv,
// an exact allow-list, bounded time and output; the process group ends with the connection.

import { upgradeWebSocket } from '@hono/node-server'
import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { WSContext } from 'hono/ws'
import { findAccount } from '../access/effective.ts'
import { scopeOf } from '../access/user-tree.ts'
import type { Scope } from '../files/place/scope.ts'
import { recordAct, setAct } from '../http/audit.ts'
import { type Ctx, type Env, sessionOf, signedIn } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { requireSession, requireUser } from '../http/guard.ts'
import { COMMAND } from '../http/request-path.ts'
import { sendStatus } from '../http/respond.ts'
import { type Allotment, createAllotment } from '../lib/allotment.ts'
import { AppError } from '../lib/errors.ts'
import type { VPath } from '../lib/vpath.ts'
import { splitWords } from '../programs/command-line.ts'
import { createLines } from '../programs/lines.ts'
import { SESSIONS, USERS } from '../store/collections.ts'
import type { User } from '../store/document.ts'

/** Open at the same time, for one user and in all; each may run a command or hold half a line. */
const MAX_OWN_SOCKETS = 16
const MAX_SOCKETS = 256
const TIMEOUT_MS = 30 * 60_000
const CLOSE_GRACE_MS = 250
/** Of a line in the audit log. */
const MAX_SHOWN_CHARACTERS = 500
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024
/** Each is a frame: as many empty ones as bytes would pile up for a client that does not read. */
const MAX_OUTPUT_LINES = 250_000
/** Where the name of a program ends for a shell, in a line such as `ls; pwd`. */
const SHELL_WORD = /^\s*([^\s;&|<>()]+)/

export function commandRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const open = createAllotment<object>()
  const upgrade = upgradeWebSocket((c) => commandEvents(c as unknown as Ctx, deps, open))
  const limited = createMiddleware<Env>(async function limited(c, next) {
    const probe = {}
    const hasRoom = tryEnter(open, probe, signedIn(c).user.id)
    open.release(probe)
    if (!hasRoom)
      return sendStatus(429, { code: 'too_many_requests', headers: { 'Retry-After': '1' } })
    await next()
  })
  app.get(
    COMMAND,
    requireUser(deps),
    requireSession,
    sameOrigin,
    handshake,
    limited,
    upgrade as never,
  )
  return app
}

/** Counts a connection of a user, unless that has as many as it may, or all together have. */
function tryEnter(open: Allotment<object>, connection: object, userId: number): boolean {
  const charges = new Map([
    [`user ${userId}`, { amount: 1, limit: MAX_OWN_SOCKETS }],
    ['all', { amount: 1, limit: MAX_SOCKETS }],
  ])
  open.charge(connection, charges)
  const hasRoom = open.makeRoom(connection, () => undefined)
  if (!hasRoom) open.release(connection)
  return hasRoom
}

// Browsers send the cookie with any page's WebSocket, so the page's origin must be ours.
const sameOrigin = createMiddleware<Env>(async function sameOrigin(c, next) {
  const origin = c.req.header('origin')
  if (origin !== undefined && URL.parse(origin)?.host !== c.req.header('host'))
    return sendStatus(403, { code: 'forbidden', headers: { 'Sec-WebSocket-Version': '13' } })
  await next()
})

const handshake = createMiddleware<Env>(async function handshake(c, next) {
  const isUpgrade = c.req.header('upgrade')?.toLowerCase() === 'websocket'
  const key = c.req.header('sec-websocket-key') ?? ''
  if (!isUpgrade || c.req.header('sec-websocket-version') !== '13' || key === '')
    return sendStatus(400, { code: 'bad_request', headers: { 'Sec-WebSocket-Version': '13' } })
  await next()
})

function commandEvents(c: Ctx, deps: Deps, open: Allotment<object>) {
  const userId = signedIn(c).user.id
  const connection = {}
  const { vpath } = c.env.target
  const stop = new AbortController()
  let started = false
  // It may be quiet for hours.
  const pins = [deps.sessions.pin(sessionOf(c).id), deps.store.large.pin(USERS, userId)]
  const onEnd = () => {
    for (const unpin of pins) unpin()
    stop.abort()
    open.release(connection)
  }
  return {
    onOpen: (_event: unknown, ws: WSContext) => {
      // Several may have been admitted at once.
      if (!tryEnter(open, connection, userId)) endConnection(ws)
    },
    onMessage: (event: { data: unknown }, ws: WSContext) => {
      const line = typeof event.data === 'string' ? event.data : ''
      if (started || !open.has(connection) || line.trim() === '') return
      started = true
      // The connection may be older than the rights of its user, or than the end of the session.
      const user = currentUser(c, deps)
      if (!user) return endConnection(ws)
      const scope = scopeOf(deps, user)
      // What the command may go on with ends with the session, or with the right to execute.
      const leave = deps.store.subscribe(() => {
        const isLive = deps.store.get(SESSIONS, sessionOf(c).id) !== undefined
        if (!isLive || !findAccount(deps.store, user.id)?.perm.execute) stop.abort()
      })
      setAct(c, 'shell', { path: vpath, target: line.slice(0, MAX_SHOWN_CHARACTERS) })
      runCommand({ deps, user, scope, vpath, line, ws, signal: stop.signal })
        .catch((error: unknown) => {
          deps.log.error('a shell command failed', { error })
          return 500
        })
        .then((status) => {
          leave()
          endConnection(ws)
          recordAct(c, deps, { status, isWhole: true, bytes: 0, code: '' })
        })
    },
    onClose: onEnd,
    onError: onEnd,
  }
}

function currentUser(c: Ctx, deps: Deps): User | undefined {
  const session = deps.sessions.use(sessionOf(c).id)
  return session ? findAccount(deps.store, session.userID) : undefined
}

// Old clients never answer a close frame and wait for the connection itself to end.
function endConnection(ws: WSContext): void {
  ws.close(1000)
  const raw = ws.raw as { terminate(): void } | undefined
  setTimeout(() => raw?.terminate(), CLOSE_GRACE_MS).unref()
}

interface CommandRun {
  deps: Deps
  user: User
  scope: Scope
  vpath: VPath
  line: string
  ws: WSContext
  signal: AbortSignal
}

/** Runs the line and sends what it writes. Gives the HTTP status that fits how it went. */
async function runCommand(run: CommandRun): Promise<number> {
  const { deps, user, scope, vpath, line, ws, signal } = run
  const argv = admit(deps, user, line, ws)
  if (!argv) return 403
  const tooMany = new AbortController()
  let lines = 0
  const counted = (send: (text: string) => void) => (text: string) => {
    lines += 1
    if (lines > MAX_OUTPUT_LINES) tooMany.abort()
    else send(text)
  }
  const stdout = createLines(counted((text) => ws.send(text)))
  const errors: string[] = []
  const stderr = createLines(counted((text) => errors.push(text)))
  try {
    const cwd = await scope.hostPath(vpath)
    const { ended } = await deps.programs.run(argv, {
      cwd,
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      signal: AbortSignal.any([signal, tooMany.signal]),
      onStdout: stdout.add,
      onStderr: stderr.add,
    })
    stdout.end()
    stderr.end()
    for (const text of errors) ws.send(text)
    if (ended === 'timeout') ws.send(`Ended after ${TIMEOUT_MS / 60_000} minutes.`)
    if (ended === 'output') ws.send(`Ended after ${MAX_OUTPUT_BYTES} bytes of output.`)
    if (tooMany.signal.aborted) ws.send(`Ended after ${MAX_OUTPUT_LINES} lines of output.`)
    return 200
  } catch (error) {
    // A program or folder that does not exist is answered with the end alone, as clients know it.
    if (!(error instanceof AppError) && (error as { syscall?: string }).syscall === undefined)
      throw error
    return 404
  }
}

// The argv to run, or null after the refusal was sent. Where an administrator configured a shell, its
// pipes, lists and substitutions are what it is for: only the first program is compared with the list.
function admit(deps: Deps, user: User, line: string, ws: WSContext): string[] | null {
  let words: string[]
  try {
    words = splitWords(line)
  } catch (error) {
    ws.send(`error parsing command: ${(error as Error).message}`)
    return null
  }
  const [program] = words
  if (program === undefined) {
    ws.send(`no command contained in '${line}'`)
    return null
  }
  const { shell } = deps.store.settings()
  const names = shell.length > 0 ? [program, SHELL_WORD.exec(line)?.[1] ?? ''] : [program]
  const allowed =
    deps.config.enableExec &&
    user.perm.execute &&
    names.some((name) => user.commands.includes(name))
  if (!allowed) {
    ws.send('Command not allowed.')
    return null
  }
  return shell.length > 0 ? [...shell, line] : words
}
