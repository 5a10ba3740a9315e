import { describe, expect, it } from 'vitest'
import { createClients } from '../../src/auth/clients.ts'
import { buildConfig, type Config } from '../../src/config/config.ts'
import { defaultServerOptions } from '../../src/store/document.ts'
import { incomingOf } from '../support/incoming.ts'

const BASE = buildConfig({
  overrides: {},
  stored: defaultServerOptions(),
  database: '/nowhere/filebrowser.db',
  cwd: '/nowhere',
  warn: () => {},
})
const LOG = { info: () => {}, warn: () => {}, error: () => {}, request: () => {} }

/** The address of a request from this machine, with these headers. */
async function originOf(headers: Record<string, string>, config: Partial<Config> = {}) {
  const incoming = await incomingOf('/', { headers })
  return createClients({ ...BASE, ...config }, LOG).originOf(incoming)
}

describe('the address that people have opened', () => {
  it('is that of the request', async () => {
    expect(await originOf({ host: 'files.lan:8080' })).toBe('http://files.lan:8080')
    expect(await originOf({ host: '[::1]:8080' })).toBe('http://[::1]:8080')
  })

  it('is the one that a believed proxy forwards', async () => {
    const headers = {
      host: '127.0.0.1:8080',
      'x-forwarded-host': 'Files.Example.org',
      'x-forwarded-proto': 'https',
    }
    expect(await originOf(headers)).toBe('https://files.example.org')
    expect(await originOf(headers, { trustedProxies: ['10.0.0.1'] })).toBe('http://127.0.0.1:8080')
  })

  it('is the one that is configured, whatever a request says', async () => {
    const config = { externalURL: 'https://files.example.org' }
    expect(await originOf({ host: 'evil.example' }, config)).toBe('https://files.example.org')
  })

  it('is none where the request names no host', async () => {
    for (const host of ['', 'a b', 'name@evil.example', 'evil.example/path', 'x:99999'])
      expect(await originOf({ host })).toBeNull()
  })
})
