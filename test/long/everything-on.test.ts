// The black-box suite, which lives outside of this repository, on a server with all of signing in switched on.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/build/paths.ts'
import { programCommand } from '../support/program.ts'
import { BASE, startSlapd } from '../support/slapd.ts'

const SUITE = resolve(process.env.CONFORMANCE ?? join(ROOT, '../shared/conformance/run.mjs'))

it.skipIf(!existsSync(SUITE))(
  'answers as plainly with a dead provider, a directory, second factors and tokens',
  async () => {
    await using slapd = await startSlapd()
    const settings = {
      PROGRAM: programCommand().join(' '),
      FB_OIDC_ISSUER: 'http://127.0.0.1:9',
      FB_OIDC_CLIENT_ID: 'files',
      FB_OIDC_CREATE: 'true',
      FB_OIDC_ALLOWED_GROUPS: 'staff',
      FB_OIDC_ADMIN_GROUP: 'admins',
      FB_LDAP_URL: slapd.url,
      FB_LDAP_BASE: BASE,
    }
    const words = ['--extra-keys', '--bin', join(import.meta.dirname, 'with-a-token.sh')]
    const options = Object.entries(settings).flatMap((pair) => ['--env', pair.join('=')])
    const child = spawn(process.execPath, [SUITE, ...words, ...options])
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk
    })
    await once(child, 'close')
    expect(printed).toMatch(/^\d{3,} passed, 0 failed, \d+ skipped\n$/)
  },
)
