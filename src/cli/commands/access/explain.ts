// `filebrowser access explain`: what an account may do at a path, and what decided that.
import type { AccessReason } from '../../../access-types.ts'
import { badRequest } from '../../../lib/errors.ts'
import { VERBS } from '../../../lib/verbs.ts'
import { toVPath } from '../../../lib/vpath.ts'
import { type Command, flag, flagValue, type Invocation } from '../../command.ts'
import { configOf, withDatabase } from '../../database.ts'
import { alignColumns } from '../../print.ts'
import { loadUserNamed, plain } from '../user-table.ts'

export const accessCommand: Command = {
  name: 'access',
  summary: 'Tell who may do what',
  commands: [
    {
      name: 'explain',
      summary: 'Tell what an account may do at a path, and why',
      usage: '<id|username> <path>',
      about:
        'The path is one of the tree of the account. Links are not followed; the server judges where they\n' +
        'lead as well.',
      examples: [
        { line: 'filebrowser access explain mona /docs', says: 'What Mona may do in /docs' },
      ],
      flags: [flag('json', 'As JSON')],
      minArgs: 2,
      run: explain,
    },
  ],
}

async function explain(invocation: Invocation): Promise<number> {
  const { args, flags, stdout } = invocation
  const path = toVPath(args[1] ?? '')
  if (path === null) throw badRequest('the path holds NUL')
  // Loaded only here, with all that makes trees.
  const { explainAccess } = await import('../../../access/explain.ts')
  await withDatabase(invocation, async (store, _opened, file) => {
    const user = await loadUserNamed(store, args[0] ?? '')
    const config = configOf({ ...invocation, flags: new Map() }, file, store)
    const found = explainAccess({ store, foldCase: false, config }, user, path)
    if (flagValue<boolean>(flags, 'json')) return stdout(`${JSON.stringify(found, null, 2)}\n`)
    const rows = VERBS.map((verb) => {
      const { allowed, by } = found.verbs[verb]
      return [verb, allowed ? 'yes' : 'no', reasonOf(by)].join('\t')
    })
    stdout(`${alignColumns([`${plain(found.place)}\tAllowed\tBecause`, ...rows]).join('\n')}\n`)
  })
  return 0
}

function reasonOf({ kind, place, group }: AccessReason): string {
  const at = place === undefined ? '' : ` at ${plain(place)}`
  if (kind === 'account') return `said of the account${at}`
  if (kind === 'group') return `said of the group ${plain(group?.name ?? '')}${at}`
  if (kind === 'everyone') return `said of everyone${at}`
  return OTHER_REASONS[kind]
}

const OTHER_REASONS = {
  rule: 'a rule or a hidden name',
  permission: 'permissions of the account and its groups',
  default: 'nothing is said',
  see: 'it is not seen',
  home: 'the account has no home',
}
