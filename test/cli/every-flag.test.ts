// Each flag of config and users does to the stored record what its help says. The tables are walked
// along the program's own, so a new flag without a row here fails.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Flag } from '../../src/cli/command.ts'
import { ROOT_FLAGS, SERVER_FLAGS, SETTINGS_FLAGS, USER_FLAGS } from '../../src/cli/flags.ts'
import { parseArgs } from '../../src/cli/parse-args.ts'
import type { Document } from '../../src/store/document.ts'
import { runCli } from '../support/cli.ts'

/** Words of the flag, where it is stored, and what is stored there. */
type Row = readonly [words: string[], place: string, value: unknown]

const text = (flag: string, place = flag): Row => [[`--${flag}`, 'some text'], place, 'some text']
const on = (flag: string, place = flag): Row => [[`--${flag}`], place, true]
const off = (flag: string, place = flag): Row => [[`--${flag}=false`], place, false]

/** Of accounts; the place is below the account, or below the defaults for new ones. */
const OF_USERS: Record<string, Row> = {
  'perm.admin': on('perm.admin'),
  'perm.execute': off('perm.execute'),
  'perm.create': off('perm.create'),
  'perm.rename': off('perm.rename'),
  'perm.modify': off('perm.modify'),
  'perm.delete': off('perm.delete'),
  'perm.share': off('perm.share'),
  'perm.download': off('perm.download'),
  'sorting.by': [['--sorting.by', 'modified'], 'sorting.by', 'modified'],
  'sorting.asc': on('sorting.asc'),
  lockPassword: on('lockPassword'),
  commands: [['--commands', 'git,"a,b"', '--commands=ls'], 'commands', ['git', 'a,b', 'ls']],
  scope: [['--scope', '/inner'], 'scope', '/inner'],
  locale: [['--locale', 'pt-br'], 'locale', 'pt-br'],
  viewMode: [['--viewMode', 'mosaic gallery'], 'viewMode', 'mosaic gallery'],
  singleClick: on('singleClick'),
  redirectAfterCopyMove: on('redirectAfterCopyMove'),
  dateFormat: on('dateFormat'),
  hideDotfiles: on('hideDotfiles'),
  aceEditorTheme: text('aceEditorTheme'),
}

/** Of settings and server options; the place is below the settings. */
const OF_SETTINGS: Record<string, Row> = {
  signup: [['-s'], 'signup', true],
  hideLoginButton: on('hideLoginButton'),
  secondFactor: [['--secondFactor', 'everyone'], 'secondFactor', 'everyone'],
  keepAge: [['--keepAge', '7d'], 'keepAge', '7d'],
  keepSize: [['--keepSize', '5GiB'], 'keepSize', '5GiB'],
  createUserDir: on('createUserDir'),
  minimumPasswordLength: [['--minimumPasswordLength', '20'], 'minimumPasswordLength', 20],
  shell: [['--shell', ' /bin/sh -c '], 'shell', ['/bin/sh', '-c']],
  fileMode: [['--fileMode', '0o600'], 'fileMode', 0o600],
  dirMode: [['--dirMode', '0700'], 'dirMode', 0o700],
  'auth.method': [['--auth.method', 'noauth'], 'authMethod', 'noauth'],
  'auth.header': [['--auth.method=proxy', '--auth.header', 'X-Me'], 'auther.header', 'X-Me'],
  'auth.command': [['--auth.method=hook', '--auth.command', '/x y'], 'auther.command', '/x y'],
  'auth.logoutPage': text('auth.logoutPage', 'logoutPage'),
  'recaptcha.host': reCaptcha('host'),
  'recaptcha.key': reCaptcha('key'),
  'recaptcha.secret': reCaptcha('secret'),
  'branding.name': text('branding.name'),
  'branding.theme': text('branding.theme'),
  'branding.color': text('branding.color'),
  'branding.files': text('branding.files'),
  'branding.disableExternal': on('branding.disableExternal'),
  'branding.disableUsedPercentage': on('branding.disableUsedPercentage'),
  'tus.chunkSize': [['--tus.chunkSize', '1_024'], 'tus.chunkSize', 1024],
  'tus.retryCount': [['--tus.retryCount', '0x10'], 'tus.retryCount', 16],
  address: [['-a', '0.0.0.0'], 'server.address', '0.0.0.0'],
  port: [['-p', '81'], 'server.port', '81'],
  socket: text('socket', 'server.socket'),
  cert: [['-t', 'c.pem'], 'server.tlsCert', 'c.pem'],
  key: [['-k', 'k.pem'], 'server.tlsKey', 'k.pem'],
  root: [['-r', '/x'], 'server.root', '/x'],
  baseURL: [['-b', '/fb'], 'server.baseURL', '/fb'],
  log: [['-l', 'stderr'], 'server.log', 'stderr'],
  tokenExpirationTime: [['--tokenExpirationTime', '5m'], 'server.tokenExpirationTime', '5m'],
  disableThumbnails: [['--disableThumbnails'], 'server.enableThumbnails', false],
  disablePreviewResize: [['--disablePreviewResize'], 'server.resizePreview', false],
  disableExec: [['--disableExec=false'], 'server.enableExec', true],
  disableTypeDetectionByHeader: [
    ['--disableTypeDetectionByHeader'],
    'server.typeDetectionByHeader',
    false,
  ],
  disableImageResolutionCalc: [
    ['--disableImageResolutionCalc'],
    'server.imageResolutionCalculation',
    false,
  ],
  followExternalSymlinks: on('followExternalSymlinks', 'server.followExternalSymlinks'),
}

function reCaptcha(part: 'host' | 'key' | 'secret'): Row {
  const all = ['--recaptcha.host=host', '--recaptcha.key=key', '--recaptcha.secret=secret']
  return [all, `auther.recaptcha.${part}`, part]
}

const PASSWORD = 'Correct-Horse-9-Battery'
let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-flags-'))
  await mkdir(join(cwd, 'srv'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

async function cli(...words: string[]) {
  const result = await runCli(words, { cwd })
  expect(result.code, `${words.join(' ')}\n${result.stderr}`).toBe(0)
  return result
}

const stored = async (): Promise<Document> =>
  JSON.parse(await readFile(join(cwd, 'filebrowser.db'), 'utf8'))

function at(record: unknown, place: string): unknown {
  return place
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], record)
}

const names = (flags: readonly Flag[]) => flags.map(({ name }) => name).sort()

test('the tables here have a row for every flag of the program', () => {
  expect(Object.keys(OF_USERS).sort()).toEqual(names(USER_FLAGS))
  expect(Object.keys(OF_SETTINGS).sort()).toEqual(names([...SERVER_FLAGS, ...SETTINGS_FLAGS]))
})

// There is no default to keep it in; config.test.ts has what happens instead.
const { lockPassword: _, ...KEPT_AS_DEFAULT } = OF_USERS
const OF_CONFIG = [
  ...Object.entries(OF_SETTINGS),
  ...Object.entries(KEPT_AS_DEFAULT).map(
    ([name, [words, place, value]]) => [name, [words, `defaults.${place}`, value]] as const,
  ),
]

describe.each(['init', 'set'])('config %s', (command) => {
  test.each(OF_CONFIG)('--%s', async (_name, [words, place, value]) => {
    await cli('config', 'init', '-d', 'plain.db')
    const plain = JSON.parse(await readFile(join(cwd, 'plain.db'), 'utf8'))
    expect(at(plain.settings, place)).not.toEqual(value)
    if (command === 'set') await cli('config', 'init')
    await cli('config', command, ...words)
    expect(at((await stored()).settings, place)).toEqual(value)
  })
})

describe('users', () => {
  beforeEach(() => cli('config', 'init', '--root', join(cwd, 'srv')))

  test.each(Object.entries(OF_USERS))('--%s', async (_name, [words, place, value]) => {
    await cli('users', 'add', 'admin', PASSWORD, '--perm.admin')
    await cli('users', 'add', 'plain', PASSWORD)
    const [, before] = (await stored()).users
    expect(at(before, place)).not.toEqual(value)
    await cli('users', 'update', 'plain', ...words)
    await cli('users', 'add', 'made', PASSWORD, ...words)
    const [, updated, made] = (await stored()).users
    expect(at(updated, place)).toEqual(value)
    expect(at(made, place)).toEqual(value)
    // Nothing else changed with it.
    const [top = ''] = place.split('.')
    expect({ ...updated, [top]: null }).toEqual({ ...before, [top]: null })
  })
})

describe('old spellings', () => {
  const OLD = [...ROOT_FLAGS, ...SETTINGS_FLAGS].flatMap((flag) =>
    (flag.deprecated ?? []).map((old) => [old, flag] as const),
  )
  const WORDS: Record<string, string> = {
    'cache-dir': 'c',
    'redis-cache-url': 'redis://r',
    'socket-perm': '0600',
    'img-processors': '2',
  }

  test('are the fifteen of File Browser 2.x', () => {
    expect(OLD.map(([old]) => old).sort()).toEqual([
      'baseurl',
      'cache-dir',
      'create-user-dir',
      'dir-mode',
      'disable-exec',
      'disable-preview-resize',
      'disable-thumbnails',
      'disable-type-detection-by-header',
      'file-mode',
      'hide-login-button',
      'img-processors',
      'minimum-password-length',
      'redis-cache-url',
      'socket-perm',
      'token-expiration-time',
    ])
  })

  test.each(OLD)('--%s', async (old, flag) => {
    const row = OF_SETTINGS[flag.name]
    if (!row) {
      // Never stored: what the server is told is what the new spelling tells it.
      const given = (name: string) => parseArgs([`--${name}=${WORDS[old]}`], ROOT_FLAGS)
      expect(given(old).flags).toEqual(given(flag.name).flags)
      expect(given(old).flags.get(flag.name)?.text).toBe(WORDS[old])
      expect(given(old).deprecations).toEqual([{ old, name: flag.name }])
      return
    }
    const [words, place, value] = row
    const spelt = words.map((word) => word.replace(/^-b$/, '--baseURL').replace(flag.name, old))
    expect(spelt[0]).toContain(old)
    await cli('config', 'init')
    const { stderr } = await cli('config', 'set', ...spelt)
    expect(stderr).toContain(`--${old} is an old name, use --${flag.name}\n`)
    expect(at((await stored()).settings, place)).toEqual(value)
  })
})
