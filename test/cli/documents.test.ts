// What the documents and the example say about options is what the program knows.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SETTINGS_FLAGS, USER_FLAGS } from '../../src/cli/flags.ts'
import { buildConfig, collectOverrides } from '../../src/config/config.ts'
import { findConfigFile } from '../../src/config/config-file.ts'
import { envNamesOf, OPTION_KEYS, optionOf } from '../../src/config/options.ts'
import { createLogger } from '../../src/lib/log.ts'
import { defaultServerOptions } from '../../src/store/document.ts'

const ROOT = join(import.meta.dirname, '..', '..')
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'filebrowser-docs-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('docs/cli.md names every flag with its text, default and environment name', async () => {
  const text = await readFile(join(ROOT, 'docs', 'cli.md'), 'utf8')
  for (const key of OPTION_KEYS) {
    const row = text.split('\n').find((line) => line.startsWith(`| \`--${key}\``)) ?? ''
    expect(row, key).toContain(optionOf(key).help)
    expect(row, key).toContain(envNamesOf(key)[0])
    // As a cell of a table.
    const byDefault = optionOf(key).default.replaceAll('|', '\\|')
    if (byDefault !== '') expect(row, key).toContain(`\`${byDefault}\``)
  }
  for (const flag of [...SETTINGS_FLAGS, ...USER_FLAGS]) {
    const rows = text.split('\n').filter((line) => line.startsWith(`| \`--${flag.name}\``))
    expect(rows.join('\n'), flag.name).toContain(flag.help)
  }
})

test('filebrowser.json.example has every key, and is a configuration that works as it is', async () => {
  const explicit = join(ROOT, 'filebrowser.json.example')
  const { config: file } = findConfigFile({ explicit, cwd: folder, home: '' })
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const overrides = collectOverrides({ flags: new Map(), env: {}, file }, warn)
  expect(Object.keys(overrides).sort()).toEqual([...OPTION_KEYS].sort())
  const stored = defaultServerOptions()
  const context = { stored, database: '/x.db', cwd: folder, warn }
  const config = buildConfig({ ...context, overrides })
  expect(warnings).toEqual([])
  // It shows the defaults, apart from the proxy on the same machine and the address of the help.
  const plain = buildConfig({ ...context, overrides: {} })
  expect({ ...config, trustedProxies: null, helpURL: '' }).toEqual({ ...plain, helpURL: '' })
})

test('docs/dependencies.md names every package that is shipped or builds what is', async () => {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const text = await readFile(join(ROOT, 'docs', 'dependencies.md'), 'utf8')
  const rows = text.split('\n').map((line) => line.split('|')[1] ?? '')
  const missing = Object.keys(manifest.dependencies).filter(
    (name) => !rows.some((row) => ` ${row} `.includes(` ${name} `) || row.includes(`${name},`)),
  )
  expect(missing).toEqual([])
  expect(rows.join()).toContain('@tanstack/react-virtual')
})

test('the proxies of docs/deploy.md that would change the Host header keep it, with its port', async () => {
  const text = await readFile(join(ROOT, 'docs', 'deploy.md'), 'utf8')
  expect(/```nginx\n(.*?)```/s.exec(text)?.[1]).toMatch(/^ +proxy_set_header Host \$http_host;/m)
  expect(/```apache\n(.*?)```/s.exec(text)?.[1]).toMatch(/^ +ProxyPreserveHost On$/m)
})

test('the fail2ban recipe of docs/deploy.md matches refused sign-ins and nothing forged', async () => {
  const text = await readFile(join(ROOT, 'docs', 'deploy.md'), 'utf8')
  const recipe = /^failregex = (.+)$/m.exec(text)?.[1] ?? ''
  // fail2ban takes the time stamp out first.
  const banned = new RegExp(recipe.replace('<HOST>', '(?<host>[\\da-f.:]+)'))
  const hostOf = (path: string, status: number, error?: string) => {
    const lines: string[] = []
    const logger = createLogger({ write: (line) => void lines.push(line) })
    logger.request({ path, status, address: '203.0.113.9', ...(error && { error }) })
    return banned.exec((lines[0] ?? '').trimEnd().replace(/^\d{4}(\/\d\d){2} \d\d(:\d\d){2}/, ''))
      ?.groups?.host
  }
  expect(hostOf('/api/login', 403)).toBe('203.0.113.9')
  expect(hostOf('/api/login', 403, 'wrong password')).toBe('203.0.113.9')
  expect(hostOf('/api/login', 200)).toBeUndefined()
  expect(hostOf('/api/resources/ /api/login: 403 198.51.100.7 <nil>', 404)).toBeUndefined()
  expect(hostOf('/x', 404, '/api/login: 403 198.51.100.7 <nil>')).toBeUndefined()
})
