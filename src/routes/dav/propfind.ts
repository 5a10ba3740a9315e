// PROPFIND of an entry, or of a folder and what is in it.

import { join } from 'node:path'
import { asksForRoom, type EntryFacts } from '../../dav/live.ts'
import { describeAs, hrefIn, MULTISTATUS_BEGIN, MULTISTATUS_END } from '../../dav/multistatus.ts'
import { readPropfind, type Wanted } from '../../dav/propfind.ts'
import type { Place, Scope } from '../../files/place/scope.ts'
import { type EntryStat, isBare } from '../../files/volume/entry-stat.ts'
import { answer, type Output, WALK_BYTES } from '../../http/answer.ts'
import { type Ctx, signedIn } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { etagOf } from '../../http/file-response.ts'
import { AppError, badRequest, unless } from '../../lib/errors.ts'
import { createTurns } from '../../lib/turns.ts'
import { baseName, ROOT, type VPath } from '../../lib/vpath.ts'
import type { Noted } from '../../store/dav/properties.ts'
import { hrefTo } from './address.ts'
import { readXml, XML_TYPE } from './bodies.ts'
import { sendError } from './failures.ts'
import { discover } from './locks.ts'
import { typeByName } from './read.ts'

/** Text of this length is sent before there is more. */
const SLICE_CHARS = 256 * 1024
/** What a folder's names hold in memory for each byte that the disk needs for them; no more is counted for one. */
const NAME_BYTES = 10
const MAX_NAMES_BYTES = 32 * 1024 * 1024

export async function propfind(c: Ctx, deps: Deps): Promise<Response> {
  const depth = c.req.header('depth')?.trim().toLowerCase() ?? 'infinity'
  if (!['0', '1', 'infinity'].includes(depth)) throw badRequest('Depth is 0, 1 or infinity')
  const wanted = readPropfind(await readXml(c, deps))
  const { vpath } = c.env.target
  const scope = c.get('scope')
  using open = new DisposableStack()
  const place = open.use(await scope.place(vpath))
  const stat = await scope.stat(place)
  if (stat.kind !== 'dir' && stat.kind !== 'file')
    throw new AppError('not_found', `${vpath} is neither file nor folder`)
  const isFolder = stat.kind === 'dir'
  if (isFolder && depth === 'infinity') {
    const error = new AppError('forbidden', 'a whole tree is not listed', { expose: true })
    return sendError(error, 'propfind-finite-depth')
  }
  const room = isFolder && wanted.kind !== 'names' ? await roomAt(scope, place, wanted) : null
  const noted = await deps.properties.all()
  await deps.davLocks.load()
  // Folders at the top have rights of their own.
  const may = vpath === ROOT ? scope.may : await scope.mayBelow(place)
  const describe = describeAs(wanted)
  const own = hrefTo(c, vpath, isFolder)
  const tell = (path: VPath, facts: EntryStat) => {
    const name = baseName(path)
    const isItself = path === vpath
    const href = isItself ? own : hrefIn(own, name, facts.kind === 'dir')
    let locks = ''
    let notes: Noted | undefined
    if ((noted.size > 0 || deps.davLocks.any()) && !isBare(facts)) {
      const real = isItself ? place.realPath : join(place.realPath, name)
      locks = discover(c, deps, path, real)
      notes = noted.get(real)
    }
    const told = factsOf(name, facts, { may: (verb) => may(path, verb), room, locks })
    return describe(href, told, notes)
  }
  const head = MULTISTATUS_BEGIN + tell(vpath, stat)
  if (!isFolder || depth === '0') return answer(`${head}${MULTISTATUS_END}\n`, XML_TYPE, 207)
  const kept = open.move()
  const folderBytes = Number(place.stats?.size ?? 0)
  return answer(
    {
      what: 'a listing',
      memoryBytes: Math.min(MAX_NAMES_BYTES, WALK_BYTES + folderBytes * NAME_BYTES),
      write: (output) => writeEntries(c, output, { place, head, tell }),
      close: () => kept.dispose(),
    },
    XML_TYPE,
    207,
  )
}

// What cannot be read after the head has gone breaks the connection: a part must not look like the whole.
async function writeEntries(
  c: Ctx,
  output: Output,
  {
    place,
    head,
    tell,
  }: { place: Place; head: string; tell(vpath: VPath, stat: EntryStat): string },
): Promise<void> {
  const { hideDotfiles } = signedIn(c).user
  const turn = createTurns()
  let text = head
  for await (const slice of c.get('scope').listInSlices(place, c.req.raw.signal)) {
    for (const { name, rawName, vpath, stat } of slice) {
      // Hidden names are there when they are named. Others have no address, or no content.
      const hasContent = stat.kind === 'file' || stat.kind === 'dir'
      if (rawName || !hasContent || (hideDotfiles && name.startsWith('.'))) continue
      text += tell(vpath, stat)
      const others = turn()
      if (others) await others
    }
    if (slice.length > 0 && text.length < SLICE_CHARS) continue
    await output.write(text)
    text = ''
  }
  await output.end(`${text}${MULTISTATUS_END}\n`)
}

async function roomAt(scope: Scope, place: Place, wanted: Wanted): Promise<EntryFacts['room']> {
  const names = wanted.kind === 'some' ? wanted.names : wanted.kind === 'all' ? wanted.also : []
  if (!asksForRoom(names)) return null
  // Nothing of the way to what is seen.
  const room = await scope.usage(place).catch(unless('forbidden'))
  return room?.total ? { used: room.used, available: Math.max(0, room.total - room.used) } : null
}

function factsOf(
  name: string,
  stat: EntryStat,
  { may, room, locks }: Pick<EntryFacts, 'may' | 'room' | 'locks'>,
): EntryFacts {
  return {
    name,
    isFolder: stat.kind === 'dir',
    sizeBytes: stat.sizeBytes,
    mtimeMs: Number(stat.mtimeNs / 1_000_000n),
    etag: etagOf(stat),
    contentType: typeByName(name),
    mode: stat.mode,
    may,
    room,
    locks,
  }
}
