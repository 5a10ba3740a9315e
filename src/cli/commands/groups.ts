// `filebrowser groups`: groups and their members on the command line, also while the server runs.
import { changeGroup, checkedGroup } from '../../access/groups.ts'
import type { Permissions } from '../../api-types.ts'
import { AppError } from '../../lib/errors.ts'
import { overlay } from '../../lib/fields.ts'
import { zeroOf } from '../../lib/parse.ts'
import { addGroup, removeGroup, setMembers } from '../../store/access/groups.ts'
import type { Group } from '../../store/access/records.ts'
import type { Records, Store, Transaction } from '../../store/collection.ts'
import { GROUPS, MEMBERSHIPS } from '../../store/collections.ts'
import { defaultPermissions } from '../../store/document.ts'
import { loadNames } from '../../store/users.ts'
import { type Command, type Flag, flag, flagValue, grouped, type Invocation } from '../command.ts'
import { withDatabase } from '../database.ts'
import { homeQuotaFlag, USER_FLAGS } from '../flags.ts'
import { alignColumns } from '../print.ts'
import { groupsExportCommand, groupsImportCommand } from './groups-transfer.ts'
import { plain, userNamed } from './user-table.ts'

const GROUP_FLAGS: readonly Flag[] = [
  ...USER_FLAGS.filter(({ name }) => name.startsWith('perm.')).map((one) => {
    return { ...one, default: 'false' }
  }),
  ...grouped('Group', [
    homeQuotaFlag('What the home of a member may hold, such as 10GB; `none` says nothing'),
    flag(
      'claims LIST',
      'Groups at a provider or in a directory whose people are members, comma separated, a DN in quotes;\n' +
        'may be given more than once',
      { list: true },
    ),
  ]),
]

export const groupsCommand: Command = {
  name: 'groups',
  summary: 'Show and change groups of accounts',
  about:
    'A group adds its permissions to those of its members. A running server sees changes within a second.',
  commands: [
    {
      name: 'add',
      summary: 'Add a group',
      usage: '<name>',
      examples: [
        {
          line: 'filebrowser groups add editors --perm.create --perm.modify',
          says: 'Its members make and change files',
        },
        {
          line: `filebrowser groups add staff --claims '"cn=staff,ou=groups,dc=example"'`,
          says: 'Members are those of a group in the directory, as of their next sign-in',
        },
      ],
      flags: GROUP_FLAGS,
      minArgs: 1,
      run: add,
    },
    { name: 'ls', summary: 'List all groups', run: list },
    {
      name: 'show',
      summary: 'Show a group and its members',
      usage: '<id|name>',
      minArgs: 1,
      run: show,
    },
    {
      name: 'update',
      summary: 'Change a group',
      usage: '<id|name>',
      about: 'Changes what flags are given for and leaves everything else.',
      flags: [...grouped('Group', [flag('name NAME', 'New name')]), ...GROUP_FLAGS],
      minArgs: 1,
      run: update,
    },
    {
      name: 'rm',
      summary: 'Delete a group',
      usage: '<id|name>',
      about: 'Deletes a group. Its members stay, with the permissions of their own.',
      minArgs: 1,
      run: remove,
    },
    {
      name: 'member',
      summary: 'Put accounts into a group and out of it',
      commands: [
        member('add', 'Put an account into a group', (ids, id) => ids.add(id)),
        member('rm', 'Take an account out of a group', (ids, id) => ids.delete(id)),
      ],
    },
    groupsExportCommand,
    groupsImportCommand,
  ],
}

function member(
  name: string,
  summary: string,
  change: (ids: Set<number>, id: number) => unknown,
): Command {
  return {
    name,
    summary,
    usage: '<group id|name> <user id|name>',
    about: 'Changes what administrators have given; what a provider or a directory says stays.',
    minArgs: 2,
    run: async (invocation) => {
      const [which = '', who = ''] = invocation.args
      await withDatabase(invocation, (store) =>
        store.transaction((tx) => {
          const { id } = groupNamed(tx, which)
          const members = tx.find(MEMBERSHIPS, 'groupID', id).filter(({ from }) => from === 'admin')
          const ids = new Set(members.map(({ userID }) => userID))
          change(ids, userNamed(tx, who).id)
          setMembers(tx, id, ids)
        }),
      )
      return 0
    },
  }
}

async function add(invocation: Invocation): Promise<number> {
  const [name = ''] = invocation.args
  const nothing = { name, perm: zeroOf(defaultPermissions()), homeQuota: null, claims: [] }
  const group = checkedGroup(withFlags(nothing, invocation))
  await change(invocation, (tx) => addGroup(tx, group))
  return 0
}

async function update(invocation: Invocation): Promise<number> {
  const [which = ''] = invocation.args
  await change(invocation, (tx) => {
    const before = groupNamed(tx, which)
    const name = flagValue<string>(invocation.flags, 'name') ?? before.name
    return changeGroup(tx, checkedGroup(withFlags({ ...before, name }, invocation)))
  })
  return 0
}

function withFlags<T extends Omit<Group, 'id'>>(group: T, { flags }: Invocation): T {
  const quota = flagValue<number | null>(flags, 'homeQuota')
  return {
    ...group,
    perm: overlay(group.perm, (name) => flagValue(flags, `perm.${name}`)),
    homeQuota: quota === undefined ? group.homeQuota : quota,
    claims: flagValue<string[]>(flags, 'claims') ?? group.claims,
  }
}

async function change(invocation: Invocation, run: (tx: Transaction) => Group): Promise<void> {
  await withDatabase(invocation, async (store) => {
    const group = await store.transaction(run)
    invocation.stdout(await groupTable(store, [group]))
  })
}

async function list(invocation: Invocation): Promise<number> {
  await withDatabase(invocation, async (store) =>
    invocation.stdout(await groupTable(store, store.all(GROUPS))),
  )
  return 0
}

async function show(invocation: Invocation): Promise<number> {
  const [which = ''] = invocation.args
  await withDatabase(invocation, async (store) => {
    const group = groupNamed(store, which)
    const memberships = await store.large.find(MEMBERSHIPS, 'groupID', group.id)
    const nameOf = await loadNames(
      store,
      memberships.map(({ userID }) => userID),
    )
    const rows = memberships.map(({ userID, from }) =>
      [userID, plain(nameOf(userID) ?? ''), from].join('\t'),
    )
    const members = alignColumns([['ID', 'Member', 'Given by'].join('\t'), ...rows])
    invocation.stdout(`${await groupTable(store, [group])}\n${members.join('\n')}\n`)
  })
  return 0
}

async function remove(invocation: Invocation): Promise<number> {
  const [which = ''] = invocation.args
  await withDatabase(invocation, (store) =>
    store.transaction((tx) => removeGroup(tx, groupNamed(tx, which).id)),
  )
  return 0
}

/** The group an argument means: an id when it is a number that exists, else a name. */
function groupNamed(records: Records, argument: string): Group {
  const byId = /^\d+$/.test(argument) ? records.get(GROUPS, Number(argument)) : undefined
  const group = byId ?? records.find(GROUPS, 'name', argument)[0]
  if (!group) throw new AppError('not_found', `no group ${argument}`)
  return group
}

async function groupTable({ large }: Store, groups: readonly Group[]): Promise<string> {
  const head = ['ID', 'Name', 'Members', 'Permissions', 'Home quota', 'Claims'].join('\t')
  const present = async ({ id, name, perm, homeQuota, claims }: Group) => {
    const ids = (await large.find(MEMBERSHIPS, 'groupID', id)).map(({ userID }) => userID)
    const verbs = Object.keys(perm).filter((verb) => perm[verb as keyof Permissions])
    const quota = homeQuota === null ? '-' : homeQuota
    return [
      id,
      plain(name),
      new Set(ids).size,
      verbs.join(',') || '-',
      quota,
      plain(claims.join(' ')),
    ].join('\t')
  }
  const rows = await Promise.all(groups.map(present))
  return `${alignColumns([head, ...rows]).join('\n')}\n`
}
