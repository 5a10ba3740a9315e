// Archives and files of sums that are made in a folder of the account.
import { basename } from 'node:path'
import type { Verb } from '../../api-types.ts'
import { archiveExtension } from '../../files/archive/archive.ts'
import { archiveEntries, nameSelection } from '../../files/archive/entries.ts'
import type { ArchiveFormat } from '../../files/archive/formats.ts'
import { type ChecksumAlgorithm, isChecksumAlgorithm } from '../../files/transfer/checksum.ts'
import { freeName } from '../../files/transfer/copy.ts'
import type { Course } from '../../files/transfer/course.ts'
import type { Making } from '../../history/history.ts'
import { AppError } from '../../lib/errors.ts'
import { joinVPath, parentOf, type VPath } from '../../lib/vpath.ts'
import { type Actor, requireMay, requireRight, requireStill } from '../actor.ts'
import { change } from '../change.ts'
import { requireUnlocked } from '../locks.ts'
import { putInPlace } from '../write.ts'
import { writeSums } from './sums.ts'

export interface Compressing {
  items: readonly VPath[]
  /** The folder for the archive. */
  to: VPath
  /** Of an archive; or a file of sums of that kind. */
  format: ArchiveFormat | ChecksumAlgorithm
  /** A zip is packed, not only stored. */
  deflated: boolean
  /** What becomes of a place that is taken. */
  conflict: 'fail' | 'rename' | 'replace'
}

interface Prepared {
  /** The archive. */
  target: VPath
  /** Where the names in it begin. */
  common: VPath
  verbs: Verb[]
}

/**
 * Throws what an archive is refused with before a byte of it is made: `forbidden` for what may not be downloaded, and
 * without the right to create it, to replace also to modify; `not_found`; `exists` where its place is taken. Its name
 * is that of the download.
 */
export async function prepareArchive(
  actor: Actor,
  { items, to, format, conflict }: Compressing,
): Promise<Prepared> {
  const { scope } = actor
  for (const item of items) {
    requireMay(actor, 'see', item)
    const { kind } = await scope.stat(item)
    // A folder that may not be downloaded may hold what may.
    if (kind === 'dir') requireRight(actor, 'download')
    else requireMay(actor, 'download', item)
  }
  const folder = parentOf(items[0] as VPath)
  const root = basename(await scope.rootPath(folder))
  const { common, name } = await nameSelection(scope, folder, items, root)
  const isSums = isChecksumAlgorithm(format)
  const wanted = joinVPath(to, name + (isSums ? `.${format}` : archiveExtension(format)))
  requireMay(actor, 'create', wanted)
  const target = conflict === 'rename' ? await freeName(scope, wanted) : wanted
  const isTaken = await scope.exists(target)
  if (isTaken && conflict !== 'replace') throw new AppError('exists', `${target} exists`)
  if (isTaken) requireMay(actor, 'modify', target)
  // Programs look for what is summed beside the sums.
  return {
    target,
    common: isSums ? to : common,
    verbs: conflict === 'replace' ? ['create', 'modify'] : ['create'],
  }
}

/**
 * Makes an archive, hidden until it is whole, as prepareArchive says; `onBegin` is told where it goes, and `course` of what cannot be read, which is
 * left out.
 */
export async function compress(
  actor: Actor,
  what: Compressing,
  { course, onBegin }: { course: Course; onBegin(target: VPath): Promise<void> },
): Promise<void> {
  const prepared = await prepareArchive(actor, what)
  const { target, verbs } = prepared
  const demand = requireStill(actor, target, verbs)
  await onBegin(target)
  const hooked = { event: 'upload', kind: 'copy', vpath: target } as const
  const [first] = what.items
  const told = { vpath: first as VPath, destination: target }
  await change(
    actor,
    hooked,
    (_, making) => write(actor, what, { prepared, course, making, demand }),
    { told },
  )
}

interface Writing {
  prepared: Prepared
  course: Course
  making: Making
  demand(): void
}

async function write(
  actor: Actor,
  { items, format, deflated, conflict }: Compressing,
  { prepared, course, making, demand }: Writing,
): Promise<void> {
  const { scope, services, signal } = actor
  const { target, common } = prepared
  await course.begin()
  demand()
  using place = await scope.place(target)
  const touched = place.stats ? 'content' : 'member'
  await requireUnlocked(actor, target, touched)
  const temp = await scope.openTemp(place, { parents: true })
  let position = 0
  const sink = {
    write: async (bytes: Uint8Array) => {
      await temp.write([bytes], position, { direct: false })
      position += bytes.length
    },
  }
  const progress = {
    at: (name: string) => course.at(joinVPath(common, name)),
    bytes: (count: number) => course.bytes(count),
    passed: () => course.passed(0),
  }
  try {
    const found = archiveEntries(scope, items, common, signal, course.failed)
    const entries = without(found, target)
    if (isChecksumAlgorithm(format))
      await writeSums(actor, { entries, algorithm: format, common, course, write: sink.write })
    else await services.writeArchive(entries, format, sink, signal, { deflated, progress })
    const replace = conflict === 'replace'
    await putInPlace(actor, { vpath: target, realPath: place.realPath, making, replace }, (held) =>
      temp.commit({
        replace,
        check: async () => {
          await requireUnlocked(actor, target, touched)
          demand()
          held()
        },
      }),
    )
  } finally {
    await temp.discard()
  }
}

/** The archive that is replaced may lie in what is archived. */
async function* without<T extends { kind: string; vpath?: VPath }>(
  entries: AsyncGenerator<T, void>,
  target: VPath,
): AsyncGenerator<T, void> {
  for await (const entry of entries) if (entry.vpath !== target) yield entry
}
