// Sign-in decided by an administrator's program (docs/http-api.md 3.8). It gets name and password by
// environment and as JSON on stdin, never in its command line (CWE-78), and answers in lines.
import type { UserDefaults } from '../api-types.ts'
import { AppError } from '../lib/errors.ts'
import { overlay, pick } from '../lib/fields.ts'
import type { User } from '../store/document.ts'
import { findUser, loadUserByName, replaceUser } from '../store/users.ts'
import { hashPassword, verifyPassword } from './hash.ts'
import { type Credentials, refused, type SignInDeps, signInByPassword } from './password.ts'
import { checkPassword } from './password-policy.ts'
import { provisionUser } from './provision.ts'

const TIMEOUT_MS = 30_000
const MAX_OUTPUT_BYTES = 64 * 1024
/** Programs that run at a time, whoever signs in from however many addresses. */
export const MAX_SIGN_IN_PROGRAMS = 8
export const MAX_WAITING_SIGN_INS = 256

/** Runs the program and follows its answer. Throws `wrong_credentials` or `internal`. */
export async function signInByHook(deps: SignInDeps, given: Credentials): Promise<User> {
  // A program may print the name within a line of its answer; a name must not add lines to it.
  if (/\p{Cc}/u.test(given.username) || given.password.includes('\0')) throw refused()
  const answers = await deps.inSignInTurn(() => ask(deps, given))
  switch (answers.get('hook.action')) {
    case 'auth':
      return admit(deps, given, answers)
    case 'block':
      throw refused()
    case 'pass':
      return signInByPassword(deps, given)
    default:
      throw new AppError('sign_in_unavailable', 'the sign-in program gave no known hook.action')
  }
}

async function ask(deps: SignInDeps, { username, password }: Credentials) {
  const { command } = deps.store.settings().auther
  const argv = command.split(' ').filter((word) => word !== '')
  const chunks: Buffer[] = []
  const { exitCode, ended } = await deps.programs
    .run(argv, {
      env: { USERNAME: username, PASSWORD: password },
      stdin: JSON.stringify({ username, password }),
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      onStdout: (chunk) => chunks.push(chunk),
    })
    .catch((error) => {
      throw new AppError('sign_in_unavailable', 'the sign-in program cannot be started', {
        cause: error,
      })
    })
  if (exitCode !== 0)
    throw new AppError('sign_in_unavailable', `the sign-in program ended with ${ended ?? exitCode}`)
  const answers = parseAnswers(Buffer.concat(chunks).toString('utf8'))
  // An empty scope means that the program chose none, not the whole served folder.
  if (answers.get('user.scope') === '') answers.delete('user.scope')
  return answers
}

/** Lines `key=value`, trimmed; the first `=` separates. */
function parseAnswers(output: string): Map<string, string> {
  const answers = new Map<string, string>()
  for (const line of output.split('\n')) {
    const at = line.indexOf('=')
    if (at > 0) answers.set(line.slice(0, at).trim(), line.slice(at + 1).trim())
  }
  return answers
}

async function admit(
  deps: SignInDeps,
  given: Credentials,
  answers: Map<string, string>,
): Promise<User> {
  const user = await loadUserByName(deps.store, given.username)
  if (!user) return asUnavailable(() => provision(deps, given, answers))
  const samePassword = await verifyPassword(given.password, user.password)
  if (samePassword && answers.size <= 1) return user
  const scope = answers.get('user.scope')
  if (scope !== undefined) await asUnavailable(() => deps.makeHome(scope))
  const hash = samePassword
    ? user.password
    : await asUnavailable(() => newHash(deps, given.password))
  return deps.store.ahead((tx) => {
    const current = findUser(tx, user.id) ?? user
    // Only what the program named changes; rules and the editor theme stay.
    return replaceUser(tx, { ...current, ...applyAnswers(current, answers), password: hash })
  })
}

async function provision(
  deps: SignInDeps,
  given: Credentials,
  answers: Map<string, string>,
): Promise<User> {
  const settings = deps.store.settings()
  // Administration and commands are never inherited; the program may name them. The right to execute
  // is, as recorded; without commands there is nothing yet that it would run.
  const perm = { ...settings.defaults.perm, admin: false }
  const defaults = { ...settings.defaults, perm, commands: [], aceEditorTheme: '' }
  const fields = { ...applyAnswers(defaults, answers), lockPassword: true }
  if (!answers.has('user.scope')) fields.scope = ''
  const { username, password } = given
  try {
    return await provisionUser(deps, { username, password, fields, trustFields: true })
  } catch (error) {
    // Of two first logins at once one finds the account made by the other.
    const made = await loadUserByName(deps.store, username)
    if (made && error instanceof AppError && error.code === 'exists') return made
    throw error
  }
}

async function newHash(deps: SignInDeps, password: string): Promise<string> {
  await checkPassword(password, deps.store.settings().minimumPasswordLength)
  return hashPassword(password)
}

// A password the policy refuses is the program's mistake, not a guess: 500, as clients know it.
async function asUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError)
      throw new AppError('sign_in_unavailable', error.message, { cause: error })
    throw error
  }
}

/** What a program may say of an account: `user.locale`, `user.sorting.by`, `user.perm.share` … */
const ANSWERED = [
  'scope',
  'locale',
  'viewMode',
  'singleClick',
  'redirectAfterCopyMove',
  'hideDotfiles',
  'dateFormat',
  'sorting',
  'commands',
  'perm',
] as const

function applyAnswers<T extends UserDefaults>(base: T, answers: Map<string, string>): T {
  const isAdmin = answers.get('user.perm.admin') === 'true'
  const changed = overlay(pick(base, ANSWERED), (name, value) => {
    if (isAdmin && name.startsWith('perm.')) return true
    const answer = answers.get(`user.${name}`)
    if (answer === undefined || typeof value === 'string') return answer
    return Array.isArray(value)
      ? answer.split(' ').filter((word) => word !== '')
      : answer === 'true'
  })
  return { ...base, ...changed }
}
