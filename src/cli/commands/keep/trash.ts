// `filebrowser trash`: what was deleted and is kept, on the machine itself, also while the server runs.
import { basename, dirname, join, resolve } from 'node:path'
import { parsePositiveDuration } from '../../../config/option-values.ts'
import { createDisks } from '../../../files/disks/disks.ts'
import { createDiskVolume } from '../../../files/volume/disk-volume.ts'
import type { Volume } from '../../../files/volume/volume.ts'
import { copyAway } from '../../../keep/copy-away.ts'
import { originalName } from '../../../keep/store-index.ts'
import type { KeptPlace, Trash, TrashEntry } from '../../../keep/trash.ts'
import { AppError, errnoOf, unless } from '../../../lib/errors.ts'
import { openTrash } from '../../../operations/open-kept.ts'
import type { Store } from '../../../store/store.ts'
import { loadNames } from '../../../store/users.ts'
import { type Command, flag, flagValue, type Invocation } from '../../command.ts'
import { configOf, withDatabase } from '../../database.ts'
import { ROOT_FLAGS } from '../../flags.ts'
import { alignColumns } from '../../print.ts'
import { plain } from '../user-table.ts'

const NEVER = new AbortController().signal
const OWN_FLAGS = ['json', 'to', 'olderThan']
const FLAGS = [
  flag('json', 'As JSON, times in UTC and sizes in bytes'),
  ...ROOT_FLAGS.filter(({ name }) => ['root', 'roots'].includes(name)),
]

export const trashCommand: Command = {
  name: 'trash',
  summary: 'Show, bring back and remove what was deleted',
  about:
    'Deleted entries are kept in hidden folders of their disks (docs/trash.md). Finds them by the same\n' +
    'configuration the server was started with; a running server notices what is done here.',
  commands: [
    {
      name: 'ls',
      summary: 'List deleted entries, the newest first',
      flags: FLAGS,
      run: (invocation) =>
        withTrash(invocation, async (trash, store) => {
          await print(invocation, await trash.entries(), store)
        }),
    },
    {
      name: 'restore',
      summary: 'Bring entries back',
      usage: '<id>...',
      about: 'To where they were, or into a folder. What is there is never replaced.',
      flags: [...FLAGS, flag('to FOLDER', 'Folder to put them in instead')],
      minArgs: 1,
      maxArgs: 1_000,
      run: restore,
    },
    {
      name: 'empty',
      summary: 'Delete entries for good',
      examples: [
        { line: 'filebrowser trash empty --olderThan 7d', says: 'What was deleted a week ago' },
      ],
      flags: [
        ...FLAGS,
        flag('olderThan DURATION', 'Only what was deleted this long ago, such as 7d', {
          parse: parsePositiveDuration,
        }),
      ],
      run: (invocation) =>
        withTrash(invocation, async (trash, store) => {
          const ageMs = flagValue<number>(invocation.flags, 'olderThan') ?? 0
          // Nobody knows how old some are.
          const isOld = ({ deletedAt }: TrashEntry) =>
            ageMs === 0 || (deletedAt > 0 && Date.now() - deletedAt >= ageMs)
          const gone: TrashEntry[] = []
          const all = (await trash.entries()).filter(isOld)
          let failure: unknown = null
          await trash.eraseAll(all, NEVER, (entry, error) => {
            if (error === null) gone.push(entry)
            else failure ??= error
          })
          await print(invocation, gone, store)
          if (failure !== null) throw failure
        }),
    },
  ],
}

/** Runs `use` with the trash of the server that is configured so; no account asks. */
async function withTrash(
  invocation: Invocation,
  use: (trash: Trash, store: Store, volume: Volume) => Promise<void>,
): Promise<number> {
  const flags = new Map([...invocation.flags].filter(([name]) => !OWN_FLAGS.includes(name)))
  await withDatabase(invocation, async (store, _opened, file) => {
    const config = configOf({ ...invocation, flags }, file, store)
    const volume = createDiskVolume(createDisks())
    const log = { warn: (line: string) => invocation.notice(`warning: ${line}`) }
    await use(openTrash({ config, database: store.file, log }, volume), store, volume)
  })
  return 0
}

function restore(invocation: Invocation): Promise<number> {
  return withTrash(invocation, async (trash, store, volume) => {
    const { args, flags, cwd } = invocation
    const to = flagValue<string>(flags, 'to')
    const back: TrashEntry[] = []
    try {
      for (const id of args) {
        const entry = await trash.find(id)
        const target =
          to === undefined ? entry.realPath : join(resolve(cwd, to), originalName(entry))
        if (target === null)
          throw new AppError('not_found', `nobody knows where ${entry.name} was: say it with --to`)
        back.push({ ...entry, realPath: await bring(trash, volume, id, target) })
      }
    } finally {
      // Others before one that failed are back.
      if (back.length > 0) await print(invocation, back, store)
    }
  })
}

/** Gives the real path where it is. */
async function bring(trash: Trash, volume: Volume, id: string, target: string): Promise<string> {
  await volume.makeFolders(dirname(target), 0o750)
  const realDir = await volume.realpath(dirname(target))
  const folder = await volume.openFolder(realDir)
  const name = basename(target)
  const place = { folder, name, realPath: join(realDir, name) }
  try {
    await trash.restoreTo(id, place, { replace: false }).catch(async (error) => {
      if (errnoOf(error) === 'exists') throw taken(place)
      if (errnoOf(error) !== 'EXDEV') throw error
      await bringByCopy(trash, volume, id, place)
    })
    return place.realPath
  } finally {
    await folder.close()
  }
}

function taken({ realPath }: KeptPlace): AppError {
  return new AppError('exists', `${realPath} is there and is not replaced`)
}

async function bringByCopy(
  trash: Trash,
  volume: Volume,
  id: string,
  place: KeptPlace,
): Promise<void> {
  const { folder, name } = place
  if (await volume.stat(folder, name)) throw taken(place)
  const kept = await trash.open(id)
  try {
    await copyAway(volume, kept, place)
  } catch (error) {
    await volume.remove(folder, name, { signal: NEVER }).catch(unless('ENOENT'))
    throw error
  } finally {
    await kept.folder.close()
  }
  await trash.erase(id, NEVER)
}

async function print(
  { flags, stdout }: Invocation,
  entries: readonly TrashEntry[],
  store: Store,
): Promise<void> {
  const nameOf = await loadNames(
    store,
    entries.map(({ userID }) => userID),
  )
  const rows = entries.map(({ id, realPath, isDir, bytes, deletedAt, userID }) => ({
    id,
    path: realPath,
    isDir,
    size: bytes,
    deletedAt: deletedAt === 0 ? null : new Date(deletedAt).toISOString(),
    by: nameOf(userID),
  }))
  if (flagValue<boolean>(flags, 'json')) {
    stdout(`${JSON.stringify(rows, null, 2)}\n`)
    return
  }
  const lines = rows.map(({ id, path, isDir, size, deletedAt, by }) =>
    [id, deletedAt ?? '-', by ?? '-', size ?? '-', (path ?? '?') + (isDir ? '/' : '')]
      .map((cell) => plain(String(cell)))
      .join('\t'),
  )
  stdout(`${alignColumns(['ID\tDeleted\tBy\tSize\tPath', ...lines]).join('\n')}\n`)
}
