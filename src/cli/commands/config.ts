// `filebrowser config`: the stored settings and server options.
import { resolve } from 'node:path'
import { checkRules } from '../../access/rules.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import { ParseError, type Reader, readObject } from '../../lib/parse.ts'
import { SETTINGS } from '../../store/collections.ts'
import {
  type Document,
  defaultSettings,
  emptyDocument,
  type Settings,
} from '../../store/document.ts'
import { settingsFrom } from '../../store/legacy/records.ts'
import { withSettingsFlags } from '../apply-flags.ts'
import type { Command, Flag, Invocation } from '../command.ts'
import { withDatabase } from '../database.ts'
import { SERVER_FLAGS, SETTINGS_FLAGS, USER_FLAGS } from '../flags.ts'
import { checkFormat, formatOf, presentConfig, readExport, writeExport } from './portable.ts'
import { dumpSettings } from './settings-dump.ts'

const LOCK_PASSWORD = 'lockPassword'
const FOR_NEW_USERS = 'Defaults for new accounts'

const CONFIG_FLAGS: readonly Flag[] = [
  ...SERVER_FLAGS,
  ...SETTINGS_FLAGS,
  ...USER_FLAGS.map((flag) => ({
    ...flag,
    group: FOR_NEW_USERS,
    ...(flag.name === LOCK_PASSWORD && {
      help: 'No effect, as no default for it is kept; give it to "users add" or "users update"',
    }),
  })),
]

export const configCommand: Command = {
  name: 'config',
  summary: 'Show and change the stored settings',
  about:
    'Shows and changes what is stored in the database. Environment and configuration file choose\n' +
    'the database only; they override stored values when the server starts. A running server sees\n' +
    'changes of settings within a second and server options at its next start.',
  commands: [
    {
      name: 'init',
      summary: 'Make a database',
      about: 'Makes a database with the given settings and no account; add one with "users add".',
      examples: [
        {
          line: 'filebrowser config init --root /srv/files --address 0.0.0.0',
          says: 'Make a database',
        },
        {
          line: 'filebrowser users add admin "a long password" --perm.admin',
          says: 'Then an account',
        },
      ],
      flags: CONFIG_FLAGS,
      run: init,
    },
    {
      name: 'set',
      summary: 'Change settings',
      about: 'Changes the settings whose flags are given and leaves all others.',
      examples: [
        { line: 'filebrowser config set --branding.name "My files"', says: 'Name the site' },
        {
          line: 'filebrowser config set --auth.method=proxy --auth.header=X-Remote-User',
          says: 'Sign in by proxy',
        },
        { line: 'filebrowser config set --perm.delete=false', says: 'New accounts may not delete' },
      ],
      flags: CONFIG_FLAGS,
      run: set,
    },
    { name: 'cat', summary: 'Show the settings', run: cat },
    {
      name: 'export',
      summary: 'Write the settings to a file',
      about:
        'Writes settings, server options and sign-in method as JSON or YAML. The file holds the\n' +
        'signing key and other secrets and can be read by its owner only.',
      usage: '<file.json|file.yaml>',
      minArgs: 1,
      check: checkFormat,
      run: exportConfig,
    },
    {
      name: 'import',
      summary: 'Read the settings from a file',
      about:
        'Replaces all settings by those of a file made with "config export", ours or the original’s.\n' +
        'What the file leaves out gets its zero value. The signing key of the file is not used.',
      usage: '<file.json|file.yaml>',
      minArgs: 1,
      check: checkFormat,
      run: importConfig,
    },
  ],
}

async function init(invocation: Invocation): Promise<number> {
  const { flags, stdout } = invocation
  // Values are checked before the file is made, so that a failed attempt leaves nothing behind.
  sayWithoutEffect(invocation)
  const settings = withSettingsFlags(defaultSettings(), flags, true)
  const create = async (): Promise<Document> => emptyDocument(settings)
  await withDatabase(invocation, async () => {}, { create, mustBeNew: true })
  stdout(
    '\nThe database is ready. Add an administrator next:\n' +
      '  filebrowser users add <name> <password> --perm.admin\n\n' +
      dumpSettings(settings, { raw: true }),
  )
  return 0
}

// The original accepts it without effect, so start scripts may have it: a warning, not an error.
function sayWithoutEffect({ flags, notice }: Invocation): void {
  if (!flags.has(LOCK_PASSWORD)) return
  notice(`--${LOCK_PASSWORD} has no effect here; give it to "users add" or "users update"`)
}

async function set(invocation: Invocation): Promise<number> {
  sayWithoutEffect(invocation)
  const settings = await withDatabase(invocation, (store) =>
    store.transaction((tx) =>
      tx.replace(SETTINGS, withSettingsFlags(tx.settings(), invocation.flags, false)),
    ),
  )
  if (SERVER_FLAGS.some(({ name }) => invocation.flags.has(name))) {
    invocation.notice('Server options take effect at the next start of the server')
  }
  invocation.stdout(dumpSettings(settings))
  return 0
}

async function cat(invocation: Invocation): Promise<number> {
  await withDatabase(invocation, async (store) => {
    invocation.stdout(dumpSettings(store.settings()))
  })
  return 0
}

async function exportConfig(invocation: Invocation): Promise<number> {
  const file = resolve(invocation.cwd, invocation.args[0] ?? '')
  await withDatabase(invocation, (store) =>
    writeExport(file, presentConfig(store.settings(), formatOf(file))),
  )
  return 0
}

async function importConfig(invocation: Invocation): Promise<number> {
  const file = resolve(invocation.cwd, invocation.args[0] ?? '')
  const imported = parseImported(await readExport(file), file)
  const settings = await withDatabase(
    invocation,
    (store) =>
      // This database keeps its own key: tokens in use stay valid, and nobody with the file can forge one.
      store.transaction((tx) => tx.replace(SETTINGS, { ...imported, key: tx.settings().key })),
    { create: async () => emptyDocument(imported) },
  )
  invocation.stdout(dumpSettings(settings))
  return 0
}

function parseImported(value: unknown, file: string): Settings {
  const r = readObject(value, file)
  for (const part of ['settings', 'server']) {
    if (!r.has(part)) throw badRequest(`${file} has no ${part}`)
  }
  const settings = convert(r, file)
  const { authMethod, auther } = settings
  if (authMethod === 'proxy' && auther.header === '')
    throw badRequest(`${file}: auther.header is needed for method proxy`)
  if (authMethod === 'hook' && auther.command === '')
    throw badRequest(`${file}: auther.command is needed for method hook`)
  checkRules(settings.rules)
  return settings
}

function convert(r: Reader, file: string): Settings {
  const [settings, server, auther] = ['settings', 'server', 'auther'].map((part) => r.raw(part))
  try {
    return settingsFrom({ settings, server, auther })
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    throw new AppError('bad_request', `${file}: ${error.message}`, { cause: error })
  }
}
