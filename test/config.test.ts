import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  buildConfig,
  collectOverrides,
  databasePathOf,
  type FlagValue,
} from '../src/config/config.ts'
import { findConfigFile } from '../src/config/config-file.ts'
import { envNamesOf, OPTION_KEYS, type OptionKey, optionOf } from '../src/config/options.ts'
import { defaultServerOptions, type ServerOptions } from '../src/store/document.ts'

let folder: string
let home: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'filebrowser-config-'))
  home = join(folder, 'home')
  await mkdir(home)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Given {
  flags?: Record<string, string>
  env?: Record<string, string>
  /** Content of `.filebrowser.json`. */
  json?: unknown
  stored?: Partial<ServerOptions>
}

async function load({ flags = {}, env = {}, json, stored = {} }: Given) {
  if (json !== undefined) await writeFile(join(folder, '.filebrowser.json'), JSON.stringify(json))
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const { config: file } = findConfigFile({ explicit: '', cwd: folder, home })
  const parsed = new Map<string, FlagValue>(
    Object.entries(flags).map(([key, text]) => [
      key,
      { value: optionOf(key as OptionKey).parse(text), text },
    ]),
  )
  const overrides = collectOverrides({ flags: parsed, env, file }, warn)
  const config = buildConfig({
    overrides,
    stored: { ...defaultServerOptions(), ...stored },
    database: join(folder, 'x.db'),
    cwd: folder,
    warn,
  })
  return { config, overrides, warnings }
}

describe('precedence', () => {
  test('flag, then environment, then file, then the database, then the default', async () => {
    const all: Given = {
      flags: { port: '1' },
      env: { FB_PORT: '2' },
      json: { port: 3 },
      stored: { port: '4' },
    }
    expect((await load(all)).config.port).toBe(1)
    expect((await load({ ...all, flags: {} })).config.port).toBe(2)
    expect((await load({ ...all, flags: {}, env: {} })).config.port).toBe(3)
    await rm(join(folder, '.filebrowser.json'))
    expect((await load({ stored: { port: '4' } })).config.port).toBe(4)
    expect((await load({})).config.port).toBe(8080)
  })

  test('an empty environment variable is as good as none', async () => {
    expect((await load({ env: { FB_PORT: '' }, json: { port: 3 } })).config.port).toBe(3)
  })

  test('null in the file is as good as absent', async () => {
    expect((await load({ json: { port: null }, stored: { port: '4' } })).config.port).toBe(4)
  })

  test('every option has an environment name and a key, and both reach the config', async () => {
    const samples: Partial<Record<OptionKey, string>> = {
      port: '81',
      socketPerm: '0600',
      imageProcessors: '2',
      jobsPerDisk: '3',
      extractMaxSize: '5GB',
      fetchFrom: 'public',
      fetchMaxSize: '5GB',
      previewCacheSize: '5MB',
      trustedProxies: '10.0.0.0/8',
      allowedHosts: 'files.example.org',
      externalURL: 'https://files.example.org',
      contentOrigin: 'https://content.example.org',
      davOrigins: 'https://home.example',
      frameAncestors: 'https://home.example',
      sendfile: 'x-sendfile',
      styleSources: 'https://theme-park.dev',
      'branding.helpURL': 'https://help.example.org/',
      loginRateLimit: '3/1m',
      secondFactor: 'everyone',
      'ldap.filter': '(cn={username})',
      'ldap.nameAttribute': 'cn',
      'ldap.groupAttribute': 'groups',
      'oidc.issuer': 'https://id.example.org',
      'oidc.allowedGroups': 'family',
      'ldap.sessionMax': '8h',
      'oidc.sessionMax': '8h',
      hookEnv: 'ONE,TWO',
      roots: 'photos=/mnt/photos',
      logFormat: 'json',
      metrics: '127.0.0.1:9100',
      drainDelay: '5s',
      drainTimeout: '30s',
      auditSize: '10MB',
      auditAge: '14d',
      databasePool: '20',
      recordsGrace: '5s',
      tusExpiry: '1h',
      keepAge: '7d',
      keepSize: '5%',
      trash: 'own',
      sessionIdle: '1h',
      sessionMax: '2h',
      tokenExpirationTime: '90m',
    }
    for (const key of OPTION_KEYS) {
      // These have tests of their own: they act in pairs, or not at all.
      if (['socket', 'cert', 'key', 'redisCacheUrl', 'ldap.url'].includes(key)) continue
      const isSwitch = optionOf(key).value === undefined
      const text =
        samples[key] ?? (isSwitch ? String(optionOf(key).default !== 'true') : `/some/${key}`)
      const byFlag = await load({ flags: { [key]: text } })
      for (const name of envNamesOf(key)) {
        expect((await load({ env: { [name]: text } })).config, name).toEqual(byFlag.config)
      }
      expect((await load({ json: { [key.toUpperCase()]: text } })).config, key).toEqual(
        byFlag.config,
      )
      await rm(join(folder, '.filebrowser.json'))
      expect((await load({})).config, `${key} has an effect`).not.toEqual(byFlag.config)
    }
  })
})

describe('environment names of the original', () => {
  test('are all understood', () => {
    const known = OPTION_KEYS.flatMap(envNamesOf)
    const original =
      'FB_ADDRESS FB_BASE_URL FB_CACHE_DIR FB_CERT FB_DISABLE_EXEC FB_DISABLE_IMAGE_RESOLUTION_CALC ' +
      'FB_DISABLE_PREVIEW_RESIZE FB_DISABLE_THUMBNAILS FB_DISABLE_TYPE_DETECTION_BY_HEADER ' +
      'FB_FOLLOW_EXTERNAL_SYMLINKS FB_IMAGE_PROCESSORS FB_KEY FB_LOG FB_NOAUTH FB_PASSWORD FB_PORT ' +
      'FB_REDIS_CACHE_URL FB_ROOT FB_SOCKET FB_SOCKETPERM FB_TOKEN_EXPIRATION_TIME FB_USERNAME ' +
      'FB_SOCKET_PERM'
    for (const name of original.split(' ')) expect(known).toContain(name)
  })

  test('FB_BASEURL works with a notice, and only when nothing else says it', async () => {
    const old = await load({ env: { FB_BASEURL: '/old' } })
    expect(old.config.baseURL).toBe('/old')
    expect(old.warnings.join()).toContain('use FB_BASE_URL')
    const both = await load({ env: { FB_BASEURL: '/old', FB_BASE_URL: '/new' } })
    expect(both.config.baseURL).toBe('/new')
    expect(both.warnings).toEqual([])
  })
})

describe('wrong values name their source', () => {
  test.each<[Given, RegExp]>([
    [{ env: { FB_DISABLE_EXEC: 'yes' } }, /FB_DISABLE_EXEC: "yes" is not valid/],
    [{ json: { disableExec: 'on' } }, /disableExec in .*\.filebrowser\.json: "on" is not valid/],
    [
      { json: { imageProcessors: 0 } },
      /imageProcessors in .*: "0" is not valid, must be 1 or more/,
    ],
    [{ env: { FB_IMAGE_PROCESSORS: 'many' } }, /FB_IMAGE_PROCESSORS: "many"/],
    [{ env: { FB_TOKEN_EXPIRATION_TIME: '2 hours' } }, /expected a duration/],
    [{ env: { FB_PORT: '99999' } }, /FB_PORT: "99999" is not valid, expected a port/],
    [{ env: { FB_PORT: 'no-such-service' } }, /expected a port/],
    [{ json: { port: 65_536 } }, /port in .*: "65536" is not valid, expected a port/],
    [{ env: { FB_IMAGE_PROCESSORS: '9'.repeat(20) } }, /FB_IMAGE_PROCESSORS: .*is too large/],
    [{ json: { socketPerm: 0o10000 } }, /socketPerm in .*: "4096" is not valid, must be 4095/],
    [{ env: { FB_PREVIEW_CACHE_SIZE: '99999TB' } }, /FB_PREVIEW_CACHE_SIZE: .*size is too large/],
    [{ env: { FB_SESSION_MAX: '107000d' } }, /FB_SESSION_MAX: "107000d".*duration is too long/],
    [
      { json: { tusExpiry: '1e30h' } },
      /tusExpiry in .*: "1e30h" is not valid, expected a duration/,
    ],
    [{ json: { sessionIdle: '99999999999h' } }, /sessionIdle in .*: .*duration is too long/],
    [{ json: { root: { a: 1 } } }, /root in .*: expected a single value/],
    [{ env: { FB_TRUSTED_PROXIES: '10.0.0.0/99' } }, /no address, CIDR block/],
    [{ env: { FB_LOGIN_RATE_LIMIT: 'often' } }, /attempts\/duration/],
    [{ env: { FB_CONTENT_ORIGIN: 'https://x.org/path' } }, /expected an origin/],
  ])('%j', async (given, text) => {
    await expect(load(given)).rejects.toThrow(text)
  })

  test('a secret is not repeated in the error', async () => {
    const given = { json: { webhookSecret: { nested: 'hunter2' } } }
    await expect(load(given)).rejects.toThrow(/^webhookSecret in [^"]*expected a single value/)
  })

  test('a stored value that cannot be read is warned about and replaced by the default', async () => {
    const { config, warnings } = await load({ stored: { tokenExpirationTime: 'soon' } })
    expect(config.tokenExpirationMs).toBe(2 * 3_600_000)
    expect(warnings.join()).toContain('stored tokenExpirationTime "soon"')
  })
})

describe('a directory', () => {
  const base = { 'ldap.url': 'ldaps://ldap.example.org', 'ldap.base': 'dc=example,dc=org' }

  test('has an address and a base', async () => {
    const { config } = await load({
      json: {
        ldap: { url: 'ldap://[::1]:3890/', base: 'dc=x', allowedGroups: ['a', 'cn=b,dc=x'] },
      },
    })
    expect(config['ldap.url']).toBe('ldap://[::1]:3890')
    expect(config['ldap.allowedGroups']).toEqual(['a', 'cn=b,dc=x'])
  })

  test.each<[Record<string, string>, RegExp]>([
    [{ 'ldap.base': ' ' }, /needs ldap.base/],
    [{ 'ldap.startTLS': 'true' }, /encrypted from the start/],
    [{ 'ldap.bindDN': 'cn=x' }, /belong together/],
    [{ 'ldap.bindPassword': 'x' }, /belong together/],
    [{ 'ldap.bindPassword': 'x', 'ldap.bindPasswordFile': 'y' }, /not both/],
    [{ 'ldap.url': 'https://x' }, /expected ldaps:/],
    [{ 'ldap.url': 'ldap://user@x' }, /expected ldaps:/],
    [{ 'ldap.url': 'ldap://x/dc=y' }, /expected ldaps:/],
    [{ 'ldap.filter': '(uid=mona)' }, /{username} is missing/],
    [{ 'ldap.filter': 'uid={username}' }, /in parentheses/],
    [{ 'ldap.nameAttribute': 'uid)(x' }, /name of an attribute/],
    [{ 'ldap.allowedGroups': 'cn=staff,dc=example,dc=org' }, /double quotes/],
  ])('%j is refused', async (flags, text) => {
    await expect(async () => load({ flags: { ...base, ...flags } })).rejects.toThrow(text)
  })
})

describe('finished values', () => {
  test('the config is frozen', async () => {
    const { config } = await load({})
    expect(Object.isFrozen(config)).toBe(true)
  })

  test('paths are absolute', async () => {
    const { config } = await load({ flags: { root: 'files', log: 'x.log', cacheDir: 'c' } })
    expect(config).toMatchObject({
      root: join(folder, 'files'),
      log: join(folder, 'x.log'),
      cacheDir: join(folder, 'c'),
    })
  })

  test.each([
    ['/files/', '/files'],
    ['files', '/files'],
    ['/', ''],
    ['', ''],
  ])('base URL %j becomes %j', async (given, result) => {
    expect((await load({ flags: { baseURL: given } })).config.baseURL).toBe(result)
  })

  test('service names are ports, brackets around IPv6 are taken off', async () => {
    const { config } = await load({ flags: { port: 'http', address: '[::1]' } })
    expect(config).toMatchObject({ port: 80, address: '::1' })
  })

  test('no list of proxies differs from an empty one', async () => {
    expect((await load({})).config.trustedProxies).toBeNull()
    expect((await load({ flags: { trustedProxies: '' } })).config.trustedProxies).toEqual([])
    expect(
      (await load({ json: { trustedProxies: ['10.0.0.1', 'loopback'] } })).config.trustedProxies,
    ).toEqual(['10.0.0.1', '127.0.0.0/8', '::1/128'])
  })

  test('half a certificate serves plain HTTP as before, but says so', async () => {
    const { config, warnings } = await load({ flags: { cert: 'a.pem' } })
    expect(config).toMatchObject({ cert: '', key: '' })
    expect(warnings.join()).toContain('WITHOUT encryption')
  })

  test('certificate and key from any two sources make a pair', async () => {
    const { config } = await load({ flags: { cert: 'a.pem' }, env: { FB_KEY: '/b.pem' } })
    expect(config).toMatchObject({ cert: join(folder, 'a.pem'), key: '/b.pem' })
  })

  test('redisCacheUrl is accepted and called unneeded', async () => {
    const { warnings } = await load({ flags: { redisCacheUrl: 'redis://x' } })
    expect(warnings.join()).toContain('not needed')
  })
})

describe('socket or TCP', () => {
  test('both given for one run is an error that names both', async () => {
    await expect(load({ flags: { socket: '/s' }, env: { FB_PORT: '80' } })).rejects.toThrow(
      /--socket and FB_PORT exclude each other/,
    )
  })

  test('an empty socket key beside a port is no conflict', async () => {
    expect((await load({ json: { socket: '', port: 80 } })).config).toMatchObject({
      socket: '',
      port: 80,
    })
  })

  test('a stored socket counts unless TCP is asked for', async () => {
    expect((await load({ stored: { socket: '/s' } })).config.socket).toBe('/s')
    expect((await load({ stored: { socket: '/s' }, flags: { port: '80' } })).config.socket).toBe('')
  })
})

describe('configuration files', () => {
  const search = (explicit = '') => findConfigFile({ explicit, cwd: folder, home })

  test('a folder nobody may look into holds none', async () => {
    // As root nothing is forbidden, so a link that leads to itself stands in for /root.
    const closed = join(folder, 'closed')
    await symlink(closed, closed)
    expect(findConfigFile({ explicit: '', cwd: folder, home: closed })).toEqual({
      config: null,
      warning: '',
    })
  })

  test.each([
    ['.filebrowser.json', '{"port": 81}'],
    ['.filebrowser.toml', 'port = 81'],
    ['.filebrowser.yaml', 'port: 81\n'],
    ['.filebrowser.yml', 'port: "81"\n'],
    ['.filebrowser.env', 'PORT=81\n# comment\n'],
    ['.filebrowser.dotenv', 'PORT="81"\n'],
  ])('%s is read', async (name, text) => {
    await writeFile(join(folder, name), text)
    expect(String(search().config?.get('port'))).toBe('81')
  })

  test('the current folder comes before home, and json before yaml', async () => {
    await writeFile(join(home, '.filebrowser.json'), '{"port": 3}')
    expect(search().config?.get('port')).toBe(3)
    await writeFile(join(folder, '.filebrowser.yaml'), 'port: 2')
    expect(search().config?.get('port')).toBe(2)
    await writeFile(join(folder, '.filebrowser.json'), '{"port": 1}')
    expect(search().config?.get('port')).toBe(1)
  })

  test('roots are a map in a file, and a list of names and folders elsewhere', async () => {
    const roots = { photos: '/mnt/photos', docs: '/mnt/a, b' }
    expect((await load({ json: { roots } })).config.roots).toEqual(roots)
    const line = 'photos=/mnt/photos,"docs=/mnt/a, b"'
    expect((await load({ env: { FB_ROOTS: line } })).config.roots).toEqual(roots)
    for (const bad of ['photos', 'Photos=/a', 'a=/b,a=/c', `${'a'.repeat(33)}=/b`, 'a='])
      await expect(load({ env: { FB_ROOTS: bad } }), bad).rejects.toThrow('FB_ROOTS')
  })

  test('nested keys are reached with dots', async () => {
    await writeFile(join(folder, 'c.yaml'), 'defaults:\n  aceEditorTheme: nord\n')
    expect(search('c.yaml').config?.get('defaults.aceEditorTheme')).toBe('nord')
  })

  test('whole numbers of yaml are read as the original reads them: a leading 0 is octal', async () => {
    const lines = [
      'socketPerm: 0660',
      'a: 0o640',
      'b: 0',
      'c: 08',
      'd: 1_000',
      "e: '0660'",
      'f: -010',
    ]
    await writeFile(join(folder, 'c.yml'), lines.join('\n'))
    const { config } = search('c.yml')
    expect(config?.keys.map((key) => config.get(key))).toEqual([
      0o660,
      0o640,
      0,
      8,
      1000,
      '0660',
      -8,
    ])
  })

  test('a missing explicit file is a warning, not an error, as start scripts rely on it', () => {
    expect(search('nowhere.json')).toMatchObject({ config: null })
    expect(search('nowhere.json').warning).toContain('does not exist')
    expect(search('settings.JSON').warning).toContain('extension')
  })

  test.each([
    ['bad.json', '{"port": ', /cannot read .*bad\.json/],
    ['empty.json', '', /cannot read/],
    ['list.yaml', '- 1\n- 2\n', /expected keys and values/],
    ['old.ini', 'port=1', /\.ini files are not supported/],
    ['bad.toml', 'port = = 1', /cannot read/],
  ])('%s stops the start', async (name, text, error) => {
    await writeFile(join(folder, name), text)
    expect(() => search(name)).toThrow(error)
  })

  test('an empty yaml file is fine', async () => {
    await writeFile(join(folder, 'empty.yaml'), '')
    expect(search('empty.yaml').config?.keys).toEqual([])
  })

  test('a misspelt key is ignored and told, with the right spelling', async () => {
    const { warnings } = await load({ json: { 'cache-dir': '/c', prot: 1 } })
    expect(warnings.join('\n')).toContain('did you mean cacheDir?')
    expect(warnings.join('\n')).toContain('unknown key prot')
  })
})

test('the database path comes from flag, environment, file, default in that order', async () => {
  await writeFile(join(folder, 'c.json'), '{"database": "file.db"}')
  const { config: file } = findConfigFile({ explicit: 'c.json', cwd: folder, home })
  const flags = new Map([['database', { value: 'flag.db', text: 'flag.db' }]])
  const env = { FB_DATABASE: 'env.db' }
  expect(databasePathOf({ flags, env, file }, folder)).toBe(join(folder, 'flag.db'))
  expect(databasePathOf({ flags: new Map(), env, file }, folder)).toBe(join(folder, 'env.db'))
  expect(databasePathOf({ flags: new Map(), env: {}, file }, folder)).toBe(join(folder, 'file.db'))
  expect(databasePathOf({ flags: new Map(), env: {}, file: null }, folder)).toBe(
    join(folder, 'filebrowser.db'),
  )
})
