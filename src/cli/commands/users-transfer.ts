// `users export` and `users import`: accounts with their hashes, in the original's files.

import { join, resolve } from 'node:path'
import { checkRules } from '../../access/rules.ts'
import { isHash } from '../../auth/hash.ts'
import { checkUsername } from '../../auth/provision.ts'
import { withoutSessions } from '../../auth/sessions.ts'
import { AppError } from '../../lib/errors.ts'
import type { Document, User } from '../../store/document.ts'
import { accountFrom } from '../../store/legacy-records.ts'
import { addUser, findUser, findUserByName, replaceUser } from '../../store/users.ts'
import { type Command, flagValue, type Invocation, inContext } from '../command.ts'
import { withDatabase } from '../database.ts'
import { formatOf, presentUsers, readExport, writeExport } from './portable.ts'

const BACKUP_FILE = 'users.backup.json'

const checkFormat = ([file = '']: readonly string[]) => void formatOf(file)

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
    {
      name: 'overwrite',
      parse: (text) => text,
      default: 'false',
      help: 'Replace accounts whose id is in use',
    },
    {
      name: 'replace',
      parse: (text) => text,
      default: 'false',
      help: `Delete all other accounts; the old ones are kept in ${BACKUP_FILE}`,
    },
  ],
  minArgs: 1,
  check: checkFormat,
  run: importUsers,
}

async function exportUsers(invocation: Invocation): Promise<number> {
  const file = resolve(invocation.cwd, invocation.args[0] ?? '')
  await withDatabase(invocation, (store) =>
    writeExport(file, presentUsers(store.read().users, formatOf(file))),
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
      const before = store.read()
      // Throws when the file is refused: the accounts kept by the last import stay then.
      replaceAll(before, accounts)
      const backup = join(cwd, BACKUP_FILE)
      await writeExport(backup, presentUsers(before.users, 'json'))
      notice(`The accounts so far are kept in ${backup}`)
      await store.update((doc) => [replaceAll(doc, accounts), undefined])
    } else {
      await store.update((doc) => [addAll(doc, accounts, overwrite), undefined])
    }
  })
  return 0
}

function parseAccounts(value: unknown, file: string): User[] {
  if (!Array.isArray(value)) throw new AppError('bad_request', `${file} must hold a list of users`)
  return value.map((record, i) => {
    const at = `${file}: user ${i + 1}`
    const account = accountFrom(record, at)
    if (account.username === '') throw new AppError('bad_request', `${at}: username is empty`)
    if (account.password === '') throw new AppError('bad_request', `${at}: password is empty`)
    if (!isHash(account.password)) {
      throw new AppError(
        'bad_request',
        `${at}: the password must be a hash, see "filebrowser hash"`,
      )
    }
    // A rule that cannot be evaluated would hide everything from its account.
    inContext(at, () => checkRules(account.rules))
    return account
  })
}

// Names that are known here stay, also those from before names were looked at.
function checkNewNames(doc: Document, accounts: readonly User[]): void {
  for (const [i, { username }] of accounts.entries())
    if (!findUserByName(doc, username)) inContext(`user ${i + 1}`, () => checkUsername(username))
}

function addAll(doc: Document, accounts: readonly User[], overwrite: boolean): Document {
  checkNewNames(doc, accounts)
  let next = doc
  for (const account of accounts) {
    const sameId = findUser(next, account.id)
    if (sameId && !overwrite) {
      throw new AppError('exists', `user ${account.id} is already registered`)
    }
    const sameName = findUserByName(next, account.username)
    if (sameName && sameName.id !== sameId?.id) {
      throw new AppError('exists', `the name ${account.username} belongs to user ${sameName.id}`)
    }
    ;[next] = sameId ? replaceUser(next, account) : addUser(next, account)
    // A hash from a file is a new password: nobody stays signed in with the old one.
    if (sameId && sameId.password !== account.password) next = withoutSessions(next, account.id)
  }
  return next
}

// Accounts that are the same before and after keep their id, and with it their share links.
function replaceAll(doc: Document, accounts: readonly User[]): Document {
  if (!accounts.some(({ perm }) => perm.admin)) {
    throw new AppError('last_admin', 'the file has no administrator, so nothing was changed')
  }
  checkNewNames(doc, accounts)
  const kept = accounts.filter(({ id, username }) => findUser(doc, id)?.username === username)
  const ids = new Set(kept.map(({ id }) => id))
  if (ids.size !== kept.length) throw new AppError('exists', 'an id occurs twice in the file')
  let next: Document = {
    ...doc,
    users: kept,
    shares: doc.shares.filter(({ userID }) => ids.has(userID)),
    sessions: doc.sessions.filter(({ userID }) => {
      const before = findUser(doc, userID)
      return kept.some(({ id, password }) => id === userID && password === before?.password)
    }),
  }
  for (const account of accounts) {
    if (kept.includes(account)) continue
    if (findUserByName(next, account.username)) {
      throw new AppError('exists', `the name ${account.username} occurs twice in the file`)
    }
    ;[next] = addUser(next, account)
  }
  return next
}
