// `filebrowser roots`: further folders that the server was started with, as the database knows them.
import { acceptRoot } from '../../files/place/roots.ts'
import { AppError } from '../../lib/errors.ts'
import { KNOWN_ROOTS } from '../../store/collections.ts'
import type { Command, Invocation } from '../command.ts'
import { withDatabase } from '../database.ts'

export const rootsCommand: Command = {
  name: 'roots',
  summary: 'Show further roots, and accept a folder that has changed',
  about:
    'Roots are given by --roots. The server remembers the folder that it found at each when it was\n' +
    'first used. When another disk lies there, or none, the root is missing: nothing is read or\n' +
    'written there until the disk is back, or what is there now is accepted.',
  commands: [
    { name: 'ls', summary: 'List the roots that have been used', run: list },
    {
      name: 'accept',
      summary: 'Take what is at a root now for the right folder',
      usage: '<name>',
      examples: [{ line: 'filebrowser roots accept photos', says: 'After a disk was replaced' }],
      minArgs: 1,
      maxArgs: 1,
      run: accept,
    },
  ],
}

async function list(invocation: Invocation): Promise<number> {
  await withDatabase(invocation, async (store) => {
    for (const { name, path } of store.all(KNOWN_ROOTS)) invocation.stdout(`${name}\t${path}\n`)
  })
  return 0
}

async function accept(invocation: Invocation): Promise<number> {
  const [name = ''] = invocation.args
  await withDatabase(invocation, async (store) => {
    if (!(await acceptRoot(store, name)))
      throw new AppError('not_found', `no root ${name} has been used yet`)
  })
  return 0
}
