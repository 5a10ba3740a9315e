// Flags of the commands: the server options from the option table, and the flags that change
// stored settings and accounts.
import { DEFAULT_DATABASE } from '../config/config.ts'
import { integerBetween, oneOf, parseBoolean, parseMode } from '../config/option-values.ts'
import {
  envNamesOf,
  isStoredOption,
  OPTION_KEYS,
  type OptionKey,
  optionOf,
} from '../config/options.ts'
import { SECOND_FACTOR_POLICIES } from '../store/document.ts'
import type { Flag } from './command.ts'

const text = (value: string) => value

/** Known everywhere. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  {
    name: 'config',
    short: 'c',
    value: 'FILE',
    parse: text,
    default: '',
    help: 'Configuration file (json, toml, yaml, env) instead of the ones searched for',
  },
  {
    name: 'database',
    short: 'd',
    value: 'FILE',
    parse: text,
    default: DEFAULT_DATABASE,
    env: ['FB_DATABASE'],
    help: 'Database file',
  },
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

function switchFlag(name: string, help: string, group: string, defaultText = 'false'): Flag {
  return { name, parse: parseBoolean, default: defaultText, help, group }
}

function textFlag(
  name: string,
  value: string,
  help: string,
  group: string,
  defaultText = '',
): Flag {
  return { name, value, parse: text, default: defaultText, help, group }
}

const SETTINGS = 'Settings'
const SIGN_IN = 'Sign-in settings'
const BRANDING = 'Branding'
const UPLOADS = 'Uploads'

/** Of `config init` and `config set`: the settings record. */
export const SETTINGS_FLAGS: readonly Flag[] = [
  { ...switchFlag('signup', 'Let visitors make accounts', SIGN_IN), short: 's' },
  {
    ...switchFlag('hideLoginButton', 'Hide the sign-in button on public pages', SIGN_IN),
    deprecated: ['hide-login-button'],
  },
  {
    ...switchFlag(
      'createUserDir',
      'Give accounts made by sign-up, hook or proxy a home folder even if --scope is set, and others with an empty scope',
      SETTINGS,
    ),
    deprecated: ['create-user-dir'],
  },
  {
    name: 'minimumPasswordLength',
    value: 'NUMBER',
    parse: integerBetween(0, 72),
    default: '12',
    group: SIGN_IN,
    deprecated: ['minimum-password-length'],
    help: 'Fewest bytes of a new password; 0 means the default',
  },
  {
    name: 'secondFactor',
    value: 'WHO',
    parse: oneOf(...SECOND_FACTOR_POLICIES),
    default: 'optional',
    group: SIGN_IN,
    help: 'Who signs in with a second step: off, optional, administrators or everyone',
  },
  textFlag('shell', 'COMMAND', 'Shell that runs event commands, such as "/bin/sh -c"', SETTINGS),
  {
    name: 'fileMode',
    value: 'MODE',
    parse: parseMode,
    default: '0o640',
    group: SETTINGS,
    deprecated: ['file-mode'],
    help: 'Permissions of new files; write octal with 0o in front',
  },
  {
    name: 'dirMode',
    value: 'MODE',
    parse: parseMode,
    default: '0o750',
    group: SETTINGS,
    deprecated: ['dir-mode'],
    help: 'Permissions of new folders; write octal with 0o in front',
  },
  {
    name: 'auth.method',
    value: 'METHOD',
    parse: text,
    default: 'json',
    group: SIGN_IN,
    help: 'How people sign in: json, proxy, hook or noauth',
  },
  textFlag('auth.header', 'NAME', 'Request header that names the user (method proxy)', SIGN_IN),
  textFlag('auth.command', 'COMMAND', 'Program that checks a sign-in (method hook)', SIGN_IN),
  textFlag('auth.logoutPage', 'URL', 'Where to go after signing out', SIGN_IN),
  textFlag('recaptcha.host', 'URL', 'ReCaptcha server', SIGN_IN, 'https://www.google.com'),
  textFlag('recaptcha.key', 'KEY', 'ReCaptcha site key', SIGN_IN),
  textFlag('recaptcha.secret', 'SECRET', 'ReCaptcha secret', SIGN_IN),
  textFlag('branding.name', 'NAME', 'Name shown in place of File Browser', BRANDING),
  textFlag('branding.theme', 'THEME', 'light, dark, or empty to follow the device', BRANDING),
  textFlag('branding.color', 'COLOR', 'Colour of the browser frame, such as #336699', BRANDING),
  textFlag('branding.files', 'FOLDER', 'Folder with custom.css, img/ and more', BRANDING),
  switchFlag('branding.disableExternal', 'Hide links to other sites', BRANDING),
  switchFlag('branding.disableUsedPercentage', 'Hide the disk usage bar', BRANDING),
  {
    name: 'tus.chunkSize',
    value: 'BYTES',
    parse: integerBetween(0),
    default: '10485760',
    group: UPLOADS,
    help: 'Size of one piece of an upload',
  },
  {
    name: 'tus.retryCount',
    value: 'NUMBER',
    parse: integerBetween(0, 65_535),
    default: '5',
    group: UPLOADS,
    help: 'How often a failed piece is sent again',
  },
]

const PERMISSIONS = 'Permissions'
const ACCOUNT = 'Account'

/** Of `users add` and `users update`, and of `config init` and `config set` for new accounts. */
export const USER_FLAGS: readonly Flag[] = [
  switchFlag('perm.admin', 'Administrate users and settings', PERMISSIONS),
  ...(
    [
      ['execute', 'Run the allowed shell commands'],
      ['create', 'Make files and folders'],
      ['rename', 'Rename and move'],
      ['modify', 'Change files'],
      ['delete', 'Delete'],
      ['share', 'Share by link'],
      ['download', 'Open and download files'],
    ] as const
  ).map(([name, help]) => switchFlag(`perm.${name}`, help, PERMISSIONS, 'true')),
  textFlag('sorting.by', 'KEY', 'Order of listings: name, size or modified', ACCOUNT, 'name'),
  switchFlag(
    'sorting.asc',
    'Names from Z to A, or the smallest or oldest first; else A to Z, largest or newest first',
    ACCOUNT,
  ),
  switchFlag('lockPassword', 'Keep the account from changing its password', ACCOUNT),
  {
    name: 'commands',
    value: 'LIST',
    parse: text,
    default: '',
    group: ACCOUNT,
    list: true,
    help: 'Shell commands allowed, comma separated; may be given more than once',
  },
  textFlag('scope', 'FOLDER', 'Folder the account sees, below the served one', ACCOUNT, '.'),
  textFlag('locale', 'LANGUAGE', 'Language of the interface', ACCOUNT, 'en'),
  {
    name: 'viewMode',
    value: 'MODE',
    parse: oneOf('list', 'mosaic', 'mosaic gallery'),
    default: 'list',
    group: ACCOUNT,
    help: 'How listings look: list, mosaic or "mosaic gallery"',
  },
  switchFlag('singleClick', 'Open with a single click', ACCOUNT),
  switchFlag('redirectAfterCopyMove', 'Go to the target after copying or moving', ACCOUNT),
  switchFlag('dateFormat', 'Show exact dates instead of "2 days ago"', ACCOUNT),
  switchFlag('hideDotfiles', 'Hide names that begin with a dot', ACCOUNT),
  textFlag('aceEditorTheme', 'THEME', 'Colours of the editor', ACCOUNT),
]
