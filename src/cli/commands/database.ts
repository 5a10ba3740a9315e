// `filebrowser database`: copies all records from one database to another, and checks one.
import { resolve } from 'node:path'
import { type Contents, contentsOf, readDatabase, writeDatabase } from '../../store/copy/copy.ts'
import { isPostgresAddress, withoutPassword } from '../../store/postgres/address.ts'
import type { Command, Invocation } from '../command.ts'
import { findSources } from '../database.ts'

export const databaseCommand: Command = {
  name: 'database',
  summary: 'Copy all records to another database, and check one',
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
  ],
}

async function copy({ args, cwd, env, stdout }: Invocation): Promise<number> {
  const [from = '', to = ''] = args.map((arg) => (isPostgresAddress(arg) ? arg : resolve(cwd, arg)))
  const tables = await readDatabase(from, env)
  const written = await writeDatabase(to, tables, env)
  stdout(report(written))
  stdout(`Copied to ${withoutPassword(to)}; ${withoutPassword(from)} stays as it is\n`)
  return 0
}

async function check(invocation: Invocation): Promise<number> {
  const { database } = findSources(invocation)
  invocation.stdout(report(contentsOf(await readDatabase(database, invocation.env))))
  return 0
}

function report({ counts, digest }: Contents): string {
  const lines = [...counts].filter(([, count]) => count > 0)
  return `${lines.map(([name, count]) => `${name}\t${count}\n`).join('')}sha256\t${digest}\n`
}
