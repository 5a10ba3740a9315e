// The content that files had before they were replaced (docs/http-api.md 35).
import { Hono } from 'hono'
import { formatTime } from '../../files/listing/time-format.ts'
import { audited, setAct } from '../../http/audit.ts'
import { readJson } from '../../http/body.ts'
import { actorOf, type Ctx, type Env } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { requireUser } from '../../http/guard.ts'
import { sendJson, sendStatus } from '../../http/respond.ts'
import type { Version } from '../../keep/versions.ts'
import type { LeftVersionsPage, VersionItem } from '../../keep-types.ts'
import { badRequest } from '../../lib/errors.ts'
import { baseName, toVPath, type VPath } from '../../lib/vpath.ts'
import type { Actor } from '../../operations/actor.ts'
import {
  copyVersion,
  dropVersion,
  dropVersions,
  leftVersions,
  markVersion,
  openVersion,
  restoreVersion,
  versionsOf,
} from '../../operations/versions.ts'
import { loadNames } from '../../store/users.ts'
import { sendOpenFile } from '../raw.ts'

const VERSIONS = '/api/versions'
/** Files of one answer that are not there any more. */
const MAX_LEFT = 1_000

export function versionRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const guard = requireUser(deps)
  app.get(VERSIONS, guard, (c) => readVersions(c, deps))
  app.post(VERSIONS, guard, audited('save'), (c) => changeVersion(c, deps))
  app.delete(VERSIONS, guard, audited('delete'), async (c) => {
    const { vpath, query } = c.env.target
    const actor = actorOf(c, deps)
    if (query.get('all') === 'true') await dropVersions(actor, vpath)
    else await dropVersion(actor, vpath, query.get('id') ?? '')
    return sendStatus(204)
  })
  return app
}

async function readVersions(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath, query } = c.env.target
  const actor = actorOf(c, deps)
  if (query.get('gone') === 'true') return sendJson(await listLeft(actor, vpath))
  const id = query.get('id')
  if (id === null) {
    const found = await versionsOf(actor, vpath)
    const nameOf = await loadNames(
      deps.store,
      found.map(({ userID }) => userID),
    )
    return sendJson({ items: found.map((version) => itemOf(version, nameOf)) })
  }
  setAct(c, 'download')
  return sendOpenFile(c, await openVersion(actor, vpath, id), baseName(vpath))
}

/** What is kept of files in a folder, or below it, that are not there any more. */
async function listLeft(actor: Actor, folder: VPath): Promise<LeftVersionsPage> {
  const { files, ...totals } = await leftVersions(actor, folder, MAX_LEFT)
  const items = files.map(({ latestMs, ...file }) => ({ ...file, replacedAt: timeOf(latestMs) }))
  return { items, ...totals }
}

function itemOf(version: Version, nameOf: (userID: number | null) => string | null): VersionItem {
  const { id, sizeBytes, mtimeMs, replacedAt, userID, isKept } = version
  return {
    id,
    size: sizeBytes,
    modified: timeOf(mtimeMs),
    replacedAt: timeOf(replacedAt),
    by: nameOf(userID),
    keep: isKept,
  }
}

function timeOf(ms: number): string {
  return formatTime(BigInt(ms) * 1_000_000n)
}

async function changeVersion(c: Ctx, deps: Deps): Promise<Response> {
  const { id, action, to } = await readJson(c, deps, (r) => ({
    id: r.str('id'),
    action: r.str('action'),
    to: r.str('to'),
  }))
  const { vpath } = c.env.target
  const actor = actorOf(c, deps)
  if (action === 'restore') await restoreVersion(actor, vpath, id)
  else if (action === 'copy') {
    const target = to === '' ? null : toVPath(to)
    if (target === null) throw badRequest('to must be a path')
    setAct(c, 'copy', { to: target })
    await copyVersion(actor, vpath, id, target)
  } else if (action === 'keep' || action === 'release') {
    setAct(c, action === 'keep' ? 'version-keep' : 'version-release')
    await markVersion(actor, vpath, id, action === 'keep')
  } else throw badRequest('action must be restore, keep, release or copy')
  return sendStatus(204)
}
