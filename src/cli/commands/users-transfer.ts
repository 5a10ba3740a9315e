// `users export` and `users import`: accounts with their hashes, in the original's files.

import { join, resolve } from 'node:path'
import { checkRules } from '../../access/rules.ts'
import { isHash } from '../../auth/hash.ts'
import { checkUsername } from '../../auth/provision.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import { administratesByGroup } from '../../store/access/groups.ts'
import type { Records, Transaction } from '../../store/collection.ts'
import { USERS } from '../../store/collections.ts'
import type { User } from '../../store/document.ts'
import { accountFrom } from '../../store/legacy/records.ts'
import {
  addUser,
  discardUser,
  endSessions,
  findUser,
  findUserByName,
  replaceUser,
} from '../../store/users.ts'
import { type Command, flag, flagValue, type Invocation, inContext } from '../command.ts'
import { withDatabase } from '../database.ts'
import { checkFormat, formatOf, presentUsers, readExport, writeExport } from './portable.ts'
import { allUsers } from './user-table.ts'

const BACKUP_FILE = 'users.backup.json'

export const usersExportCommand: Command = {
  name: 'export',
  summary: 'Write all accounts to a file',
  about: 'Writes all accounts with their password hashes. Only the owner can read the file.',
  usage: '<file.json|file.yaml>',
  minArgs: 1,
  check: checkFormat,
  run: exportUsers,
}

export const usersImportCommand: Command = {
  name: 'import',
  summary: 'Read accounts from a file',
  about:
    'Adds the accounts of a file made with "users export", ours or the original’s. Either all of\n' +
    'them are taken or none. Accounts whose id is not in use here get a new one.',
  usage: '<file.json|file.yaml>',
  flags: [
    flag('overwrite', 'Replace accounts whose id is in use'),
    flag('replace', `Delete all other accounts; the old ones are kept in ${BACKUP_FILE}`),
  ],
  minArgs: 1,
  check: checkFormat,
  run: importUsers,
}

async function exportUsers(invocation: Invocation): Promise<number> {
  const file = resolve(invocation.cwd, invocation.args[0] ?? '')
  await withDatabase(invocation, async (store) =>
    writeExport(file, presentUsers(await allUsers(store), formatOf(file))),
  )
  return 0
}

async function importUsers(invocation: Invocation): Promise<number> {
  const { args, flags, cwd, notice } = invocation
  const file = resolve(cwd, args[0] ?? '')
  const accounts = parseAccounts(await readExport(file), file)
  const overwrite = flagValue<boolean>(flags, 'overwrite') ?? false
  const replace = flagValue<boolean>(flags, 'replace') ?? false
  await withDatabase(invocation, async (store) => {
    if (replace) {
      // Throws when the file is refused: the accounts kept by the last import stay then.
      await store.read((records) => checkReplacement(records, accounts))
      const backup = join(cwd, BACKUP_FILE)
      await writeExport(backup, presentUsers(await allUsers(store), 'json'))
      notice(`The accounts so far are kept in ${backup}`)
      await store.transaction((tx) => replaceAll(tx, accounts))
    } else {
      await store.transaction((tx) => addAll(tx, accounts, overwrite))
    }
  })
  return 0
}

function parseAccounts(value: unknown, file: string): User[] {
  if (!Array.isArray(value)) throw badRequest(`${file} must hold a list of users`)
  return value.map((record, i) => {
    const at = `${file}: user ${i + 1}`
    const account = accountFrom(record, at)
    if (account.username === '') throw badRequest(`${at}: username is empty`)
    if (account.password === '') throw badRequest(`${at}: password is empty`)
    if (!isHash(account.password))
      throw badRequest(`${at}: the password must be a hash, see "filebrowser hash"`)
    // A rule that cannot be evaluated would hide everything from its account.
    inContext(at, () => checkRules(account.rules))
    return account
  })
}

// Existing names stay, also those from before names were checked.
function checkNewNames(records: Records, accounts: readonly User[]): void {
  for (const [i, { username }] of accounts.entries())
    if (!findUserByName(records, username))
      inContext(`user ${i + 1}`, () => checkUsername(username))
}

function addAll(tx: Transaction, accounts: readonly User[], overwrite: boolean): void {
  checkNewNames(tx, accounts)
  for (const account of accounts) {
    const sameId = findUser(tx, account.id)
    if (sameId && !overwrite)
      throw new AppError('exists', `user ${account.id} is already registered`)
    const sameName = findUserByName(tx, account.username)
    if (sameName && sameName.id !== sameId?.id)
      throw new AppError('exists', `the name ${account.username} belongs to user ${sameName.id}`)
    if (sameId) replaceUser(tx, account)
    else addUser(tx, account)
    // A hash from a file is a new password: nobody stays signed in with the old one.
    if (sameId && sameId.password !== account.password) endSessions(tx, account.id)
  }
}

// Accounts that are the same before and after keep their id, and with it their share links.
function isKept(records: Records, { id, username }: User): boolean {
  return findUser(records, id)?.username === username
}

function checkReplacement(records: Records, accounts: readonly User[]): void {
  const administrates = (account: User) =>
    account.perm.admin || (isKept(records, account) && administratesByGroup(records, account.id))
  if (!accounts.some(administrates))
    throw new AppError('last_admin', 'the file has no administrator, so nothing was changed')
  checkNewNames(records, accounts)
  const ids = accounts.filter((account) => isKept(records, account)).map(({ id }) => id)
  if (new Set(ids).size !== ids.length)
    throw new AppError('exists', 'an id occurs twice in the file')
  const names = new Set<string>()
  for (const { username } of accounts) {
    if (names.has(username))
      throw new AppError('exists', `the name ${username} occurs twice in the file`)
    names.add(username)
  }
}

function replaceAll(tx: Transaction, accounts: readonly User[]): void {
  checkReplacement(tx, accounts)
  const kept = accounts.filter((account) => isKept(tx, account))
  const added = accounts.filter((account) => !kept.includes(account))
  const before = new Map(tx.all(USERS).map((user) => [user.id, user]))
  const ids = new Set(kept.map(({ id }) => id))
  for (const id of before.keys()) if (!ids.has(id)) discardUser(tx, id)
  for (const account of kept) {
    tx.replace(USERS, account)
    if (account.password !== before.get(account.id)?.password) endSessions(tx, account.id)
  }
  for (const account of added) addUser(tx, account)
}
