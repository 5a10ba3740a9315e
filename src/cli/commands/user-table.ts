// The table of `users ls`, `find`, `add` and `update`.
import type { User } from '../../store/document.ts'
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
function plain(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, '?')
}
