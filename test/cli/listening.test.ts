// Where the server listens, and the command that asks whether it does.
import { copyFile, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli } from '../support/cli.ts'
import { waitFor } from '../support/deadline.ts'
import { cwd, database, failed, freshFolders, health, serve, TLS } from '../support/serve.ts'

freshFolders()

describe('listening', () => {
  test('on the address and port given', async () => {
    const { cli, port } = await serve(['-a', '127.0.0.2'])
    expect((await health({ host: '127.0.0.2', port })).status).toBe(200)
    expect(cli.output().stdout).toContain(`Listening on 127.0.0.2:${port}\n`)
    await expect(health({ host: '127.0.0.1', port })).rejects.toThrow(/ECONNREFUSED/)
  })

  test('on all interfaces with an empty address, and on IPv6 in brackets', async () => {
    const all = await serve(['-a', ''])
    expect((await health({ host: '127.0.0.1', port: all.port })).status).toBe(200)
    const six = await serve(['-a', '[::1]', '-d', 'six.db'])
    expect(six.cli.output().stdout).toContain('Listening on [::1]:')
    expect((await health({ host: '::1', port: six.port })).status).toBe(200)
  })

  test('on a unix socket with the permissions given, removed at the end', async () => {
    const { stop, cli } = await serve(['--socket', 'fb.sock', '--socketPerm', '0640'])
    const socketPath = join(cwd, 'fb.sock')
    expect((await health({ socketPath })).status).toBe(200)
    expect((await stat(socketPath)).mode & 0o777).toBe(0o640)
    expect(cli.output().stdout).toContain(`Listening on ${socketPath}\n`)
    expect((await database()).settings.server.socket).toBe('')
    await stop()
    await expect(stat(socketPath)).rejects.toThrow(/ENOENT/)
  })

  test('a socket that all may open is told of where its proxy says who signs in', async () => {
    const words = ['config', 'init', '--auth.method=proxy', '--auth.header=X-User']
    expect((await runCli(words, { cwd })).code).toBe(0)
    const warned = async (more: string[]) => {
      const { cli, stop } = await serve(['--socket', 'fb.sock', ...more])
      await stop()
      return cli.output().stderr.includes('set --socketPerm 0660')
    }
    expect(await warned([])).toBe(true)
    expect(await warned(['--socketPerm', '0660'])).toBe(false)
    expect(await warned(['--trustedProxies='])).toBe(false)
  })

  test('a socket file that nobody listens on is replaced; a live one and a plain file are not', async () => {
    const socketPath = join(cwd, 'fb.sock')
    const old = createServer().listen(join(cwd, 'old.sock'))
    await waitFor('the old socket', () => old.listening)
    // Moved away, so that closing it leaves the file behind, as a crash does.
    await rename(join(cwd, 'old.sock'), socketPath)
    expect((await failed(['-r', 'srv', '--socket', socketPath])).stderr).toContain(
      'another program listens',
    )
    await new Promise((resolve) => old.close(resolve))
    await serve(['--socket', socketPath])
    expect((await health({ socketPath })).status).toBe(200)
    await writeFile(join(cwd, 'plain'), 'precious')
    expect((await failed(['-r', 'srv', '--socket', 'plain'])).stderr).toContain('not a socket')
    expect(await readFile(join(cwd, 'plain'), 'utf8')).toBe('precious')
  })

  test('with TLS, and with a renewed certificate after SIGHUP', async () => {
    await copyFile(join(TLS, 'first-cert.pem'), join(cwd, 'cert.pem'))
    await copyFile(join(TLS, 'first-key.pem'), join(cwd, 'key.pem'))
    const { origin, port, cli } = await serve(['-t', 'cert.pem', '-k', 'key.pem'])
    expect(origin).toMatch(/^https:/)
    const ask = () => health({ host: '127.0.0.1', port, rejectUnauthorized: false }, true)
    expect(await ask()).toEqual({ status: 200, subject: 'first.test.invalid' })

    await writeFile(join(cwd, 'cert.pem'), 'half written')
    cli.signal('reload', 'SIGHUP')
    await waitFor('the complaint', () => cli.output().stdout.includes('old certificate stays'))
    expect((await ask()).subject).toBe('first.test.invalid')

    await copyFile(join(TLS, 'second-cert.pem'), join(cwd, 'cert.pem'))
    await copyFile(join(TLS, 'second-key.pem'), join(cwd, 'key.pem'))
    cli.signal('reload', 'SIGHUP')
    await waitFor(
      'the new certificate',
      async () => (await ask()).subject === 'second.test.invalid',
    )
  })

  test('TLS below 1.2 is refused', async () => {
    const { port } = await serve([
      '-t',
      join(TLS, 'first-cert.pem'),
      '-k',
      join(TLS, 'first-key.pem'),
    ])
    const options = {
      host: '127.0.0.1',
      port,
      rejectUnauthorized: false,
      ciphers: 'DEFAULT@SECLEVEL=0',
    }
    await expect(
      health({ ...options, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }, true),
    ).rejects.toThrow()
    expect((await health({ ...options, maxVersion: 'TLSv1.2' }, true)).status).toBe(200)
  })

  test('a pair that does not belong together, or is missing, stops the start', async () => {
    const cert = join(TLS, 'first-cert.pem')
    const wrong = await failed([
      '-r',
      'srv',
      '-p',
      '0',
      '-t',
      cert,
      '-k',
      join(TLS, 'second-key.pem'),
    ])
    expect(wrong.stderr).toContain('no usable pair')
    const missing = await failed(['-r', 'srv', '-p', '0', '-t', cert, '-k', 'nowhere.pem'])
    expect(missing.stderr).toContain('cannot read')
  })

  test('--baseURL answers with and without the prefix', async () => {
    const { origin } = await serve(['-b', '/fb/'])
    expect(origin).toMatch(/\/fb$/)
    expect((await fetch(`${origin}/health`)).status).toBe(200)
    expect((await fetch(`${new URL(origin).origin}/health`)).status).toBe(200)
    const page = await (await fetch(`${origin}/`)).text()
    expect(page).toContain('"BaseURL":"/fb"')
  })
})

describe('healthcheck', () => {
  test('finds the server by its options, by environment and by socket', async () => {
    const { port, stop } = await serve(['-b', '/fb'])
    const env = { FB_PORT: String(port), FB_BASE_URL: '/fb' }
    expect(await runCli(['healthcheck'], { cwd, env })).toMatchObject({
      code: 0,
      stdout: 'healthy\n',
    })
    expect((await runCli(['healthcheck', '-p', String(port)], { cwd })).code).toBe(0)
    await stop()
    expect((await runCli(['healthcheck', '-p', String(port)], { cwd })).code).toBe(1)
    await serve(['--socket', 'fb.sock', '-d', 'other.db'])
    expect((await runCli(['healthcheck', '--socket', 'fb.sock'], { cwd })).code).toBe(0)
  })

  test('speaks TLS when the server does', async () => {
    const pair = ['-t', join(TLS, 'first-cert.pem'), '-k', join(TLS, 'first-key.pem')]
    const { port } = await serve(pair)
    expect((await runCli(['healthcheck', '-p', String(port), ...pair], { cwd })).code).toBe(0)
  })

  test('makes no database', async () => {
    expect((await runCli(['healthcheck', '-p', '9'], { cwd })).code).toBe(1)
    expect(await readdir(cwd)).toEqual(['srv'])
  })
})
