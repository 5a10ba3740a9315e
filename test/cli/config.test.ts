import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { writeExport } from '../../src/cli/commands/portable.ts'
import type { Document } from '../../src/store/document.ts'
import { runCli } from '../support/cli.ts'

const LEGACY = join(import.meta.dirname, '..', 'data', 'legacy')
let cwd: string

const cli = (...words: string[]) => runCli(words, { cwd })
const settings = async (): Promise<Document['settings']> =>
  JSON.parse(await readFile(join(cwd, 'filebrowser.db'), 'utf8')).settings

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-cfg-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

describe('config init', () => {
  test('stores the defaults, prints them, and makes no user', async () => {
    const { code, stdout, stderr } = await cli('config', 'init')
    expect(code).toBe(0)
    expect(stderr).toBe(`No config file used\nUsing database: ${join(cwd, 'filebrowser.db')}\n`)
    expect(stdout).toContain('\nSign up:                  false\n')
    expect(stdout).toContain('\nLogout Page:              \n')
    const doc: Document = JSON.parse(await readFile(join(cwd, 'filebrowser.db'), 'utf8'))
    expect(doc.users).toEqual([])
    expect(doc.settings).toMatchObject({
      fileMode: 0o640,
      dirMode: 0o750,
      minimumPasswordLength: 12,
    })
  })

  test('takes every flag of settings, server and defaults', async () => {
    const { code } = await cli(
      ...[
        'config',
        'init',
        '-s',
        '--hideLoginButton',
        '--createUserDir',
        '--minimumPasswordLength=9',
      ],
      ...[
        '--shell',
        ' /bin/sh -c ',
        '--fileMode=0o600',
        '--dirMode=0700',
        '--auth.logoutPage=/bye',
      ],
      ...['--recaptcha.key=k', '--recaptcha.secret=s', '--recaptcha.host=https://r'],
      ...[
        '--branding.name=N',
        '--branding.theme=dark',
        '--branding.color=#123456',
        '--branding.files=/b',
      ],
      ...['--branding.disableExternal', '--branding.disableUsedPercentage'],
      ...['--tus.chunkSize=1024', '--tus.retryCount=9', '-a', '0.0.0.0', '-p', '81', '-r', '/srv'],
      ...[
        '-b',
        '/fb',
        '-l',
        'stderr',
        '-t',
        '/c',
        '-k',
        '/k',
        '--socket=/s',
        '--tokenExpirationTime=5m',
      ],
      ...['--disableThumbnails', '--disablePreviewResize', '--disableExec=false'],
      ...[
        '--disableTypeDetectionByHeader',
        '--disableImageResolutionCalc',
        '--followExternalSymlinks',
      ],
      ...[
        '--perm.admin',
        '--perm.share=false',
        '--sorting.by=size',
        '--scope=/u',
        '--commands=git',
      ],
    )
    expect(code).toBe(0)
    expect(await settings()).toMatchObject({
      signup: true,
      hideLoginButton: true,
      createUserDir: true,
      minimumPasswordLength: 9,
      shell: ['/bin/sh', '-c'],
      fileMode: 0o600,
      dirMode: 0o700,
      logoutPage: '/bye',
      auther: { recaptcha: { host: 'https://r', key: 'k', secret: 's' } },
      branding: {
        name: 'N',
        theme: 'dark',
        color: '#123456',
        files: '/b',
        disableExternal: true,
        disableUsedPercentage: true,
      },
      tus: { chunkSize: 1024, retryCount: 9 },
      defaults: {
        perm: { admin: true, share: false },
        sorting: { by: 'size' },
        scope: '/u',
        commands: ['git'],
      },
      server: {
        address: '0.0.0.0',
        port: '81',
        root: '/srv',
        baseURL: '/fb',
        log: 'stderr',
        tlsCert: '/c',
        tlsKey: '/k',
        socket: '/s',
        tokenExpirationTime: '5m',
        enableThumbnails: false,
        resizePreview: false,
        enableExec: true,
        typeDetectionByHeader: false,
        imageResolutionCalculation: false,
        followExternalSymlinks: true,
      },
    })
  })

  test('environment and file choose the database only', async () => {
    await writeFile(join(cwd, '.filebrowser.json'), '{"port": 1, "database": "other.db"}')
    const { stderr } = await runCli(['config', 'init'], { cwd, env: { FB_ADDRESS: '9.9.9.9' } })
    expect(stderr).toContain(`Using config file: ${join(cwd, '.filebrowser.json')}`)
    const doc = JSON.parse(await readFile(join(cwd, 'other.db'), 'utf8'))
    expect(doc.settings.server).toMatchObject({ port: '8080', address: '127.0.0.1' })
  })

  test.each<[string[], RegExp]>([
    [['--viewMode=x'], /--viewMode/],
    [['--fileMode=rw'], /--fileMode: "rw"/],
    [['--auth.method=magic'], /invalid auth method/],
    [['--auth.method=proxy'], /--auth\.header is needed/],
    [['--auth.method=hook'], /--auth\.command is needed/],
    [['--tus.retryCount=70000'], /65535 or less/],
    [['stray'], /expected 0 argument/],
  ])('with %j fails and leaves no file behind', async (flags, text) => {
    const { code, stderr } = await cli('config', 'init', ...flags)
    expect(code).toBe(1)
    expect(stderr).toMatch(text)
    expect(await readdir(cwd)).toEqual([])
  })

  test('fails when there is a database', async () => {
    await cli('config', 'init')
    expect(await cli('config', 'init')).toMatchObject({ code: 1 })
  })
})

describe('config set', () => {
  beforeEach(() => cli('config', 'init', '--branding.name=First'))

  test('changes what is given only', async () => {
    const before = await settings()
    const { code, stdout } = await cli('config', 'set', '--branding.color=#abc')
    expect(code).toBe(0)
    expect(stdout).toMatch(/Color: +#abc\n/)
    expect(await settings()).toEqual({ ...before, branding: { ...before.branding, color: '#abc' } })
  })

  test('0 for password length and modes means the default, also when it is what is stored', async () => {
    const zero = ['minimumPasswordLength', 'fileMode', 'dirMode']
    const shown = /Length: +12\n[\s\S]*File Creation Mode: +0o640\n.*Mode: +0o750\n/
    const { stdout } = await cli('config', 'set', ...zero.map((name) => `--${name}=0`))
    expect(stdout).toMatch(shown)
    const file = join(cwd, 'filebrowser.db')
    const doc = JSON.parse(await readFile(file, 'utf8'))
    for (const name of zero) doc.settings[name] = 0
    await writeFile(file, JSON.stringify(doc))
    expect((await cli('config', 'cat')).stdout).toMatch(shown)
    expect((await cli('users', 'add', 'x', 'Elevenchars')).stderr).toContain('minimum length is 12')
    await cli('config', 'export', 'c.json')
    const exported = JSON.parse(await readFile(join(cwd, 'c.json'), 'utf8'))
    expect(exported.settings).toMatchObject({
      minimumPasswordLength: 12,
      fileMode: 0o640,
      dirMode: 0o750,
    })
  })

  test('--lockPassword is taken with a word that it does nothing', async () => {
    const before = await settings()
    const { code, stderr } = await cli('config', 'set', '--lockPassword')
    expect(code).toBe(0)
    expect(stderr).toContain('--lockPassword has no effect here')
    expect(await settings()).toEqual(before)
    expect((await cli('config', 'set', '--help')).stdout).toMatch(/--lockPassword +No effect/)
  })

  test('says that server options wait for the next start', async () => {
    expect((await cli('config', 'set', '-p', '81')).stderr).toContain('next start')
  })

  test('old spellings work with one notice each', async () => {
    const { stderr } = await cli(
      'config',
      'set',
      '--disable-exec=false',
      '--file-mode=0600',
      '--disable-exec=false',
    )
    expect((await settings()).server.enableExec).toBe(true)
    expect((await settings()).fileMode).toBe(0o600)
    expect(stderr.match(/use --disableExec/g)).toHaveLength(1)
  })

  test('keeps a custom reCAPTCHA host, and loses it only when the method is set anew', async () => {
    await cli(
      'config',
      'set',
      '--recaptcha.key=k',
      '--recaptcha.secret=s',
      '--recaptcha.host=https://r',
    )
    await cli('config', 'set', '--signup')
    expect((await settings()).auther.recaptcha).toEqual({
      host: 'https://r',
      key: 'k',
      secret: 's',
    })
    await cli('config', 'set', '--auth.method=json')
    expect((await settings()).auther.recaptcha).toBeNull()
  })

  test('a method keeps its option until another is given', async () => {
    await cli('config', 'set', '--auth.method=proxy', '--auth.header=X-User')
    await cli('config', 'set', '--signup')
    expect(await settings()).toMatchObject({ authMethod: 'proxy', auther: { header: 'X-User' } })
    expect((await cli('config', 'cat')).stdout).toContain('{\n  "header": "X-User"\n}\n\n')
    await cli('config', 'set', '--auth.method=hook', '--auth.command=/bin/check <x>')
    expect((await cli('config', 'cat')).stdout).toContain('"command": "/bin/check \\u003cx\\u003e"')
    await cli('config', 'set', '--auth.method=noauth')
    expect((await cli('config', 'cat')).stdout).toContain('(raw):\n\n{}\n\n')
  })
})

describe('config export and import', () => {
  test('writes the original’s files byte by byte, from the original’s database', async () => {
    for (const [command, base] of [
      ['config', 'config-export'],
      ['users', 'users-export'],
    ] as const) {
      for (const extension of ['json', 'yaml']) {
        const name = `${base}.${extension}`
        const args = [command, 'export', name, '-d', join(cwd, 'filebrowser.db')]
        await writeFile(join(cwd, 'filebrowser.db'), await readFile(join(LEGACY, 'filebrowser.db')))
        expect((await cli(...args)).code).toBe(0)
        const [ours, theirs] = await Promise.all([
          readFile(join(cwd, name), 'utf8'),
          readFile(join(LEGACY, name), 'utf8'),
        ])
        expect(withoutKey(ours), name).toBe(withoutKey(theirs))
      }
    }
    expect((await stat(join(cwd, 'config-export.json'))).mode & 0o777).toBe(0o600)
  })

  test('an export over a file that others may read is closed to them', async () => {
    await cli('config', 'init')
    for (const [command, name] of [
      ['config', 'c.json'],
      ['users', 'u.yaml'],
    ] as const) {
      await writeFile(join(cwd, name), 'something longer '.repeat(1000), { mode: 0o644 })
      expect((await cli(command, 'export', name)).code).toBe(0)
      expect((await stat(join(cwd, name))).mode & 0o777).toBe(0o600)
      expect(await readFile(join(cwd, name), 'utf8')).not.toContain('something longer')
    }
  })

  test('an export that fails leaves the one before, and nothing beside it', async () => {
    const file = join(cwd, 'c.json')
    await writeFile(file, 'the one before')
    const circle: { circle?: unknown } = {}
    circle.circle = circle
    await expect(writeExport(file, circle)).rejects.toThrow('circular')
    expect(await readFile(file, 'utf8')).toBe('the one before')
    await mkdir(join(cwd, 'd.json'))
    await expect(writeExport(join(cwd, 'd.json'), {})).rejects.toMatchObject({
      code: 'bad_request',
    })
    expect((await readdir(cwd)).sort()).toEqual(['c.json', 'd.json'])
  })

  test('an export is written through a link', async () => {
    await writeFile(join(cwd, 'real.json'), 'old')
    await symlink('real.json', join(cwd, 'link.json'))
    await writeExport(join(cwd, 'link.json'), { a: 1 })
    expect(JSON.parse(await readFile(join(cwd, 'real.json'), 'utf8'))).toEqual({ a: 1 })
    expect((await lstat(join(cwd, 'link.json'))).isSymbolicLink()).toBe(true)
  })

  test.each(['config-export.json', 'config-export.yaml'])(
    'reads %s of the original',
    async (name) => {
      const { code } = await cli('config', 'import', join(LEGACY, name))
      expect(code).toBe(0)
      const imported = await settings()
      const original = JSON.parse(await readFile(join(LEGACY, 'config-export.json'), 'utf8'))
      const { key, ...rest } = original.settings
      expect(imported).toMatchObject(rest)
      expect(imported.key).not.toBe(key)
      const { authHook: _, ...server } = original.server
      expect(imported.server).toEqual(server)
    },
  )

  test('reads modes that were written into an export as octal', async () => {
    const text = await readFile(join(LEGACY, 'config-export.yaml'), 'utf8')
    await writeFile(join(cwd, 'edited.yaml'), text.replace(/filemode: \d+/, 'filemode: 0640'))
    expect((await cli('config', 'import', 'edited.yaml')).code).toBe(0)
    expect((await settings()).fileMode).toBe(0o640)
  })

  test('keeps the key of an existing database', async () => {
    await cli('config', 'init')
    const { key } = await settings()
    await cli('config', 'import', join(LEGACY, 'config-export.json'))
    expect((await settings()).key).toBe(key)
    expect((await settings()).branding.name).toBe('Vault 1')
  })

  test('what we export for proxy and hook imports again', async () => {
    await cli('config', 'init', '--auth.method=hook', '--auth.command=/bin/check a')
    for (const name of ['c.json', 'c.yaml']) {
      await cli('config', 'export', name)
      await cli('config', 'set', '--auth.method=json')
      expect((await cli('config', 'import', name)).code).toBe(0)
      expect(await settings()).toMatchObject({
        authMethod: 'hook',
        auther: { command: '/bin/check a' },
      })
    }
    const yaml = parseYaml(await readFile(join(cwd, 'c.yaml'), 'utf8'))
    expect(yaml.auther).toHaveProperty('cred.username', '')
    expect(yaml.settings.key).toHaveLength(64)
  })

  test.each<[string, unknown, RegExp]>([
    ['no settings', { server: {} }, /has no settings/],
    ['no server', { settings: {} }, /has no server/],
    [
      'a proxy without header',
      { settings: { authMethod: 'proxy' }, server: {}, auther: null },
      /auther\.header/,
    ],
    ['an unknown method', { settings: { authMethod: 'x' }, server: {} }, /"x" is not known/],
    [
      'a wrong type',
      { settings: { authMethod: 'json', signup: 'yes' }, server: {} },
      /settings\.signup/,
    ],
  ])('%s is refused and nothing is changed', async (_, value, text) => {
    await cli('config', 'init')
    const before = await settings()
    await writeFile(join(cwd, 'c.json'), JSON.stringify(value))
    const { code, stderr } = await cli('config', 'import', 'c.json')
    expect(code).toBe(1)
    expect(stderr).toMatch(text)
    expect(await settings()).toEqual(before)
  })
})

// The one difference that must be: the signing key.
function withoutKey(text: string): string {
  return text.replace(/"key": "[^"]+"/, '"key": ""').replace(/key:\n( +- \d+\n)+/, 'key:\n')
}
