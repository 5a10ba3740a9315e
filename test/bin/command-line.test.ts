// The command line beside a running server: no lost update, seen within a second; signals.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { programCommand, runProgram, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

/** What the server promises for changes made by a command. */
const SEEN_MS = 1000
const PASSWORD = 'Battery-Staple-9-Horse'

/**
 * What a probe gives once it sees a change that was made just now. Whoever asks after SEEN_MS sees it;
 * a machine on which asking takes long may be late by as much.
 */
async function seen<T>(label: string, probe: () => T | Promise<T>): Promise<NonNullable<T>> {
  const changed = performance.now()
  let [asked, slowest] = [changed, 0]
  let missed = changed
  const found = await waitFor(label, async () => {
    missed = asked
    asked = performance.now()
    try {
      return await probe()
    } finally {
      slowest = Math.max(slowest, performance.now() - asked)
    }
  })
  expect(missed - changed, label).toBeLessThan(SEEN_MS + slowest)
  return found
}

test('the list of common passwords is at hand in the program', async () => {
  await using tree = await makeTree({})
  const args = ['-d', join(tree.base, 'fb.db')]
  const cli = (...words: string[]) => runProgram([...words, ...args], { cwd: tree.base })
  expect((await cli('config', 'init')).code).toBe(0)
  for (const easy of ['iloveyou1234', 'megaparol12345', 'qwertyuiop[]']) {
    const { code, stderr } = await cli('users', 'add', 'mona', easy)
    expect([code, stderr], easy).toEqual([1, expect.stringContaining('password is too easy')])
  }
  expect((await cli('users', 'add', 'mona', PASSWORD)).code).toBe(0)
})

describe('commands while the server runs', () => {
  test('are seen by it within a second, and it by them', async () => {
    await using tree = await makeTree({ 'a.txt': 'a' })
    await using program = await startProgram(tree)
    const { origin, database } = program
    const cli = (...args: string[]) => runProgram([...args, '-d', database], { cwd: tree.base })

    expect((await cli('users', 'add', 'mona', PASSWORD)).code).toBe(0)
    const signIn = (password: string) => loginAs(origin, 'mona', password)
    const mona = await seen('the sign-in of a new user', () => signIn(PASSWORD))

    expect((await cli('rules', 'add', '/a.txt')).code).toBe(0)
    const status = async () => (await mona.fetch('/api/resources/a.txt')).status
    await seen('the new rule', async () => (await status()) === 403)

    await cli('users', 'update', 'mona', '--password', 'Another-Password-5')
    await seen('the end of the session', async () => (await status()) === 401)

    await cli('users', 'rm', 'mona')
    const gone = () =>
      signIn('Another-Password-5').then(
        () => false,
        () => true,
      )
    await seen('the deletion', gone)
  })

  test('lose nothing when both write as fast as they can', async () => {
    await using tree = await makeTree({ 'a.txt': 'a' })
    await using program = await startProgram(tree)
    const { origin, database } = program
    const admin = await loginAs(origin)

    const fromCli = async (lane: number) => {
      for (let i = 0; i < 8; i++) {
        const args = ['rules', 'add', `/cli-${lane}-${i}`, '-d', database]
        const { code, stderr } = await runProgram(args, { cwd: tree.base })
        expect(code, stderr).toBe(0)
      }
    }
    const fromServer = async (lane: number) => {
      for (let i = 0; i < 60; i++) {
        const response = await admin.fetch('/api/share/a.txt', { method: 'POST', body: '{}' })
        expect(response.status, `share ${lane}-${i}`).toBe(200)
      }
    }
    await withDeadline(
      'both writers',
      60_000,
      Promise.all([fromCli(0), fromCli(1), fromServer(0), fromServer(1)]),
    )
    await program.stop()
    const { settings, shares, users } = JSON.parse(await readFile(database, 'utf8'))
    const rules = settings.rules.map(({ path }: { path: string }) => path)
    const wanted = [0, 1].flatMap((lane) =>
      Array.from({ length: 8 }, (_, i) => `/cli-${lane}-${i}`),
    )
    expect([...rules].sort()).toEqual(wanted.sort())
    expect(shares).toHaveLength(120)
    expect(users).toHaveLength(1)
  })
})

describe('signals', () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const) {
    test(`${signal} ends with 0`, async () => {
      await using tree = await makeTree({})
      await using program = await startProgram(tree)
      program.process.kill(signal)
      const [code] = await withDeadline('the end', 60_000, once(program.process, 'exit'))
      expect(code).toBe(0)
      expect(program.output()).toContain(`${signal}: stopping`)
    })
  }

  test('SIGHUP does not stop it', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    program.process.kill('SIGHUP')
    await waitFor('the log line', () => program.output().includes('SIGHUP'))
    expect((await fetch(`${program.origin}/health`)).status).toBe(200)
    expect(await program.stop()).toBe(0)
  })

  test('a second signal does not wait for running requests', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    const { token } = await loginAs(program.origin)
    // An upload that never ends keeps the server busy.
    const controller = new AbortController()
    const endless = new ReadableStream({
      start: (stream) => stream.enqueue(new Uint8Array(200_000)),
    })
    const upload = fetch(`${program.origin}/api/resources/x.bin`, {
      method: 'POST',
      headers: { 'X-Auth': token },
      body: endless,
      signal: controller.signal,
      duplex: 'half',
    } as RequestInit).catch(() => {})
    const partial = async () => (await readdir(tree.root)).length > 0
    await waitFor('the start of the upload', partial)
    program.process.kill('SIGTERM')
    await waitFor('the first', () => program.output().includes('SIGTERM: stopping'))
    program.process.kill('SIGTERM')
    const ended = withDeadline('the forced end', 60_000, once(program.process, 'exit'))
    // By itself it would end with 0.
    expect(await ended).toEqual([null, 'SIGTERM'])
    controller.abort()
    await upload
  })
})

describe('streams', () => {
  test('output goes to stdout, diagnostics to stderr, each with a time stamp', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'filebrowser-cli-'))
    try {
      const { code, stdout, stderr } = await runProgram(['config', 'init'], { cwd })
      expect(code).toBe(0)
      expect(stdout).toContain('Auth Method:')
      for (const line of stderr.trim().split('\n')) {
        expect(line).toMatch(
          /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d (No config file used|Using database: \/)/,
        )
      }
      const unknown = await runProgram(['--bogus'], { cwd })
      expect(unknown).toEqual({ code: 1, stdout: '', stderr: 'Error: unknown flag --bogus\n' })
    } finally {
      await rm(cwd, { recursive: true, force: true })
    }
  })

  test('a reader that goes away early is no failure', async () => {
    const [command, ...leading] = programCommand()
    const line = [command, ...leading].map((word) => `'${word}'`).join(' ')
    const child = spawn('sh', ['-c', `${line} --help | head -1; exit 0`], {
      env: { PATH: process.env.PATH },
    })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    await withDeadline('the pipe', 60_000, once(child, 'close'))
    expect(stderr).toBe('')
  })
})

test('the shells take the completion scripts', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'filebrowser-complete-'))
  try {
    const [command, ...leading] = programCommand()
    const script = `
      filebrowser() { '${[command, ...leading].join("' '")}' "$@"; }
      source <(filebrowser completion bash)
      COMP_WORDS=(filebrowser users "")
      COMP_CWORD=2
      _filebrowser_complete
      printf '%s\\n' "\${COMPREPLY[@]}"
      COMP_WORDS=(filebrowser config set --perm.ad)
      COMP_CWORD=3
      _filebrowser_complete
      printf '%s\\n' "\${COMPREPLY[@]}"
      COMP_WORDS=(filebrowser --logFormat = j)
      COMP_CWORD=3
      _filebrowser_complete
      printf '%s\\n' "\${COMPREPLY[@]}"
      COMP_WORDS=(filebrowser --root = ser)
      _filebrowser_complete
      printf '%s\\n' "\${COMPREPLY[@]}"
      COMP_WORDS=(filebrowser --root =)
      COMP_CWORD=2
      _filebrowser_complete
      printf '%s\\n' "\${COMPREPLY[@]}"
    `
    // The executable keeps its native parts at home: not in the folder whose names are offered.
    const env = { PATH: process.env.PATH, HOME: join(cwd, 'served') }
    await mkdir(env.HOME)
    const child = spawn('bash', ['-c', script], { cwd, env })
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    await withDeadline('bash', 60_000, once(child, 'close'))
    expect(out.trim().split('\n')).toEqual([
      'add',
      'export',
      'find',
      'import',
      'ls',
      'rm',
      'second-factor',
      'token',
      'update',
      '--perm.admin',
      'json',
      'served',
      'served',
    ])
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
})
