// Puts given flags into records. Pure.
import type { Permissions, UserDefaults } from '../api-types.ts'
import { type FlagValue, withStoredValues } from '../config/config.ts'
import { AppError } from '../lib/errors.ts'
import {
  type Auther,
  DEFAULT_DIR_MODE,
  DEFAULT_FILE_MODE,
  DEFAULT_MINIMUM_PASSWORD_LENGTH,
  type Settings,
} from '../store/document.ts'
import { AUTH_METHODS } from '../store/legacy-records.ts'
import { flagValue } from './command.ts'
import { SETTINGS_FLAGS } from './flags.ts'

export type GivenFlags = ReadonlyMap<string, FlagValue>

const PERMISSIONS: readonly (keyof Permissions)[] = [
  'admin',
  'execute',
  'create',
  'rename',
  'modify',
  'delete',
  'share',
  'download',
]

/** The part of an account that has flags; what is not given stays. */
export function withUserFlags<T extends UserDefaults>(record: T, flags: GivenFlags): T {
  const next: T = { ...record, perm: { ...record.perm }, sorting: { ...record.sorting } }
  const take = <K extends keyof UserDefaults>(key: K) => {
    const value = flagValue<T[K]>(flags, key)
    if (value !== undefined) next[key] = value
  }
  for (const key of PERMISSIONS) {
    next.perm[key] = flagValue<boolean>(flags, `perm.${key}`) ?? next.perm[key]
  }
  next.sorting.by = flagValue<string>(flags, 'sorting.by') ?? next.sorting.by
  next.sorting.asc = flagValue<boolean>(flags, 'sorting.asc') ?? next.sorting.asc
  take('scope')
  take('locale')
  take('viewMode')
  take('singleClick')
  take('redirectAfterCopyMove')
  take('dateFormat')
  take('hideDotfiles')
  take('aceEditorTheme')
  take('commands')
  return next
}

/**
 * Settings with the given flags. `fresh` is true for `config init`, where the sign-in method is
 * built from flags alone. Throws AppError for a method without what it needs.
 */
export function withSettingsFlags(settings: Settings, flags: GivenFlags, fresh: boolean): Settings {
  const text = (name: string) => flagValue<string>(flags, name)
  const flag = (name: string) => flagValue<boolean>(flags, name)
  const number = (name: string) => flagValue<number>(flags, name)
  const authMethod = text('auth.method') ?? settings.authMethod
  const shell = text('shell')
  const { branding, tus } = settings
  return {
    ...settings,
    signup: flag('signup') ?? settings.signup,
    hideLoginButton: flag('hideLoginButton') ?? settings.hideLoginButton,
    createUserDir: flag('createUserDir') ?? settings.createUserDir,
    minimumPasswordLength:
      (number('minimumPasswordLength') ?? settings.minimumPasswordLength) ||
      DEFAULT_MINIMUM_PASSWORD_LENGTH,
    shell: shell === undefined ? settings.shell : splitShell(shell),
    fileMode: (number('fileMode') ?? settings.fileMode) || DEFAULT_FILE_MODE,
    dirMode: (number('dirMode') ?? settings.dirMode) || DEFAULT_DIR_MODE,
    logoutPage: text('auth.logoutPage') ?? settings.logoutPage,
    authMethod,
    auther: buildAuther(settings, authMethod, flags, fresh || flags.has('auth.method')),
    branding: {
      ...branding,
      name: text('branding.name') ?? branding.name,
      theme: text('branding.theme') ?? branding.theme,
      color: text('branding.color') ?? branding.color,
      files: text('branding.files') ?? branding.files,
      disableExternal: flag('branding.disableExternal') ?? branding.disableExternal,
      disableUsedPercentage:
        flag('branding.disableUsedPercentage') ?? branding.disableUsedPercentage,
    },
    tus: {
      chunkSize: number('tus.chunkSize') ?? tus.chunkSize,
      retryCount: number('tus.retryCount') ?? tus.retryCount,
    },
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
  if (!AUTH_METHODS.some((known) => known === method)) {
    throw new AppError('bad_request', 'invalid auth method')
  }
  const text = (name: string) => flagValue<string>(flags, name)
  const stored = chosen ? { header: '', command: '', recaptcha: null } : auther
  if (method === 'proxy') {
    const header = text('auth.header') ?? stored.header
    if (header === '') throw new AppError('bad_request', '--auth.header is needed for method proxy')
    return { ...auther, header }
  }
  if (method === 'hook') {
    const command = text('auth.command') ?? stored.command
    if (command === '')
      throw new AppError('bad_request', '--auth.command is needed for method hook')
    return { ...auther, command }
  }
  if (method === 'noauth') return auther
  const key = text('recaptcha.key') ?? stored.recaptcha?.key ?? ''
  const secret = text('recaptcha.secret') ?? stored.recaptcha?.secret ?? ''
  const host = text('recaptcha.host') ?? stored.recaptcha?.host ?? RECAPTCHA_HOST
  return { ...auther, recaptcha: key !== '' && secret !== '' ? { host, key, secret } : null }
}
