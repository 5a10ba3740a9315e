// What is done with versions of a file, by who may read and change the file itself.
import { Readable } from 'node:stream'
import type { Verb } from '../api-types.ts'
import type { OpenFile } from '../files/place/scope.ts'
import type { Version } from '../keep/versions.ts'
import { AppError, unless } from '../lib/errors.ts'
import { isWithin, type VPath } from '../lib/vpath.ts'
import { type Actor, requireMay } from './actor.ts'
import { pathsFor } from './trash-entries.ts'
import { type Body, createFile, saveFile } from './write.ts'

const CHUNK_BYTES = 1024 * 1024

/** The versions of a file, the newest first, also where the file is gone. */
export async function versionsOf(actor: Actor, vpath: VPath): Promise<Version[]> {
  return actor.services.versions.list(await realPathOf(actor, vpath))
}

/** Opens a version to be read; `not_found` without it. */
export async function openVersion(actor: Actor, vpath: VPath, id: string): Promise<OpenFile> {
  return actor.services.versions.open(await realPathOf(actor, vpath), id, vpath)
}

/** Gives the file the content, time and mode of a version, as a save does: what is there becomes one. */
export function restoreVersion(actor: Actor, vpath: VPath, id: string): Promise<void> {
  return withContent(actor, vpath, id, async (body, { mode }) => {
    if (await actor.scope.exists(vpath)) await saveFile(actor, vpath, body, () => {})
    else await createFile(actor, vpath, body, { replace: false })
    await giveMode(actor, vpath, mode, 'modify')
  })
}

/** Makes another file of a version, with its content, time and mode; `exists` when there is one. */
export function copyVersion(actor: Actor, vpath: VPath, id: string, to: VPath): Promise<void> {
  return withContent(actor, vpath, id, async (body, { mode }) => {
    await createFile(actor, to, body, { replace: false })
    await giveMode(actor, to, mode, 'create')
  })
}

// Where the file that has replaced it came with its own, or is gone; files of others keep theirs.
async function giveMode(
  { scope }: Actor,
  vpath: VPath,
  mode: number,
  verb: 'create' | 'modify',
): Promise<void> {
  if (((await scope.stat(vpath)).mode & 0o777) === (mode & 0o777)) return
  await scope.setMode(vpath, mode, verb).catch(unless('EPERM', 'ENOSYS', 'ENOTSUP', 'forbidden'))
}

/** Says whether a version stays whatever its age. */
export async function markVersion(
  actor: Actor,
  vpath: VPath,
  id: string,
  isKept: boolean,
): Promise<void> {
  const realPath = await realPathOf(actor, vpath)
  actor.demand()
  await actor.services.versions.mark(realPath, id, isKept)
}

/** What is kept of a file that is not there any more. */
export interface LeftFile {
  path: VPath
  versions: number
  size: number
  latestMs: number
}

/** So many are remembered at most while the latest are looked for. */
const MAX_REMEMBERED = 20_000

/**
 * Files in a folder, or below it, that are not there any more, as far as the caller may read and write there: those that were
 * replaced last, no more than `limit`, and how many there are.
 */
export async function leftVersions(
  actor: Actor,
  folder: VPath,
  limit: number,
): Promise<{ files: LeftFile[]; total: number; totalBytes: number }> {
  const pathOf = await pathsFor(actor, ['see', 'modify', 'download'])
  let found = new Map<VPath, LeftFile>()
  let [before, totalBytes] = [0, 0]
  const latest = () =>
    [...found.values()]
      .sort((a, b) => b.latestMs - a.latestMs || (a.path < b.path ? -1 : 1))
      .slice(0, limit)
  for await (const { realPath, versions, isGone } of actor.services.versions.all()) {
    const path = isGone ? await pathOf(realPath) : null
    if (path === null || !isWithin(folder, path)) continue
    const file = found.get(path) ?? { path, versions: 0, size: 0, latestMs: 0 }
    found.set(path, file)
    for (const { sizeBytes, replacedAt } of versions) {
      file.versions++
      file.size += sizeBytes
      totalBytes += sizeBytes
      file.latestMs = Math.max(file.latestMs, replacedAt)
    }
    if (found.size <= MAX_REMEMBERED) continue
    before += found.size
    found = new Map(latest().map((each) => [each.path, each]))
    before -= found.size
  }
  return { files: latest(), total: before + found.size, totalBytes }
}

/** Removes all versions of a file for good, with the right to delete. */
export async function dropVersions(actor: Actor, vpath: VPath): Promise<void> {
  const realPath = await realPathOf(actor, vpath, 'delete')
  const { versions } = actor.services
  for (const { id } of await versions.list(realPath)) {
    actor.demand()
    await versions.drop(realPath, id)
  }
}

/** Removes a version for good, with the right to delete. */
export async function dropVersion(actor: Actor, vpath: VPath, id: string): Promise<void> {
  const realPath = await realPathOf(actor, vpath, 'delete')
  actor.demand()
  await actor.services.versions.drop(realPath, id)
}

async function realPathOf(actor: Actor, vpath: VPath, ...further: Verb[]): Promise<string> {
  const verbs: Verb[] = ['modify', 'download', ...further]
  for (const verb of verbs) requireMay(actor, verb, vpath)
  const { services, scope } = actor
  using place = await scope.place(vpath)
  const realPath = await scope.hostPath(place, ...verbs)
  // Versions of a file that was there before the folder can be read and removed.
  if (place.stats?.isDirectory() && (await services.versions.list(realPath)).length === 0)
    throw new AppError('is_a_folder', `${vpath} is a folder, which has no versions`)
  return realPath
}

async function withContent(
  actor: Actor,
  vpath: VPath,
  id: string,
  work: (body: Body, file: OpenFile) => Promise<void>,
): Promise<void> {
  const file = await openVersion(actor, vpath, id)
  const { sizeBytes, mtimeMs } = file
  const stream = Readable.from(chunksOf(file), { objectMode: false })
  try {
    await work({ stream, sizeBytes, mtimeMs }, file)
  } finally {
    stream.destroy()
    await file.handle.close()
  }
}

async function* chunksOf({ handle, sizeBytes }: OpenFile): AsyncGenerator<Buffer> {
  for (let position = 0; position < sizeBytes; ) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, sizeBytes - position))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) throw new AppError('damaged', 'the version became shorter')
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}
