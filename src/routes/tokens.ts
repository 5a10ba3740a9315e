// API tokens of one's own (docs/http-api.md 26): made, listed and removed by people alone, never by tokens.
import { Hono } from 'hono'
import type { ApiTokenRecord, ErrorCode } from '../api-types.ts'
import { addApiToken, type NewApiToken } from '../auth/api-tokens.ts'
import { formatTime } from '../files/listing/time-format.ts'
import { answer, JSON_TYPE } from '../http/answer.ts'
import { addFacts, audited } from '../http/audit.ts'
import { readJson } from '../http/body.ts'
import { type Ctx, type Env, recheck, signedIn } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { requireSession, requireUser } from '../http/guard.ts'
import { sendJson, sendStatus, toJson } from '../http/respond.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import { type Reader, readLike, zeroOf } from '../lib/parse.ts'
import { ROOT, toVPath, type VPath } from '../lib/vpath.ts'
import { API_TOKENS } from '../store/collections.ts'
import { type ApiToken, defaultPermissions } from '../store/document.ts'
import { demandPassword } from './users.ts'

export function tokenRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const user = requireUser(deps)
  app.get('/api/tokens', user, requireSession, (c) => {
    const tokens = deps.apiTokens.list(signedIn(c).user.id)
    return sendJson(tokens.map(presentToken))
  })
  app.post('/api/tokens', user, audited('token-add'), requireSession, (c) => createToken(c, deps))
  app.delete('/api/tokens/:id', user, audited('token-delete'), requireSession, async (c) => {
    const { user } = signedIn(c)
    const id = c.req.param('id')
    addFacts(c, { target: id })
    await deps.store.transaction((tx) => {
      // Somebody else's token is as good as absent, so that ids cannot be probed.
      if (tx.get(API_TOKENS, id)?.userID !== user.id)
        throw new AppError('not_found', 'no such token')
      tx.remove(API_TOKENS, id)
    })
    return sendStatus(204)
  })
  return app
}

async function createToken(c: Ctx, deps: Deps): Promise<Response> {
  // Whoever came would keep one, also once people have to sign in.
  if (deps.store.settings().authMethod === 'noauth')
    throw new AppError('forbidden', 'nobody signs in here')
  const { currentPassword, wanted } = await readJson(c, deps, (r) => ({
    currentPassword: r.str('current_password'),
    wanted: parseWanted(r),
  }))
  await demandPassword(c, deps, currentPassword)
  if (!c.get('scope').may(wanted.folder, 'see')) throw badRequest('folder is hidden', 'forbidden')
  await demandFolder(c, wanted.folder)
  const { text, token } = await deps.store.transaction((tx) => {
    recheck(c)
    return addApiToken(tx, signedIn(c).user.id, wanted)
  })
  addFacts(c, { target: `${token.id} ${token.name}` })
  return answer(toJson({ ...presentToken(token), token: text }), JSON_TYPE, 201)
}

// A name that was mistyped would be a token that opens nothing, or whatever comes there later.
async function demandFolder(c: Ctx, folder: VPath): Promise<void> {
  const scope = c.get('scope')
  const entry = await scope.stat(folder).catch((error) => {
    if (error instanceof AppError && NO_FOLDER.has(error.code))
      throw badRequest(`there is no folder ${folder}`, error.code)
    throw error
  })
  if (entry.kind !== 'dir') throw badRequest(`${folder} is no folder`, 'not_a_folder')
}

const NO_FOLDER: ReadonlySet<ErrorCode> = new Set([
  'not_found',
  'not_a_folder',
  'invalid_name',
  'forbidden',
])

function parseWanted(r: Reader): NewApiToken {
  const folder = r.has('folder') ? toVPath(r.str('folder')) : ROOT
  if (folder === null) throw badRequest('folder holds NUL')
  const expires = r.str('expires')
  const expiresMs = expires === '' ? 0 : Date.parse(expires)
  if (Number.isNaN(expiresMs)) throw badRequest('expires is no time')
  if (expiresMs !== 0 && expiresMs <= Date.now()) throw badRequest('expires is in the past')
  const perm = r.obj('perm', (p) => readLike(p, zeroOf(defaultPermissions())))
  return { name: r.str('name'), perm, folder, expiresMs }
}

function presentToken(token: ApiToken): ApiTokenRecord {
  const time = (ms: number) => (ms === 0 ? null : formatTime(BigInt(ms) * 1_000_000n))
  return {
    id: token.id,
    name: token.name,
    perm: token.perm,
    folder: token.folder,
    created: time(token.createdMs) ?? '',
    expires: time(token.expiresMs),
    lastUsed: time(token.lastUsedMs),
  }
}
