// `filebrowser users`: accounts on the command line, also while the server runs.

import { resolve } from 'node:path'
import { hashPassword } from '../../auth/hash.ts'
import { deriveScope } from '../../auth/home.ts'
import { checkPassword } from '../../auth/password-policy.ts'
import { addUserWithHome, checkUsername } from '../../auth/provision.ts'
import { followsExternalSymlinks } from '../../config/config.ts'
import type { ConfigFile } from '../../config/config-file.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import { homeOf, setHome } from '../../store/access/groups.ts'
import type { Records, Transaction } from '../../store/collection.ts'
import { API_TOKENS, IDENTITIES, PASSKEYS } from '../../store/collections.ts'
import type { Settings, User } from '../../store/document.ts'
import {
  endSessions,
  loadUserByName,
  removeKeys,
  removeUser,
  replaceUser,
} from '../../store/users.ts'
import { withUserFlags } from '../apply-flags.ts'
import { type Command, type Flag, flag, flagValue, grouped, type Invocation } from '../command.ts'
import { withDatabase } from '../database.ts'
import { HOME_FLAGS, USER_FLAGS } from '../flags.ts'
import { makeScopeFolder } from '../home-folder.ts'
import { allUsers, loadUserNamed, userNamed, userTable } from './user-table.ts'
import { usersSecondFactorCommand } from './users-second-factor.ts'
import { usersTokenCommand } from './users-token.ts'
import { usersExportCommand, usersImportCommand } from './users-transfer.ts'

const UPDATE_FLAGS: readonly Flag[] = [
  ...grouped('Account', [
    flag('password PASSWORD', 'New password; signs the account out everywhere', { short: 'p' }),
    flag('revoke', 'With it: also remove passkeys, API tokens and connected sign-ins'),
    flag('username NAME', 'New name', { short: 'u' }),
  ]),
  ...USER_FLAGS,
  ...HOME_FLAGS,
]

export const usersCommand: Command = {
  name: 'users',
  summary: 'Show and change accounts',
  about: 'Shows and changes accounts. A running server sees changes within a second.',
  commands: [
    {
      name: 'add',
      summary: 'Add an account',
      usage: '<username> <password>',
      about: 'Adds an account. What no flag says comes from the stored defaults for new accounts.',
      examples: [
        {
          line: 'filebrowser users add mona "a long password" --scope /mona',
          says: 'An account for /mona',
        },
        {
          line: 'filebrowser users add root "a long password" --perm.admin',
          says: 'An administrator',
        },
      ],
      flags: [...USER_FLAGS, ...HOME_FLAGS],
      minArgs: 2,
      run: add,
    },
    { name: 'ls', summary: 'List all accounts', run: list },
    { name: 'find', summary: 'Show one account', usage: '<id|username>', minArgs: 1, run: find },
    {
      name: 'update',
      summary: 'Change an account',
      usage: '<id|username>',
      about: 'Changes what flags are given for and leaves everything else.',
      examples: [
        {
          line: 'filebrowser users update admin --password "another one"',
          says: 'Set a forgotten password',
        },
        {
          line: 'filebrowser users update mona --password "another one" --revoke',
          says: 'Somebody else has got in',
        },
        {
          line: 'filebrowser users update mona --perm.share=false',
          says: 'Take a permission away',
        },
      ],
      flags: UPDATE_FLAGS,
      minArgs: 1,
      run: update,
    },
    {
      name: 'rm',
      summary: 'Delete an account',
      usage: '<id|username>',
      about: 'Deletes an account with its sessions and share links. Its files stay.',
      minArgs: 1,
      run: remove,
    },
    usersTokenCommand,
    usersSecondFactorCommand,
    usersExportCommand,
    usersImportCommand,
  ],
}

async function add(invocation: Invocation): Promise<number> {
  const { args, flags, stdout } = invocation
  const [username = '', password = ''] = args
  const user = await withDatabase(invocation, async (store, _, file) => {
    const settings = store.settings()
    if (username === '') throw badRequest('username is empty')
    if (await loadUserByName(store, username)) throw taken()
    const record = withUserFlags(settings.defaults, flags)
    const scope = deriveScope(settings, username, record.scope)
    const hash = await hashNew(password, settings.minimumPasswordLength)
    const makeHome = homeMaker(invocation, settings, file)
    const account = {
      ...record,
      username,
      password: hash,
      scope,
      lockPassword: flagValue<boolean>(flags, 'lockPassword') ?? false,
      rules: [],
    }
    const alongside = (tx: Transaction, { id }: User) => saveHome(tx, id, flags)
    return addUserWithHome({ store, makeHome }, account, undefined, {}, alongside).catch(
      throwInOldWords,
    )
  })
  stdout(userTable([user]))
  return 0
}

function homeMaker({ flags, env, cwd }: Invocation, settings: Settings, file: ConfigFile | null) {
  const follows = followsExternalSymlinks({ flags, env, file }, settings.server)
  const root = resolve(cwd, settings.server.root)
  return (home: string) => makeScopeFolder(root, home, settings, follows)
}

async function list(invocation: Invocation): Promise<number> {
  await withDatabase(invocation, async (store) =>
    invocation.stdout(userTable(await allUsers(store))),
  )
  return 0
}

async function find(invocation: Invocation): Promise<number> {
  const [who = ''] = invocation.args
  await withDatabase(invocation, async (store) =>
    invocation.stdout(userTable([await loadUserNamed(store, who)])),
  )
  return 0
}

async function update(invocation: Invocation): Promise<number> {
  const { args, flags, stdout, notice } = invocation
  const [who = ''] = args
  const password = flagValue<string>(flags, 'password')
  const revokes = flagValue<boolean>(flags, 'revoke') ?? false
  if (revokes && !password) throw badRequest('--revoke goes with --password')
  const { user, left } = await withDatabase(invocation, async (store, _, file) => {
    const settings = store.settings()
    const { id, scope } = await loadUserNamed(store, who)
    if (flagValue<boolean>(flags, 'home') && !homeOf(store, id).home)
      await homeMaker(invocation, settings, file)(flagValue<string>(flags, 'scope') ?? scope)
    const hash = password ? await hashNew(password, settings.minimumPasswordLength) : undefined
    return store.transaction((tx) =>
      inOldWords(() => {
        const before = userNamed(tx, who)
        const username = flagValue<string>(flags, 'username') || before.username
        if (username !== before.username) checkUsername(username)
        const after: User = {
          ...withUserFlags(before, flags),
          username,
          password: hash ?? before.password,
          lockPassword: flagValue<boolean>(flags, 'lockPassword') ?? before.lockPassword,
        }
        const saved = replaceUser(tx, after)
        saveHome(tx, saved.id, flags)
        if (hash !== undefined) endSessions(tx, saved.id)
        if (revokes) removeKeys(tx, saved.id)
        return { user: saved, left: hash === undefined ? '' : keysOf(tx, saved.id) }
      }),
    )
  })
  stdout(userTable([user]))
  if (left !== '') notice(`Still open the account: ${left}; --revoke removes them`)
  return 0
}

/** What opens an account besides its password: `1 passkey, 2 API tokens`. */
function keysOf(records: Records, userID: number): string {
  const kinds = [
    [records.find(PASSKEYS, 'userID', userID), 'passkey'],
    [records.find(API_TOKENS, 'userID', userID), 'API token'],
    [records.find(IDENTITIES, 'userID', userID), 'connected sign-in'],
  ] as const
  return kinds
    .filter(([{ length }]) => length > 0)
    .map(([{ length }, name]) => `${length} ${name}${length > 1 ? 's' : ''}`)
    .join(', ')
}

function saveHome(tx: Transaction, userID: number, flags: Invocation['flags']): void {
  const before = homeOf(tx, userID)
  const quota = flagValue<number | null>(flags, 'homeQuota')
  setHome(tx, {
    userID,
    home: flagValue<boolean>(flags, 'home') ?? before.home,
    homeQuota: quota === undefined ? before.homeQuota : quota,
  })
}

async function remove(invocation: Invocation): Promise<number> {
  const [who = ''] = invocation.args
  await withDatabase(invocation, (store) =>
    store.transaction((tx) => inOldWords(() => removeUser(tx, userNamed(tx, who).id))),
  )
  invocation.stdout('user deleted successfully\n')
  return 0
}

async function hashNew(password: string, minimumLength: number): Promise<string> {
  if (password === '') throw badRequest('password is empty')
  await checkPassword(password, minimumLength)
  return hashPassword(password)
}

function taken(): AppError {
  return new AppError('exists', 'the resource already exists')
}

/** The store's refusals in the words that scripts of the original look for. */
function inOldWords<T>(change: () => T): T {
  try {
    return change()
  } catch (error) {
    return throwInOldWords(error)
  }
}

function throwInOldWords(error: unknown): never {
  if (!(error instanceof AppError)) throw error
  if (error.code === 'exists') throw taken()
  if (error.code === 'last_admin')
    throw new AppError('last_admin', "the sole admin can't be deleted", { cause: error })
  throw error
}
