// `filebrowser database`: copies all records from one database to another, checks one, and shows who serves from it.
import { resolve } from 'node:path'
import { AppError } from '../../lib/errors.ts'
import type { Contents } from '../../store/copy/contents.ts'
import { copyDatabase, readContents } from '../../store/copy/copy.ts'
import type { NodeFacts } from '../../store/nodes/nodes.ts'
import { isPostgresAddress, withoutPassword } from '../../store/postgres/address.ts'
import { type Command, flag, flagValue, type Invocation } from '../command.ts'
import { findSources } from '../database.ts'
import { alignColumns } from '../print.ts'

export const databaseCommand: Command = {
  name: 'database',
  summary: 'Copy all records to another database, check one, and show its servers',
  about:
    'Moves the records between a JSON file and PostgreSQL: accounts with their passwords, settings with\n' +
    'the key, shares, sessions, tokens, second factors, rights. Everybody stays signed in and every link\n' +
    'works on.',
  commands: [
    {
      name: 'copy',
      summary: 'Copy all records into an empty database',
      about:
        'FROM is a JSON file, an address of PostgreSQL or a database of File Browser 2.x, and is not\n' +
        'changed. TO must be empty. All or nothing is written, read back and compared. Stop the server\n' +
        'first: what it changes meanwhile is not in the copy.',
      usage: '<from> <to>',
      examples: [
        {
          line: 'filebrowser database copy filebrowser.db postgres://filebrowser@db/files',
          says: 'Move to PostgreSQL',
        },
      ],
      minArgs: 2,
      maxArgs: 2,
      run: copy,
    },
    { name: 'check', summary: 'Read all records, and show how many there are', run: check },
    {
      name: 'nodes',
      summary: 'Show the servers that share a PostgreSQL database',
      about:
        'Those that have been seen within the hour, the oldest first. The leader sweeps for all.',
      flags: [flag('json', 'As JSON')],
      run: nodes,
    },
  ],
}

async function copy({ args, cwd, env, stdout, notice }: Invocation): Promise<number> {
  const [from = '', to = ''] = args.map((arg) => (isPostgresAddress(arg) ? arg : resolve(cwd, arg)))
  const written = await copyDatabase(from, to, env, (name, count) =>
    notice(`${name}: ${count} records`),
  )
  stdout(report(written))
  stdout(`Copied to ${withoutPassword(to)}; ${withoutPassword(from)} stays as it is\n`)
  return 0
}

async function check(invocation: Invocation): Promise<number> {
  const { database } = findSources(invocation)
  invocation.stdout(report(await readContents(database, invocation.env)))
  return 0
}

function report({ counts, digest }: Contents): string {
  const lines = [...counts].filter(([, count]) => count > 0)
  return `${lines.map(([name, count]) => `${name}\t${count}\n`).join('')}sha256\t${digest}\n`
}

async function nodes({ flags, stdout, ...invocation }: Invocation): Promise<number> {
  const own = new Map([...flags].filter(([name]) => name !== 'json'))
  const { database } = findSources({ ...invocation, flags: own, stdout })
  if (!isPostgresAddress(database))
    throw new AppError('bad_request', `${database} is not an address of PostgreSQL`)
  const { readNodes } = await import('../../store/postgres/read-nodes.ts')
  const found = await readNodes(database, invocation.env)
  if (flagValue<boolean>(flags, 'json')) stdout(`${JSON.stringify(found, null, 2)}\n`)
  else stdout(tableOf(found))
  return 0
}

function tableOf(found: readonly NodeFacts[]): string {
  const rows = found.map(({ name, version, state, leader, startedAt, seenAt, lagMs }) =>
    [
      name,
      version,
      leader ? `${state}, leader` : state,
      startedAt.toISOString(),
      seenAt.toISOString(),
      `${lagMs} ms`,
    ].join('\t'),
  )
  return `${alignColumns(['Name\tVersion\tState\tStarted\tSeen\tLag', ...rows]).join('\n')}\n`
}
