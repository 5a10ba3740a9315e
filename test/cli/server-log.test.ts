// What the server writes to its log, and where.
import { readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { cwd, freshFolders, login, PASSWORD, serve } from '../support/serve.ts'

freshFolders()

describe('logging', () => {
  test('a refused sign-in prints the line that fail2ban reads', async () => {
    const { origin, cli } = await serve()
    await login(origin, 'wrong')
    await waitFor('the line', () =>
      /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \/api\/login: 403 127\.0\.0\.1 <nil>$/m.test(
        cli.output().stdout,
      ),
    )
  })

  test('successful requests are not logged', async () => {
    const { origin, cli, stop } = await serve()
    await fetch(`${origin}/health`)
    await stop()
    expect(cli.output().stdout.match(/health/)).toBeNull()
  })

  test('--log stderr, an empty target, and a file that is reopened on SIGHUP', async () => {
    const err = await serve(['-l', 'stderr'])
    expect(err.cli.output()).toMatchObject({ stdout: '' })
    expect(err.cli.output().stderr).toContain('Listening on')
    await err.stop()
    const none = await serve(['-l', ''])
    expect(`${none.cli.output().stdout}${none.cli.output().stderr}`).not.toContain('Listening on')
    await none.stop()

    const file = join(cwd, 'logs', 'fb.log')
    const { cli, origin } = await serve(['-l', 'logs/fb.log'])
    await waitFor('the log file', async () =>
      (await readFile(file, 'utf8')).includes('Listening on'),
    )
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await rename(file, `${file}.1`)
    cli.signal('reload', 'SIGHUP')
    await waitFor('the new file', () => stat(file))
    await login(origin, 'wrong')
    await waitFor('the line', async () =>
      (await readFile(file, 'utf8')).includes('/api/login: 403'),
    )
  })

  test('--logFormat json gives one object per line', async () => {
    const { cli, origin } = await serve(['--logFormat', 'json'])
    await login(origin, 'wrong')
    await waitFor('the line', () => cli.output().stdout.includes('/api/login'))
    const lines = cli
      .output()
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toContainEqual(
      expect.objectContaining({ path: '/api/login', status: 403, address: '127.0.0.1' }),
    )
    expect(Date.parse(lines[0].time)).toBeGreaterThan(0)
  })

  test('a line break in an address cannot forge a line, and secrets do not appear', async () => {
    const { cli, origin, stop } = await serve(['--password', PASSWORD])
    await fetch(`${origin}/api/resources/x%0A2026%2F01%2F01%20forged?auth=SECRET-IN-QUERY`)
    await login(origin, 'SECRET-PASSWORD')
    await stop()
    const all = cli.output().stdout + cli.output().stderr
    expect(all.split('\n').filter((line) => line.includes('forged')).length).toBeLessThanOrEqual(1)
    expect(all.split('\n').some((line) => line.startsWith('2026/01/01 forged'))).toBe(false)
    for (const secret of ['SECRET-IN-QUERY', 'SECRET-PASSWORD', PASSWORD])
      expect(all).not.toContain(secret)
  })
})
