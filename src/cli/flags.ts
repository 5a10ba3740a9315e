// Flags of the commands: the server options from the option table, and the flags that change
// stored settings and accounts.
import { DEFAULT_DATABASE, DEFAULT_STATE_DIR } from '../config/config.ts'
import {
  integerBetween,
  oneOf,
  parseKeepSize,
  parseMode,
  parsePositiveDuration,
  parseSize,
  textOf,
} from '../config/option-values.ts'
import {
  envNamesOf,
  isStoredOption,
  OPTION_KEYS,
  type OptionKey,
  optionOf,
} from '../config/options.ts'
import { DEFAULT_KEEP_AGE, DEFAULT_KEEP_SIZE, SECOND_FACTOR_POLICIES } from '../store/document.ts'
import { type Flag, flag, grouped } from './command.ts'

/** Known everywhere. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  flag(
    'config FILE',
    'Configuration file (json, toml, yaml, env) instead of the ones searched for',
    {
      short: 'c',
    },
  ),
  flag('database FILE', 'Database file, or postgres://user@host:5432/name for several nodes', {
    short: 'd',
    default: DEFAULT_DATABASE,
    env: ['FB_DATABASE'],
  }),
  flag('stateDir DIR', 'Folder for what this node keeps itself, with PostgreSQL', {
    default: DEFAULT_STATE_DIR,
    env: ['FB_STATE_DIR'],
  }),
]

function optionFlag(key: OptionKey): Flag {
  const option = optionOf(key)
  return {
    name: key,
    parse: option.parse,
    default: option.default,
    help: option.help,
    group: option.group,
    env: envNamesOf(key),
    ...(option.short !== undefined && { short: option.short }),
    ...(option.value !== undefined && { value: option.value }),
    ...(option.deprecated !== undefined && { deprecated: option.deprecated }),
  }
}

/** Of `filebrowser` without a command. */
export const ROOT_FLAGS: readonly Flag[] = OPTION_KEYS.map(optionFlag)

/** Of `config init` and `config set`: what the stored server record keeps. Environment and file do
 *  not reach these, as in the original. */
export const SERVER_FLAGS: readonly Flag[] = OPTION_KEYS.filter(isStoredOption).map((key) => {
  const { env: _, ...flag } = optionFlag(key)
  return flag
})

/** Of `config init` and `config set`: the settings record. */
export const SETTINGS_FLAGS: readonly Flag[] = [
  ...grouped('Sign-in settings', [
    flag('signup', 'Let visitors make accounts', { short: 's' }),
    flag('hideLoginButton', 'Hide the sign-in button on public pages', {
      deprecated: ['hide-login-button'],
    }),
    flag('minimumPasswordLength NUMBER', 'Fewest bytes of a new password; 0 means the default', {
      parse: integerBetween(0, 72),
      default: '12',
      deprecated: ['minimum-password-length'],
    }),
    flag(
      'secondFactor WHO',
      'Who signs in with a second step: off, optional, administrators or everyone',
      { parse: oneOf(...SECOND_FACTOR_POLICIES), default: 'optional' },
    ),
    flag('auth.method METHOD', 'How people sign in: json, proxy, hook or noauth', {
      default: 'json',
    }),
    flag('auth.header NAME', 'Request header that names the user (method proxy)'),
    flag('auth.command COMMAND', 'Program that checks a sign-in (method hook)'),
    flag('auth.logoutPage URL', 'Where to go after signing out'),
    flag('recaptcha.host URL', 'ReCaptcha server', { default: 'https://www.google.com' }),
    flag('recaptcha.key KEY', 'ReCaptcha site key'),
    flag('recaptcha.secret SECRET', 'ReCaptcha secret'),
  ]),
  ...grouped('Settings', [
    flag(
      'createUserDir',
      'Give accounts made by sign-up, hook or proxy a home folder even if --scope is set, and others with an empty scope',
      { deprecated: ['create-user-dir'] },
    ),
    flag('shell COMMAND', 'Shell that runs event commands, such as "/bin/sh -c"'),
    flag('keepAge DURATION', 'How long deleted entries and versions are kept', {
      parse: textOf(parsePositiveDuration),
      default: DEFAULT_KEEP_AGE,
    }),
    flag('keepSize SIZE', 'Most that deleted entries and versions may take of each disk', {
      parse: textOf(parseKeepSize),
      default: DEFAULT_KEEP_SIZE,
    }),
    flag('fileMode MODE', 'Permissions of new files; write octal with 0o in front', {
      parse: parseMode,
      default: '0o640',
      deprecated: ['file-mode'],
    }),
    flag('dirMode MODE', 'Permissions of new folders; write octal with 0o in front', {
      parse: parseMode,
      default: '0o750',
      deprecated: ['dir-mode'],
    }),
  ]),
  ...grouped('Branding', [
    flag('branding.name NAME', 'Name shown in place of File Browser'),
    flag('branding.theme THEME', 'light, dark, or empty to follow the device'),
    flag('branding.color COLOR', 'Colour of the browser frame, such as #336699'),
    flag('branding.files FOLDER', 'Folder with custom.css, img/ and more'),
    flag('branding.disableExternal', 'Hide links to other sites'),
    flag('branding.disableUsedPercentage', 'Hide the disk usage bar'),
  ]),
  ...grouped('Uploads', [
    flag('tus.chunkSize BYTES', 'Size of one piece of an upload', {
      parse: integerBetween(0),
      default: '10485760',
    }),
    flag('tus.retryCount NUMBER', 'How often a failed piece is sent again', {
      parse: integerBetween(0, 65_535),
      default: '5',
    }),
  ]),
]

/** `homeQuota`: bytes, or null for the word none. */
export function homeQuotaFlag(help: string): Flag {
  const parse = (text: string) => (text === 'none' ? null : parseSize(text))
  return flag('homeQuota SIZE', help, { parse, default: 'none' })
}

/** Of `users add` and `users update`. */
export const HOME_FLAGS: readonly Flag[] = grouped('Home', [
  flag('home', 'Have a home; an account without one sees the folders given to it', {
    default: 'true',
  }),
  homeQuotaFlag('What the home may hold, such as 10GB; `none` leaves it to the groups'),
])

const ALLOWED = { default: 'true' }

/** Of `users add` and `users update`, and of `config init` and `config set` for new accounts. */
export const USER_FLAGS: readonly Flag[] = [
  ...grouped('Permissions', [
    flag('perm.admin', 'Administrate users and settings'),
    flag('perm.execute', 'Run the allowed shell commands', ALLOWED),
    flag('perm.create', 'Make files and folders', ALLOWED),
    flag('perm.rename', 'Rename and move', ALLOWED),
    flag('perm.modify', 'Change files', ALLOWED),
    flag('perm.delete', 'Delete', ALLOWED),
    flag('perm.share', 'Share by link', ALLOWED),
    flag('perm.download', 'Open and download files', ALLOWED),
  ]),
  ...grouped('Account', [
    flag('sorting.by KEY', 'Order of listings: name, size or modified', { default: 'name' }),
    flag(
      'sorting.asc',
      'Names from Z to A, or the smallest or oldest first; else A to Z, largest or newest first',
    ),
    flag('lockPassword', 'Keep the account from changing its password'),
    flag('commands LIST', 'Shell commands allowed, comma separated; may be given more than once', {
      list: true,
    }),
    flag('scope FOLDER', 'Folder the account sees, below the served one', { default: '.' }),
    flag('locale LANGUAGE', 'Language of the interface', { default: 'en' }),
    flag('viewMode MODE', 'How listings look: list, mosaic or "mosaic gallery"', {
      parse: oneOf('list', 'mosaic', 'mosaic gallery'),
      default: 'list',
    }),
    flag('singleClick', 'Open with a single click'),
    flag('redirectAfterCopyMove', 'Go to the target after copying or moving, in other clients'),
    flag('dateFormat', 'Show exact dates instead of "2 days ago"'),
    flag('hideDotfiles', 'Hide names that begin with a dot'),
    flag('aceEditorTheme THEME', 'Colours of the editor'),
  ]),
]
