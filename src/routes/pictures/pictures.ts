// Pictures saved turned or cropped, and when photographs were taken (docs/http-api.md 39).
import { Hono } from 'hono'
import { datesTaken } from '../../files/listing/dates-taken.ts'
import type { PictureEdit } from '../../files/preview/protocol.ts'
import type { EntryStat } from '../../files/volume/entry-stat.ts'
import { JSON_TYPE, stream, WALK_BYTES } from '../../http/answer.ts'
import { addFacts, audited, setAct } from '../../http/audit.ts'
import { readJson } from '../../http/body.ts'
import { refusesWrite } from '../../http/conditions.ts'
import { actorOf, type Ctx, type Env } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { etagOf } from '../../http/file-response.ts'
import { requireUser } from '../../http/guard.ts'
import { sendStatus } from '../../http/respond.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import { asString, ParseError, type Reader } from '../../lib/parse.ts'
import { toVPath } from '../../lib/vpath.ts'
import { editPicture } from '../../operations/pictures/edit-picture.ts'
import { writeList } from '../recursive.ts'

export function pictureRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.post('/api/pictures', requireUser(deps), audited('save'), (c) => changePicture(c, deps))
  app.post('/api/taken', requireUser(deps), (c) => sendDates(c, deps))
  return app
}

/** Some 100,000 names. */
const MAX_NAMES_BYTES = 4 << 20

async function sendDates(c: Ctx, deps: Deps): Promise<Response> {
  const names = await readJson(
    c,
    deps,
    (reader) => (reader.has('names') ? new Set(reader.list('names', asString)) : null),
    MAX_NAMES_BYTES,
  )
  const { scope, signal } = actorOf(c, deps)
  const { vpath } = c.env.target
  const { kind } = await scope.stat(vpath)
  if (kind !== 'dir') throw badRequest('path is not a directory')
  const batches = datesTaken(scope, vpath, { names, signal })
  return stream(JSON_TYPE, {
    what: 'dates of photographs',
    memoryBytes: WALK_BYTES,
    write: (output) => writeList(batches, output),
  })
}

async function changePicture(c: Ctx, deps: Deps): Promise<Response> {
  const { edit, to: path } = await readJson(c, deps, (reader) => ({
    edit: parseEdit(reader),
    to: reader.str('to'),
  }))
  if (edit.quarterTurns === 0 && edit.crop === null) throw badRequest('rotate or crop is missing')
  const to = path === '' ? null : toVPath(path)
  if (path !== '' && to === null) throw badRequest('to must be a path')
  if (to !== null) setAct(c, 'copy', { to })
  const { vpath } = c.env.target
  const check = (file: EntryStat) => requireSeen(c, file)
  const written = await editPicture(actorOf(c, deps), vpath, { edit, to, check })
  addFacts(c, { bytes: written.sizeBytes })
  return sendStatus(200, { headers: { ETag: etagOf(written) } })
}

const SIDE = { min: 1, max: 1_000_000 }

function parseEdit(reader: Reader): PictureEdit {
  const degrees = reader.int('rotate', 0)
  if (![0, 90, 180, 270].includes(degrees)) throw new ParseError('rotate is 0, 90, 180 or 270')
  const crop = reader.has('crop')
    ? reader.obj('crop', (area) => ({
        left: area.int('left', 0, { min: 0, max: SIDE.max }),
        top: area.int('top', 0, { min: 0, max: SIDE.max }),
        width: area.int('width', 0, SIDE),
        height: area.int('height', 0, SIDE),
      }))
    : null
  return { quarterTurns: degrees / 90, crop }
}

// If-Match against the picture as it is now (RFC 9110 13.1.1).
function requireSeen(c: Ctx, file: EntryStat): void {
  const now = { etag: etagOf(file), mtimeMs: Number(file.mtimeNs / 1_000_000n) }
  if (!refusesWrite(c.env.incoming.headers, now)) return
  const message = `${c.env.target.vpath} is not as the client expects`
  throw new AppError('precondition_failed', message, { headers: { ETag: now.etag } })
}
