// `filebrowser versions`: what files were before they were replaced, on the machine itself, also while the server runs.
import { basename, dirname, join, resolve } from 'node:path'
import { createDisks } from '../../../files/disks/disks.ts'
import { createDiskVolume } from '../../../files/volume/disk-volume.ts'
import type { Volume } from '../../../files/volume/volume.ts'
import type { Version } from '../../../keep/version-places.ts'
import { versionedVolume } from '../../../keep/versioned-volume.ts'
import type { Versions } from '../../../keep/versions.ts'
import { unless } from '../../../lib/errors.ts'
import { ROOT } from '../../../lib/vpath.ts'
import { openVersions } from '../../../operations/open-kept.ts'
import type { Store } from '../../../store/store.ts'
import { loadNames } from '../../../store/users.ts'
import { type Command, flag, flagValue, type Invocation } from '../../command.ts'
import { configOf, withDatabase } from '../../database.ts'
import { ROOT_FLAGS } from '../../flags.ts'
import { alignColumns } from '../../print.ts'
import { plain } from '../user-table.ts'

const FLAGS = [
  flag('json', 'As JSON, times in UTC and sizes in bytes'),
  ...ROOT_FLAGS.filter(({ name }) => ['root', 'roots'].includes(name)),
]
const CHUNK_BYTES = 1024 * 1024

export const versionsCommand: Command = {
  name: 'versions',
  summary: 'Show and bring back what files were before they were replaced',
  about:
    'Replaced files are kept in hidden folders of their disks (docs/versions.md). Finds them by the same\n' +
    'configuration the server was started with.',
  commands: [
    {
      name: 'ls',
      summary: 'List the versions of a file, the newest first',
      usage: '[file]',
      about: 'Without a file, the files that are not there any more but have versions.',
      flags: FLAGS,
      maxArgs: 1,
      run: (invocation) =>
        withVersions(invocation, async ({ versions, store, path }) => {
          if (invocation.args.length === 0) await printLeft(invocation, versions)
          else await print(invocation, await versions.list(path), store)
        }),
    },
    {
      name: 'restore',
      summary: 'Give a file the content of a version; what is there becomes one',
      usage: '<file> <id>',
      flags: FLAGS,
      minArgs: 2,
      maxArgs: 2,
      run: (invocation) =>
        withVersions(invocation, async ({ versions, volume, store, path }) => {
          const id = invocation.args[1] ?? ''
          const restored = (await versions.list(path)).filter((version) => version.id === id)
          await restore(versions, volume, path, id)
          await print(invocation, restored, store)
        }),
    },
    {
      name: 'empty',
      summary: 'Delete all versions of a file for good',
      usage: '<file>',
      flags: FLAGS,
      minArgs: 1,
      maxArgs: 1,
      run: (invocation) =>
        withVersions(invocation, async ({ versions, store, path }) => {
          const all = await versions.list(path)
          for (const { id } of all) await versions.drop(path, id)
          await print(invocation, all, store)
        }),
    },
  ],
}

interface Opened {
  versions: Versions
  volume: Volume
  store: Store
  /** Real path of the file, which may be gone. */
  path: string
}

/** Runs `use` with the versions of the server that is configured so; no account asks. */
async function withVersions(
  invocation: Invocation,
  use: (opened: Opened) => Promise<void>,
): Promise<number> {
  const flags = new Map([...invocation.flags].filter(([name]) => name !== 'json'))
  await withDatabase(invocation, async (store, _opened, file) => {
    const config = configOf({ ...invocation, flags }, file, store)
    const volume = createDiskVolume(createDisks())
    const log = { warn: (line: string) => invocation.notice(`warning: ${line}`) }
    const versions = openVersions({ config, database: store.file, log }, volume)
    const given = resolve(invocation.cwd, invocation.args[0] ?? '')
    const path = join(await realpathOf(volume, dirname(given)), basename(given))
    try {
      await use({ versions, volume: versionedVolume(volume, versions), store, path })
    } finally {
      await versions.close()
    }
  })
  return 0
}

/** Of a folder that may be gone. */
async function realpathOf(volume: Volume, path: string): Promise<string> {
  const found = await volume.realpath(path).catch(unless('ENOENT', 'ENOTDIR'))
  return found ?? join(await realpathOf(volume, dirname(path)), basename(path))
}

async function restore(
  versions: Versions,
  volume: Volume,
  path: string,
  id: string,
): Promise<void> {
  const { handle, sizeBytes, mtimeMs, mode } = await versions.open(path, id, ROOT)
  try {
    await volume.makeFolders(dirname(path), 0o750)
    const folder = await volume.openFolder(dirname(path))
    const temp = await volume.openTemp(folder, basename(path), { fileMode: mode & 0o777 })
    try {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
      for (let position = 0; position < sizeBytes; ) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
        if (bytesRead === 0) throw new Error('the version became shorter')
        await temp.write([buffer.subarray(0, bytesRead)], position, { direct: false })
        position += bytesRead
      }
      await temp.commit({ replace: true, mtimeMs })
      await giveMode(volume, path, mode)
    } finally {
      await temp.discard()
    }
  } finally {
    await handle.close()
  }
}

// The file that was there has left its own; files of others keep theirs.
async function giveMode(volume: Volume, path: string, mode: number): Promise<void> {
  const folder = await volume.openFolder(dirname(path))
  await volume
    .setMode(folder, basename(path), mode & 0o777)
    .catch(unless('EPERM', 'ENOSYS', 'ENOTSUP'))
    .finally(folder.close)
}

async function printLeft({ flags, stdout }: Invocation, versions: Versions): Promise<void> {
  const rows: { path: string; versions: number; size: number; replacedAt: string }[] = []
  for await (const { realPath, versions: found, isGone } of versions.all()) {
    if (!isGone) continue
    const size = found.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    const latestMs = found.reduce((last, { replacedAt }) => Math.max(last, replacedAt), 0)
    const replacedAt = new Date(latestMs).toISOString()
    rows.push({ path: realPath, versions: found.length, size, replacedAt })
  }
  rows.sort((a, b) => (a.replacedAt < b.replacedAt ? 1 : -1))
  if (flagValue<boolean>(flags, 'json')) {
    stdout(`${JSON.stringify(rows, null, 2)}\n`)
    return
  }
  const lines = rows.map(({ path, versions, size, replacedAt }) =>
    [replacedAt, versions, size, path].map((cell) => plain(String(cell))).join('\t'),
  )
  stdout(`${alignColumns(['Replaced\tVersions\tSize\tPath', ...lines]).join('\n')}\n`)
}

async function print(
  { flags, stdout }: Invocation,
  versions: readonly Version[],
  store: Store,
): Promise<void> {
  const nameOf = await loadNames(
    store,
    versions.map(({ userID }) => userID),
  )
  const rows = versions.map(({ id, sizeBytes, mtimeMs, replacedAt, userID, isKept }) => ({
    id,
    size: sizeBytes,
    modified: new Date(mtimeMs).toISOString(),
    replacedAt: new Date(replacedAt).toISOString(),
    by: nameOf(userID),
    keep: isKept,
  }))
  if (flagValue<boolean>(flags, 'json')) {
    stdout(`${JSON.stringify(rows, null, 2)}\n`)
    return
  }
  const lines = rows.map(({ id, replacedAt, modified, by, size, keep }) =>
    [id, replacedAt, modified, by ?? '-', size, keep ? 'yes' : '-']
      .map((cell) => plain(String(cell)))
      .join('\t'),
  )
  stdout(`${alignColumns(['ID\tReplaced\tModified\tBy\tSize\tKept', ...lines]).join('\n')}\n`)
}
