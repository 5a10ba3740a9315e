// The black-box suite, which lives outside of this repository, on a server with all of signing in switched on, and on one with groups and records.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/build/paths.ts'
import { programCommand } from '../support/program.ts'
import { BASE, startSlapd } from '../support/slapd.ts'

const SUITE = resolve(process.env.CONFORMANCE ?? join(ROOT, '../shared/conformance/run.mjs'))

it.skipIf(!existsSync(SUITE))(
  'answers as plainly with a dead provider, a directory, second factors and tokens',
  async () => {
    await using slapd = await startSlapd()
    const printed = await runSuite('with-a-token.sh', ['--extra-keys'], {
      FB_OIDC_ISSUER: 'http://127.0.0.1:9',
      FB_OIDC_CLIENT_ID: 'files',
      FB_OIDC_CREATE: 'true',
      FB_OIDC_ALLOWED_GROUPS: 'staff',
      FB_OIDC_ADMIN_GROUP: 'admins',
      FB_LDAP_URL: slapd.url,
      FB_LDAP_BASE: BASE,
    })
    expect(printed).toMatch(/^\d{3,} passed, 0 failed, \d+ skipped\n$/)
  },
)

it.skipIf(!existsSync(SUITE))(
  'answers key by key the same with groups and records of folders that concern other people',
  async () => {
    const plain = await runSuite('as-it-is.sh')
    expect(plain).toMatch(/^\d{3,} passed, \d+ failed, \d+ skipped$/m)
    expect(await runSuite('with-records.sh')).toBe(plain)
  },
)

it.skipIf(!existsSync(SUITE))(
  'answers clients of the original the same, but for rights in folders, where records speak of everybody',
  async () => {
    const printed = await runSuite('speak-of-all.sh', ['--extra-keys'])
    expect(linesOf(printed, /^FAIL/).filter((line) => !BY_DESIGN.test(line))).toEqual([])
    expect(printed).toMatch(/^9\d\d passed/m)
  },
)

it.skipIf(!existsSync(SUITE))(
  'answers the same where records take what switches do, but that to copy is to download',
  async () => {
    const printed = await runSuite('as-it-is.sh', [
      '--extra-keys',
      '--scenarios',
      join(import.meta.dirname, 'by-records'),
    ])
    expect(linesOf(printed, /^FAIL/).filter((line) => !BY_DESIGN.test(line))).toEqual([])
    expect(printed).toMatch(/^40 passed, 3 failed, 0 skipped$/m)
  },
)

/** To copy is to download, and tokens are to be renewed when rights have changed right after the sign-in. */
const BY_DESIGN = /\] (copy|copy with override|what is left on disk): .*nodownload|x-renew-token/

const linesOf = (text: string, pattern: RegExp) =>
  text.split('\n').filter((line) => pattern.test(line))

/** What the suite prints; `script` is one here that starts the server. */
async function runSuite(
  script: string,
  words: string[] = [],
  env: Record<string, string> = {},
): Promise<string> {
  const settings = Object.entries({ PROGRAM: programCommand().join(' '), ...env })
  const options = settings.flatMap((pair) => ['--env', pair.join('=')])
  const bin = ['--bin', join(import.meta.dirname, script)]
  const child = spawn(process.execPath, [SUITE, ...words, ...bin, ...options], {
    env: { ...process.env, SUITE: dirname(SUITE) },
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  await once(child, 'close')
  return printed
}
