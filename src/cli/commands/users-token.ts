// `filebrowser users token`: API tokens of an account, for scripts that set a server up.

import { addApiToken } from '../../auth/api-tokens.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import { mapFields, pick } from '../../lib/fields.ts'
import { ROOT, toVPath } from '../../lib/vpath.ts'
import { API_TOKENS } from '../../store/collections.ts'
import { type ApiToken, defaultPermissions } from '../../store/document.ts'
import { type Command, type Flag, flag, flagValue, type Invocation } from '../command.ts'
import { withDatabase } from '../database.ts'
import { alignColumns } from '../print.ts'
import { loadUserNamed, plain, userNamed } from './user-table.ts'

const DAY_MS = 86_400_000
const RIGHTS = ['create', 'rename', 'modify', 'delete', 'share', 'download'] as const

const ADD_FLAGS: readonly Flag[] = [
  ...RIGHTS.map((name) =>
    flag(`perm.${name}`, `May ${name}, as far as the account may`, {
      default: 'true',
      group: 'Permissions',
    }),
  ),
  flag('folder FOLDER', 'All that it sees, as a path of the account', { default: '/' }),
  flag('days NUMBER', 'How long it is good for; 0 means for ever', {
    parse: daysFrom,
    default: '90',
  }),
]

export const usersTokenCommand: Command = {
  name: 'token',
  summary: 'Show and change the API tokens of an account',
  about:
    'A token acts for its account with fewer rights. Scripts send it in the header X-Auth or as\n' +
    'Authorization: Bearer. No token administrates or runs commands.',
  commands: [
    {
      name: 'add',
      summary: 'Make a token and print it, once',
      usage: '<id|username> <name>',
      examples: [
        {
          line: 'filebrowser users token add mona backup --folder /photos --perm.delete=false',
          says: 'A token that changes /photos and deletes nothing',
        },
      ],
      flags: ADD_FLAGS,
      minArgs: 2,
      run: add,
    },
    { name: 'ls', summary: 'List the tokens', usage: '<id|username>', minArgs: 1, run: list },
    {
      name: 'rm',
      summary: 'Remove a token',
      usage: '<id|username> <id|name>',
      about: 'Removes a token. A running server refuses it within a second.',
      minArgs: 2,
      run: remove,
    },
  ],
}

function daysFrom(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new Error('must be a whole number of days')
  return Number(text)
}

async function add(invocation: Invocation): Promise<number> {
  const { args, flags, stdout } = invocation
  const [who = '', name = ''] = args
  const folder = toVPath(flagValue<string>(flags, 'folder') ?? ROOT)
  if (folder === null) throw badRequest('the folder holds NUL')
  const days = flagValue<number>(flags, 'days') ?? 90
  const may = (right: string) => flagValue<boolean>(flags, `perm.${right}`) ?? true
  const wanted = {
    name,
    folder,
    expiresMs: days === 0 ? 0 : Date.now() + days * DAY_MS,
    perm: {
      admin: false,
      execute: false,
      ...mapFields(pick(defaultPermissions(), RIGHTS), may),
    },
  }
  const { text } = await withDatabase(invocation, (store) =>
    store.transaction((tx) => addApiToken(tx, userNamed(tx, who).id, wanted)),
  )
  stdout(`${text}\n`)
  return 0
}

async function list(invocation: Invocation): Promise<number> {
  const [who = ''] = invocation.args
  await withDatabase(invocation, async (store) => {
    const { id } = await loadUserNamed(store, who)
    const tokens = await store.large.find(API_TOKENS, 'userID', id)
    const head = ['ID', 'Name', 'Folder', 'Permissions', 'Expires', 'Last used'].join('\t')
    invocation.stdout(`${alignColumns([head, ...tokens.map(row)]).join('\n')}\n`)
  })
  return 0
}

function row({ id, name, folder, perm, expiresMs, lastUsedMs }: ApiToken): string {
  const rights = RIGHTS.filter((right) => perm[right]).join(',')
  const time = (ms: number) => (ms === 0 ? 'never' : new Date(ms).toISOString())
  return [id, plain(name), plain(folder), rights, time(expiresMs), time(lastUsedMs)].join('\t')
}

async function remove(invocation: Invocation): Promise<number> {
  const [who = '', which = ''] = invocation.args
  await withDatabase(invocation, (store) =>
    store.transaction((tx) => {
      const own = tx.find(API_TOKENS, 'userID', userNamed(tx, who).id)
      const token = own.find(({ id, name }) => id === which || name === which)
      if (!token) throw new AppError('not_found', `no token ${which}`)
      tx.remove(API_TOKENS, token.id)
    }),
  )
  return 0
}
