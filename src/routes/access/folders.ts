// Records of folders, and who may do what where, for administrators (docs/http-api.md 33).
import { Hono } from 'hono'
import { accessAt, explainAccess } from '../../access/explain.ts'
import {
  hiddenBy,
  hostPathOf,
  placeOf,
  realPlaceOf,
  rootNames,
  statPlaces,
} from '../../access/folder-rights.ts'
import { setFolder } from '../../access/set-folder.ts'
import type { FolderList } from '../../access-types.ts'
import { addFacts, audited } from '../../http/audit.ts'
import { readJson } from '../../http/body.ts'
import { type Ctx, type Env, recheck, signedIn } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { requireAdmin, requireSession, requireUser } from '../../http/guard.ts'
import { sendJson, sendStatus } from '../../http/respond.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import { parsePlace, splitPlace } from '../../lib/places.ts'
import { toVPath, type VPath } from '../../lib/vpath.ts'
import { type Folder, parseFolder } from '../../store/access/folder-record.ts'
import { removeFolder } from '../../store/access/folders.ts'
import { FOLDERS } from '../../store/collections.ts'
import { loadUser } from '../../store/users.ts'
import { demandPassword } from '../users.ts'

/** A record with 200 grants and a long place takes some 40 KiB. */
const MAX_RECORD_BYTES = 256 * 1024

export function folderRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const user = requireUser(deps)
  const path = '/api/folders'
  app.get(path, user, requireAdmin, (c) => listFolders(c, deps))
  app.put(path, user, audited('folder-change'), requireSession, requireAdmin, (c) =>
    putFolder(c, deps),
  )
  app.delete(path, user, audited('folder-delete'), requireSession, requireAdmin, (c) =>
    deleteFolder(c, deps),
  )
  app.get('/api/access', user, requireAdmin, (c) => showAccess(c, deps))
  return app
}

async function listFolders(c: Ctx, deps: Deps): Promise<Response> {
  const { signal } = c.req.raw
  const roots = await Promise.all(
    [...deps.roots.values()].map(async ({ name, requirePresent }) => {
      const isMissing = await requirePresent().then(
        () => false,
        () => true,
      )
      return { name, isMissing }
    }),
  )
  const there = new Set(['', ...roots.flatMap(({ name, isMissing }) => (isMissing ? [] : name))])
  const folders = deps.store.all(FOLDERS)
  const places = folders.map(({ place }) => place).filter((at) => there.has(splitPlace(at).root))
  const found = await statPlaces(deps, places, signal)
  const present = new Set(places.filter((_, i) => found[i]))
  const hidden = await hiddenBy(deps, signal)
  const items = folders.map((folder) => {
    const hides = hidden.get(folder.place)
    return {
      ...folder,
      ...(!present.has(folder.place) && { isMissing: true as const }),
      ...(hides && { hides }),
      ...usageOf(deps, folder),
    }
  })
  return sendJson({ items, roots } satisfies FolderList)
}

function usageOf({ config, quotas }: Deps, { place, quota }: Folder): { usedBytes?: number } {
  if (quota === null || !rootNames(config).includes(splitPlace(place).root)) return {}
  const usedBytes = quotas.usedIn(hostPathOf(config, place))
  return usedBytes === undefined ? {} : { usedBytes }
}

async function putFolder(c: Ctx, deps: Deps): Promise<Response> {
  const { currentPassword, folder } = await readJson(
    c,
    deps,
    (r) => ({
      currentPassword: r.str('current_password'),
      folder: parseFolder(r, ['current_password']),
    }),
    MAX_RECORD_BYTES,
  )
  addFacts(c, { target: folder.place })
  await demandPassword(c, deps, currentPassword)
  const { root } = splitPlace(folder.place)
  if (!rootNames(deps.config).includes(root)) throw badRequest(`there is no root ${root}`)
  const kept = await deps.store.transaction((tx) => {
    recheck(c)
    return setFolder(deps.store, tx, folder)
  })
  return sendJson(kept)
}

async function deleteFolder(c: Ctx, deps: Deps): Promise<Response> {
  const place = parsePlace(c.env.target.query.get('place') ?? '')
  addFacts(c, { target: place ?? '' })
  const currentPassword = await readJson(c, deps, (r) => r.str('current_password'))
  await demandPassword(c, deps, currentPassword)
  await deps.store.transaction((tx) => {
    recheck(c)
    if (place === null || !removeFolder(tx, place))
      throw new AppError('not_found', 'there is no such record')
  })
  return sendStatus(204)
}

async function showAccess(c: Ctx, deps: Deps): Promise<Response> {
  const { query } = c.env.target
  const path = demandPath(query.get('path'))
  const id = query.get('user')
  if (id === null) {
    const { user } = signedIn(c)
    return sendJson(
      await accessAt(
        deps,
        (await realPlaceOf(deps, user, path)) ?? placeOf(deps, user, path).place,
      ),
    )
  }
  const user = await loadUser(deps.store, Number(id))
  if (!user) throw new AppError('not_found', 'no such user')
  return sendJson(explainAccess(deps, user, path, await realPlaceOf(deps, user, path)))
}

function demandPath(text: string | null): VPath {
  const path = text?.startsWith('/') ? toVPath(text) : null
  if (path === null) throw badRequest('path must begin with /')
  return path
}
