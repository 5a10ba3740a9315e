// `filebrowser import`: takes over the old program's database on demand.
import { resolve } from 'node:path'
import { AppError, badRequest } from '../../lib/errors.ts'
import { withFileLock } from '../../store/file-lock.ts'
import { importBoltFile, reportLines } from '../../store/legacy/import.ts'
import {
  detectDatabase,
  jsonBeside,
  openDatabase,
  refuseToForget,
} from '../../store/open-database.ts'
import { isPostgresAddress } from '../../store/postgres/address.ts'
import { createStore } from '../../store/store.ts'
import { type Command, flag, flagValue, type Invocation } from '../command.ts'
import { findSources } from '../database.ts'

export const importCommand: Command = {
  name: 'import',
  summary: 'Take over the database of the old File Browser',
  about:
    'Reads a database of File Browser 2.x, of any version, and writes ours. The old file is only\n' +
    'read and stays byte for byte. The new one is <old.db>.json unless --database says otherwise.\n' +
    'The server does the same by itself when its database path holds such a file.',
  usage: '<old.db>',
  examples: [
    {
      line: 'filebrowser import /etc/filebrowser.db --dry-run',
      says: 'See what would be taken over',
    },
    {
      line: 'filebrowser import old.db -d /var/lib/filebrowser/new.db',
      says: 'Write to another place',
    },
  ],
  flags: [flag('dry-run', 'Show the report and write nothing')],
  minArgs: 1,
  run: runImport,
}

async function runImport(invocation: Invocation): Promise<number> {
  const { args, cwd, flags, stdout } = invocation
  const source = resolve(cwd, args[0] ?? '')
  // Where the server looks when it is started with the old path.
  const { database, postgres } = findSources(invocation, source)
  const found = await detectDatabase(source)
  if (found.kind !== 'bolt') {
    const held = { absent: 'does not exist', empty: 'is empty', json: 'is one of ours already' }
    const what = found.kind === 'other' ? `holds ${found.what}` : held[found.kind]
    throw badRequest(`${source} ${what}; expected a database of File Browser 2.x`)
  }
  const { doc, report } = await importBoltFile(source)
  stdout(`${reportLines(report).join('\n')}\n`)
  const isOnServer = isPostgresAddress(database)
  const target = isOnServer ? database : await targetOf(database)
  if (flagValue<boolean>(flags, 'dry-run')) {
    stdout(`Nothing was written. Without --dry-run it goes to ${target}\n`)
    return 0
  }
  if (isOnServer) {
    const create = async () => doc
    const options = { create, mustBeNew: true, postgres, notice: invocation.notice }
    await (await openDatabase(target, options)).store.close()
    stdout(`Written to ${target}; ${source} stays as it is\n`)
    return 0
  }
  await withFileLock(`${target}.lock`, async () => {
    const { kind } = await detectDatabase(target)
    if (kind !== 'absent' && kind !== 'empty')
      throw new AppError('exists', `${target} exists and is left as it is; move it away first`)
    await refuseToForget(target)
    await (await createStore(target, doc, source)).close()
  })
  stdout(`Written to ${target}; ${source} stays as it is\n`)
  return 0
}

// Where the server will look: the database path, or beside it when an old file is there.
async function targetOf(database: string): Promise<string> {
  const { kind } = await detectDatabase(database)
  return kind === 'bolt' ? jsonBeside(database) : database
}
