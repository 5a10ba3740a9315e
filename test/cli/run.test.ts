import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare } from 'bcrypt'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Command } from '../../src/cli/command.ts'
import { complete } from '../../src/cli/commands/completion.ts'
import { commandTree } from '../../src/cli/commands.ts'
import { runCli } from '../support/cli.ts'

const SAMPLE = join(import.meta.dirname, '..', 'data', 'legacy', 'filebrowser.db')
let cwd: string
const cli = (...words: string[]) => runCli(words, { cwd })

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-run-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

function allPaths(command: Command, path: string[] = []): [string[], Command][] {
  const children = command.commands ?? []
  return [
    [path, command] as [string[], Command],
    ...children.flatMap((child) => allPaths(child, [...path, child.name])),
  ]
}

const ALL = allPaths(commandTree()).filter(([, { raw }]) => !raw)

describe('help', () => {
  test.each(ALL.map(([path]) => path.join(' ')))(
    'of "%s" goes to stdout and ends with 0',
    async (path) => {
      const words = path === '' ? [] : path.split(' ')
      for (const flag of ['-h', '--help']) {
        const { code, stdout, stderr } = await cli(...words, flag, 'any', 'arguments', 'at', 'all')
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
        expect(stdout).toContain('Usage:\n')
        expect(stdout).toContain('--database FILE')
      }
    },
  )

  test('names every flag with its text, and every option with its environment name', async () => {
    for (const [path, command] of ALL) {
      const text = (await cli(...path, '--help')).stdout.replace(/\s+/g, ' ')
      for (const flag of command.flags ?? []) {
        expect(text, `${path.join(' ')} --${flag.name}`).toContain(`--${flag.name}`)
        expect(text, `${path.join(' ')} --${flag.name}`).toContain(flag.help.replace(/\s+/g, ' '))
        if (flag.env) expect(text).toContain(`env ${flag.env[0]}`)
      }
    }
  })

  test('no line is wider than a terminal of 100 columns', async () => {
    for (const [path] of ALL) {
      const { stdout } = await cli(...path, '--help')
      const wide = stdout
        .split('\n')
        .filter((line) => line.length > 100 && !line.includes('filebrowser '))
      expect(wide).toEqual([])
    }
  })

  test('help <command> is the same, and an unknown one shows the root usage on stderr', async () => {
    expect((await cli('help', 'users', 'add')).stdout).toBe(
      (await cli('users', 'add', '-h')).stdout,
    )
    const unknown = await cli('help', 'nonsense')
    expect(unknown).toMatchObject({ code: 0, stdout: '' })
    expect(unknown.stderr).toContain('no command "nonsense"')
  })

  test.each(['config', 'users', 'rules', 'cmds', 'completion'])(
    '%s alone prints its help',
    async (group) => {
      const { code, stdout } = await cli(group)
      expect(code).toBe(0)
      expect(stdout).toBe((await cli(group, 'bogus')).stdout)
      expect(stdout).toContain('Commands:')
    },
  )
})

describe('errors', () => {
  test('an unknown word is refused with a suggestion', async () => {
    const { code, stdout, stderr } = await cli('user')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('Error: unknown command "user"')
    expect(stderr).toContain('  users\n')
    expect(stderr).toContain('--help')
  })

  test('--disableExec false leaves a stray word, as in the original', async () => {
    expect((await cli('--disableExec', 'false')).stderr).toContain('unknown command "false"')
  })

  test('arguments are checked before the database is touched', async () => {
    for (const words of [
      ['users', 'add', 'x'],
      ['users', 'ls', 'x'],
      ['config', 'export', 'x.txt'],
      ['users', 'import', 'x.toml'],
      ['rules', 'rm', 'x'],
      ['cmds', 'rm', 'after_save', 'x'],
      ['hash'],
    ]) {
      const { code, stdout, stderr } = await cli(...words)
      expect({ code, stdout }, words.join(' ')).toEqual({ code: 1, stdout: '' })
      expect(stderr.split('\n')).toHaveLength(2)
      expect(stderr).toMatch(/^Error: /)
    }
    expect(await readdir(cwd)).toEqual([])
  })

  test('commands that need a database say so and make none', async () => {
    for (const words of [
      ['config', 'cat'],
      ['config', 'set'],
      ['config', 'export', 'x.json'],
      ['users', 'ls'],
      ['users', 'find', '1'],
      ['users', 'rm', '1'],
      ['users', 'export', 'x.json'],
      ['rules', 'ls'],
      ['rules', 'add', '/x'],
      ['cmds', 'ls'],
    ]) {
      const { code, stderr } = await cli(...words)
      expect(code, words.join(' ')).toBe(1)
      expect(stderr).toContain('there is no database at')
    }
    expect(await readdir(cwd)).toEqual([])
  })
})

describe('small commands', () => {
  test('version is one line, and takes anything', async () => {
    const { code, stdout } = await cli('version', 'extra', 'words')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^File Browser v\d+\.\d+\.\d+\/\S+\n$/)
  })

  test('hash prints a bcrypt hash of cost 10 that fits the password', async () => {
    const { code, stdout } = await cli('hash', 'some words')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\$2a\$10\$[./A-Za-z0-9]{53}\n$/)
    expect(await compare('some words', stdout.trim())).toBe(true)
    expect((await cli('hash', 'x'.repeat(73))).stderr).toContain(
      'bcrypt: password length exceeds 72 bytes',
    )
  })

  test('docs writes a page per command', async () => {
    const { stdout } = await cli('docs', '--out', 'pages')
    const files = await readdir(join(cwd, 'pages'))
    expect(stdout.trim().split('\n')).toHaveLength(files.length)
    expect(files).toContain('filebrowser-users-add.md')
    expect(await readFile(join(cwd, 'pages', 'filebrowser.md'), 'utf8')).toContain(
      '# filebrowser\n',
    )
  })
})

describe('import', () => {
  test('--dry-run reports and writes nothing', async () => {
    const { code, stdout } = await cli('import', SAMPLE, '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toContain('4 (admin, user0, user1, user2)')
    expect(stdout).toContain('Nothing was written')
    expect(await readdir(cwd)).toEqual([])
  })

  test('writes beside the old file, where the server will look, once', async () => {
    await mkdir(join(cwd, 'etc'))
    const old = join(cwd, 'etc', 'old.db')
    await copyFile(SAMPLE, old)
    const { code, stdout, stderr } = await cli('import', 'etc/old.db')
    expect(code).toBe(0)
    expect(stdout).toContain(`Written to ${old}.json; ${old} stays as it is\n`)
    expect(stderr).toContain(`Using database: ${old}\n`)
    expect(await readdir(cwd)).toEqual(['etc'])
    expect(await readdir(join(cwd, 'etc'))).toEqual(['old.db', 'old.db.json'])
    expect((await cli('users', 'ls', '-d', old)).stdout).toContain('user2')
    expect((await cli('import', 'etc/old.db')).stderr).toContain('exists and is left as it is')
  })

  test('does not begin anew beside the copy of a database that was lost', async () => {
    await copyFile(SAMPLE, join(cwd, 'old.db'))
    await writeFile(join(cwd, 'old.db.json.bak'), '{"version": 1}')
    const { code, stderr } = await cli('import', 'old.db')
    expect(code).toBe(1)
    expect(stderr).toContain(`move ${join(cwd, 'old.db.json.bak')} away`)
    expect(await readdir(cwd)).toEqual(['old.db', 'old.db.json.bak'])
  })

  test.each<[string, string[], Record<string, string>]>([
    ['a flag', ['-d', 'new.db'], {}],
    ['the environment', [], { FB_DATABASE: 'new.db' }],
    ['the configuration file', ['-c', 'fb.json'], {}],
  ])('writes to the database that %s names', async (_, words, env) => {
    await writeFile(join(cwd, 'fb.json'), '{"database": "new.db"}')
    expect((await runCli(['import', SAMPLE, ...words], { cwd, env })).code).toBe(0)
    expect(await readdir(cwd)).toEqual(['fb.json', 'new.db'])
    expect((await cli('users', 'ls', '-d', 'new.db')).stdout).toContain('user2')
  })

  test.each<[string, RegExp]>([
    ['nowhere.db', /does not exist/],
    ['..', /holds a folder/],
  ])('%s is refused', async (name, text) => {
    expect((await cli('import', name)).stderr).toMatch(text)
  })

  test('every command imports by itself when the path holds an old database', async () => {
    await copyFile(SAMPLE, join(cwd, 'filebrowser.db'))
    const { stdout, stderr } = await cli('users', 'ls')
    expect(stdout).toContain('user1')
    expect(stderr).toContain('4 (admin, user0, user1, user2)')
    expect((await cli('config', 'cat')).stdout).toMatch(/Name: +Vault 1/)
  })
})

describe('completion', () => {
  const words = (...line: string[]) =>
    complete(commandTree(), line).candidates.map(([word]) => word)

  test('offers commands, subcommands and flags', () => {
    expect(words('')).toContain('users')
    expect(words('')).not.toContain('__complete')
    expect(words('')).not.toContain('docs')
    expect(words('us')).toEqual(['users'])
    expect(words('users', 'a')).toEqual(['add'])
    expect(words('users', 'add', 'x', 'y', '--perm.d')).toEqual([
      '--perm.delete',
      '--perm.download',
    ])
    expect(words('-d', 'users', 'con')).toEqual(['config'])
  })

  test('offers values where they are known, else files', () => {
    expect(words('--logFormat', '')).toEqual(['json', 'text'])
    expect(words('cmds', 'add', 'before_c')).toEqual(['before_copy'])
    expect(complete(commandTree(), ['-r', ''])).toEqual({ candidates: [], directive: 0 })
    expect(complete(commandTree(), ['config', 'import', '']).directive).toBe(0)
    expect(complete(commandTree(), ['users', 'find', '']).directive).toBe(4)
  })

  test('offers values behind "=", too, else files', () => {
    expect(words('--logFormat=')).toEqual(['--logFormat=json', '--logFormat=text'])
    expect(words('config', 'set', '--signup=f')).toEqual(['--signup=false'])
    expect(complete(commandTree(), ['--root=/sr'])).toEqual({ candidates: [], directive: 0 })
    expect(complete(commandTree(), ['--bogus=']).directive).toBe(4)
  })

  test('takes the quotes of PowerShell for an empty word', () => {
    expect(words('users', '""')).toEqual(words('users', ''))
    expect(words('--logFormat', '""')).toEqual(['json', 'text'])
  })

  test('the hidden commands print candidates and the directive', async () => {
    const full = await cli('__complete', 'users', 'l')
    expect(full.stdout).toBe('ls\tList all accounts\n:4\n')
    expect(full.stderr).not.toBe('')
    expect((await cli('__completeNoDesc', 'users', 'l')).stdout).toBe('ls\n:4\n')
    expect((await cli('__complete', 'users', 'add', '--perm.adm')).stdout).toContain(
      '--perm.admin\t',
    )
  })

  test('each shell gets a script that asks the hidden command', async () => {
    for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
      const { code, stdout } = await cli('completion', shell)
      expect(code).toBe(0)
      expect(stdout).toContain('__complete ')
      expect((await cli('completion', shell, '--no-descriptions')).stdout).toContain(
        '__completeNoDesc ',
      )
    }
  })
})
