// `groups export` and `groups import`: groups with the members that administrators have given them, and homes of accounts;
// accounts by name, so that a file fits the accounts of another database.
import { resolve } from 'node:path'
import { changeGroup, checkedGroup } from '../../access/groups.ts'
import { badRequest } from '../../lib/errors.ts'
import { asString, ParseError, type Reader, readObject } from '../../lib/parse.ts'
import { addGroup, setHome, setMembers } from '../../store/access/groups.ts'
import { parseAccountHome, parseGroup } from '../../store/access/records.ts'
import type { Records, Transaction } from '../../store/collection.ts'
import { GROUPS, HOMES, MEMBERSHIPS, USERS } from '../../store/collections.ts'
import { findUser, findUserByName } from '../../store/users.ts'
import { type Command, flag, flagValue, type Invocation, inContext } from '../command.ts'
import { withDatabase } from '../database.ts'
import { checkFormat, readExport, writeExport } from './portable.ts'

export const groupsExportCommand: Command = {
  name: 'export',
  summary: 'Write all groups to a file',
  about:
    'Writes groups, the members that administrators have given them, and which accounts have no home or a\n' +
    'limit of their own. "users export" writes the accounts.',
  usage: '<file.json|file.yaml>',
  minArgs: 1,
  check: checkFormat,
  run: exportGroups,
}

export const groupsImportCommand: Command = {
  name: 'import',
  summary: 'Read groups from a file',
  about:
    'Adds the groups of a file made with "groups export". Either all of them are taken or none. Their\n' +
    'members must have accounts here, by name.',
  usage: '<file.json|file.yaml>',
  flags: [flag('overwrite', 'Replace groups whose name is in use')],
  minArgs: 1,
  check: checkFormat,
  run: importGroups,
}

async function exportGroups(invocation: Invocation): Promise<number> {
  const file = resolve(invocation.cwd, invocation.args[0] ?? '')
  await withDatabase(invocation, async (store) => writeExport(file, await store.read(present)))
  return 0
}

function present(records: Records) {
  const [members, homes] = [records.all(MEMBERSHIPS), records.all(HOMES)]
  records.expect(USERS, () => [...members, ...homes].map(({ userID }) => userID))
  const nameOf = (id: number) => findUser(records, id)?.username ?? ''
  return {
    groups: records.all(GROUPS).map(({ id, ...group }) => ({
      ...group,
      members: records
        .find(MEMBERSHIPS, 'groupID', id)
        .filter(({ from }) => from === 'admin')
        .map(({ userID }) => nameOf(userID)),
    })),
    homes: records.all(HOMES).map(({ userID, ...home }) => ({ username: nameOf(userID), ...home })),
  }
}

async function importGroups(invocation: Invocation): Promise<number> {
  const file = resolve(invocation.cwd, invocation.args[0] ?? '')
  const overwrite = flagValue<boolean>(invocation.flags, 'overwrite') ?? false
  const given = await readExport(file)
  await withDatabase(invocation, (store) =>
    store.transaction((tx) => {
      inContext(file, () => {
        const r = readObject(given, '')
        if (!r.has('groups')) throw new ParseError('it must hold groups')
        r.list('groups', (value, at) =>
          inContext(at, () => takeGroup(tx, readObject(value, at), overwrite)),
        )
        r.list('homes', (value, at) => {
          const home = readObject(value, at)
          const userID = accountNamed(tx, home.str('username'), at)
          setHome(tx, { ...parseAccountHome(home), userID })
        })
      })
    }),
  )
  return 0
}

function takeGroup(tx: Transaction, r: Reader, overwrite: boolean): void {
  const { id: _, ...wanted } = parseGroup(r)
  const group = checkedGroup(wanted)
  const [known] = tx.find(GROUPS, 'name', group.name)
  if (known && !overwrite) throw badRequest(`there is a group ${group.name} already`)
  const members = r.list('members', asString).map((name) => accountNamed(tx, name, r.at))
  const { id } = known ? changeGroup(tx, { ...group, id: known.id }) : addGroup(tx, group)
  setMembers(tx, id, members)
}

function accountNamed(records: Records, name: string, at: string): number {
  const user = findUserByName(records, name)
  if (!user) throw badRequest(`${at}: there is no user ${name}`)
  return user.id
}
