// `filebrowser quotas`: limits of folders, what is used of them, and counting anew.
import { createDisks } from '../../files/disks/disks.ts'
import { createDiskVolume } from '../../files/volume/disk-volume.ts'
import { createThreads } from '../../programs/threads.ts'
import { limitsOf } from '../../quotas/limits.ts'
import { countAll, figuresOf, type LimitFigures } from '../../quotas/report.ts'
import { removeUsage } from '../../quotas/usage-file.ts'
import type { Store } from '../../store/store.ts'
import { type Command, flag, flagValue, type Invocation } from '../command.ts'
import { configOf, withDatabase } from '../database.ts'
import { ROOT_FLAGS } from '../flags.ts'
import { alignColumns } from '../print.ts'
import { plain } from './user-table.ts'

const FLAGS = [
  flag('json', 'As JSON, sizes in bytes'),
  ...ROOT_FLAGS.filter(({ name }) => ['root', 'roots'].includes(name)),
]

export const quotasCommand: Command = {
  name: 'quotas',
  summary: 'Show what limited folders hold',
  about:
    'Folders are limited by their records, homes by the account or its groups. Finds the folders by the\n' +
    'same configuration the server was started with.',
  commands: [
    {
      name: 'ls',
      summary: 'List limits and what is used of them',
      about: 'A running server writes its figures down once a minute.',
      flags: FLAGS,
      run: (invocation) => report(invocation, async (_, figures) => figures),
    },
    {
      name: 'recount',
      summary: 'Count limited folders anew',
      about:
        'Counts what the folders hold now and shows it. A running server counts anew as well, within a\n' +
        'minute: after other programs wrote there, for example.',
      flags: FLAGS,
      run: (invocation) =>
        report(invocation, async (volume, figures, store) => {
          const counted = await countAll(volume, figures)
          await removeUsage(store.file)
          return counted
        }),
    },
  ],
}

type Disk = ReturnType<typeof createDiskVolume>

async function report(
  invocation: Invocation,
  work: (volume: Disk, figures: LimitFigures[], store: Store) => Promise<LimitFigures[]>,
): Promise<number> {
  const { flags, stdout } = invocation
  const ownFlags = new Map([...flags].filter(([name]) => name !== 'json'))
  const figures = await withDatabase(invocation, async (store, _opened, file) => {
    const threads = createThreads()
    const volume = createDiskVolume(createDisks(), undefined, threads)
    const config = configOf({ ...invocation, flags: ownFlags }, file, store)
    const limits = await store.read((records) => limitsOf(config, records))
    const known = await figuresOf(volume, store.file, limits)
    return work(volume, known, store).finally(threads.close)
  })
  stdout(flagValue<boolean>(flags, 'json') ? asJson(figures) : asTable(figures))
  return 0
}

function asJson(figures: readonly LimitFigures[]): string {
  const items = figures.map(({ of, folder, bytes, usedBytes, reservedBytes }) => ({
    ...of,
    folder,
    limit: bytes,
    used: usedBytes,
    reserved: reservedBytes,
  }))
  return `${JSON.stringify(items, null, 2)}\n`
}

function asTable(figures: readonly LimitFigures[]): string {
  const rows = figures.map(({ of, folder, bytes, usedBytes, reservedBytes }) =>
    [
      bytes,
      usedBytes ?? '-',
      reservedBytes,
      'place' in of ? of.place : `home of ${of.user}`,
      folder,
    ]
      .map((cell) => plain(String(cell)))
      .join('\t'),
  )
  return `${alignColumns(['Limit\tUsed\tReserved\tOf\tFolder', ...rows]).join('\n')}\n`
}
