// Accounts as words of the command line name them, and as the table of `users ls` shows them.
import { AppError } from '../../lib/errors.ts'
import type { Records, Store } from '../../store/collection.ts'
import { USERS } from '../../store/collections.ts'
import type { User } from '../../store/document.ts'
import { findUser, findUserByName } from '../../store/users.ts'
import { alignColumns } from '../print.ts'

const HEADER = [
  'ID',
  'Username',
  'Scope',
  'Locale',
  'V. Mode',
  'S.Click',
  'Red. After C/M',
  'Admin',
  'Execute',
  'Create',
  'Rename',
  'Modify',
  'Delete',
  'Share',
  'Download',
  'Pwd Lock',
]

/** The account an argument means: an id when it is a number that exists, else a name. */
export function userNamed(records: Records, argument: string): User {
  const byId = /^\d+$/.test(argument) ? findUser(records, Number(argument)) : undefined
  const user = byId ?? findUserByName(records, argument)
  if (!user) throw new AppError('not_found', 'the resource does not exist')
  return user
}

/** The same outside of a transaction. */
export function loadUserNamed(store: Pick<Store, 'read'>, argument: string): Promise<User> {
  return store.read((records) => userNamed(records, argument))
}

/** All accounts, by id. */
export async function allUsers({ large }: Pick<Store, 'large'>): Promise<User[]> {
  const all: User[] = []
  for await (const users of large.pieces(USERS, 'age')) for (const user of users) all.push(user)
  return all
}

/** One row per account, ordered by id. Data rows end with a padded cell, as scripts know them. */
export function userTable(users: readonly User[]): string {
  const rows = [...users].sort((a, b) => a.id - b.id).map(userRow)
  return `${alignColumns([HEADER.join('\t'), ...rows]).join('\n')}\n`
}

function userRow(user: User): string {
  const { perm } = user
  const cells = [
    user.id,
    plain(user.username),
    plain(user.scope),
    plain(user.locale),
    plain(user.viewMode),
    user.singleClick,
    user.redirectAfterCopyMove,
    perm.admin,
    perm.execute,
    perm.create,
    perm.rename,
    perm.modify,
    perm.delete,
    perm.share,
    perm.download,
    user.lockPassword,
  ]
  return `${cells.join('\t')}\t`
}

// A name with a tab or an escape sequence must not break the columns or the terminal.
export function plain(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, '?')
}
