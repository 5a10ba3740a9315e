// Puts given flags into records. Pure.
import type { UserDefaults } from '../api-types.ts'
import { type FlagValue, withStoredValues } from '../config/config.ts'
import { badRequest } from '../lib/errors.ts'
import { overlay, pick } from '../lib/fields.ts'
import {
  type Auther,
  DEFAULT_DIR_MODE,
  DEFAULT_FILE_MODE,
  DEFAULT_MINIMUM_PASSWORD_LENGTH,
  type Settings,
} from '../store/document.ts'
import { AUTH_METHODS } from '../store/legacy/records.ts'
import { flagValue } from './command.ts'
import { SETTINGS_FLAGS } from './flags.ts'

type GivenFlags = ReadonlyMap<string, FlagValue>

/** The part of an account that has flags of the same names; what is not given stays. */
export function withUserFlags<T extends UserDefaults>(record: T, flags: GivenFlags): T {
  return overlay(record, (name) => flagValue(flags, name))
}

// Settings whose flags have their names.
const OF_SAME_NAME = [
  'signup',
  'hideLoginButton',
  'createUserDir',
  'secondFactor',
  'keepAge',
  'keepSize',
  'branding',
  'tus',
] as const

/**
 * Settings with the given flags. `fresh` is true for `config init`, where the sign-in method is
 * built from flags alone. Throws AppError for a method without what it needs.
 */
export function withSettingsFlags(settings: Settings, flags: GivenFlags, fresh: boolean): Settings {
  const text = (name: string) => flagValue<string>(flags, name)
  const number = (name: string) => flagValue<number>(flags, name)
  const authMethod = text('auth.method') ?? settings.authMethod
  const shell = text('shell')
  return {
    ...settings,
    ...overlay(pick(settings, OF_SAME_NAME), (name) => flagValue(flags, name)),
    minimumPasswordLength:
      (number('minimumPasswordLength') ?? settings.minimumPasswordLength) ||
      DEFAULT_MINIMUM_PASSWORD_LENGTH,
    shell: shell === undefined ? settings.shell : splitShell(shell),
    fileMode: (number('fileMode') ?? settings.fileMode) || DEFAULT_FILE_MODE,
    dirMode: (number('dirMode') ?? settings.dirMode) || DEFAULT_DIR_MODE,
    logoutPage: text('auth.logoutPage') ?? settings.logoutPage,
    authMethod,
    auther: buildAuther(settings, authMethod, flags, fresh || flags.has('auth.method')),
    defaults: withUserFlags(settings.defaults, flags),
    server: withStoredValues(settings.server, flags),
  }
}

function splitShell(shell: string): string[] {
  const trimmed = shell.trim()
  return trimmed === '' ? [] : trimmed.split(' ')
}

const RECAPTCHA_HOST = SETTINGS_FLAGS.find(({ name }) => name === 'recaptcha.host')?.default ?? ''

// `chosen`: the method is set now, so its options come from flags; else what is stored stays.
function buildAuther(
  { auther }: Settings,
  method: string,
  flags: GivenFlags,
  chosen: boolean,
): Auther {
  if (!AUTH_METHODS.some((known) => known === method)) throw badRequest('invalid auth method')
  const text = (name: string) => flagValue<string>(flags, name)
  const stored = chosen ? { header: '', command: '', recaptcha: null } : auther
  if (method === 'proxy') {
    const header = text('auth.header') ?? stored.header
    if (header === '') throw badRequest('--auth.header is needed for method proxy')
    return { ...auther, header }
  }
  if (method === 'hook') {
    const command = text('auth.command') ?? stored.command
    if (command === '') throw badRequest('--auth.command is needed for method hook')
    return { ...auther, command }
  }
  if (method === 'noauth') return auther
  const key = text('recaptcha.key') ?? stored.recaptcha?.key ?? ''
  const secret = text('recaptcha.secret') ?? stored.recaptcha?.secret ?? ''
  const host = text('recaptcha.host') ?? stored.recaptcha?.host ?? RECAPTCHA_HOST
  return { ...auther, recaptcha: key !== '' && secret !== '' ? { host, key, secret } : null }
}
