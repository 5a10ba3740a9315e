import { describe, expect, test } from 'vitest'
import type { Command, Flag } from '../../src/cli/command.ts'
import { closest, findCommand, parseArgs } from '../../src/cli/parse-args.ts'
import { integerBetween, parseBoolean } from '../../src/config/option-values.ts'

const flag = (name: string, extra: Partial<Flag> = {}): Flag => ({
  name,
  parse: (text) => text,
  default: '',
  help: name,
  ...extra,
})

const FLAGS: Flag[] = [
  flag('port', { short: 'p', value: 'PORT' }),
  flag('mode', { value: 'MODE', parse: integerBetween(0, 0o7777), deprecated: ['file-mode'] }),
  flag('signup', { short: 's', parse: parseBoolean }),
  flag('quiet', { short: 'q', parse: parseBoolean }),
  flag('commands', { value: 'LIST', list: true }),
  flag('secretWord', { value: 'SECRET', parse: integerBetween(1) }),
]

const parse = (...words: string[]) => {
  const { args, flags, help, deprecations } = parseArgs(words, FLAGS)
  return {
    args,
    help,
    deprecations,
    flags: Object.fromEntries([...flags].map(([k, v]) => [k, v.value])),
  }
}

describe('flags', () => {
  test.each([[['--port', '80']], [['--port=80']], [['-p', '80']], [['-p80']], [['-p=80']]])(
    '%j gives the value',
    (words) => {
      expect(parse(...words).flags).toEqual({ port: '80' })
    },
  )

  test('mix with arguments, until -- ends them', () => {
    expect(parse('a', '--port', '80', 'b', '--', '--port', '-x')).toMatchObject({
      args: ['a', 'b', '--port', '-x'],
      flags: { port: '80' },
    })
  })

  test('a lone dash is an argument', () => {
    expect(parse('-').args).toEqual(['-'])
  })

  test('a bare switch is true and never takes the next word', () => {
    expect(parse('--signup', 'false')).toMatchObject({ args: ['false'], flags: { signup: true } })
  })

  test.each(['0', 'f', 'F', 'false', 'FALSE', 'False'])('a switch takes =%s as false', (word) => {
    expect(parse(`--signup=${word}`).flags).toEqual({ signup: false })
  })

  test('switches bundle, and the last of a bundle may take a value', () => {
    expect(parse('-sqp80').flags).toEqual({ signup: true, quiet: true, port: '80' })
    expect(parse('-qs=false').flags).toEqual({ quiet: true, signup: false })
  })

  test('the last of repeated flags wins', () => {
    expect(parse('--port=1', '-p2').flags).toEqual({ port: '2' })
  })

  test('lists add up, and each occurrence is a line of CSV', () => {
    expect(parse('--commands', 'git,"a,b"', '--commands=svn').flags).toEqual({
      commands: ['git', 'a,b', 'svn'],
    })
    expect(parse('--commands=').flags).toEqual({ commands: [] })
  })

  test.each([
    ['0640', 0o640],
    ['0o640', 0o640],
    ['0x1F', 31],
    ['0b11', 3],
    ['640', 640],
    ['1_0', 10],
  ])('the number %s is %i', (text, value) => {
    expect(parse(`--mode=${text}`).flags).toEqual({ mode: value })
  })

  test('a value may begin with a dash', () => {
    expect(parse('--port', '-1').flags).toEqual({ port: '-1' })
  })

  test('old spellings work and are told', () => {
    expect(parse('--file-mode=0640')).toMatchObject({
      flags: { mode: 0o640 },
      deprecations: [{ old: 'file-mode', name: 'mode' }],
    })
  })

  test('help beats everything but unknown flags', () => {
    expect(parse('-h').help).toBe(true)
    expect(parse('--help', 'x', 'y').help).toBe(true)
    expect(parse('--help=false').help).toBe(false)
  })

  test.each<[string[], RegExp]>([
    [['--bogus'], /unknown flag --bogus/],
    [['--prot=1'], /unknown flag --prot; did you mean --port\?/],
    [['-sx'], /unknown flag -x in -sx/],
    [['--port'], /--port needs a value/],
    [['-p'], /-p needs a value/],
    [['--signup=yes'], /--signup: "yes" is not valid, expected true or false/],
    [['--mode=8x'], /--mode: "8x" is not valid, expected a whole number/],
    [['--mode=0o17777'], /must be 4095 or less/],
    [['--version'], /unknown flag --version/],
    [['-v'], /unknown flag -v/],
  ])('%j is refused by name', (words, text) => {
    expect(() => parse(...words)).toThrow(text)
  })

  test('the value of a secret flag is not repeated in the error', () => {
    expect(() => parse('--secretWord=hunter2')).toThrow(/^--secretWord: is not valid/)
  })
})

describe('finding the command', () => {
  const leaf = (name: string): Command => ({ name, summary: '', run: async () => 0 })
  const root: Command = {
    name: 'root',
    summary: '',
    flags: FLAGS,
    commands: [{ name: 'users', summary: '', commands: [leaf('add'), leaf('ls')] }],
  }
  const find = (...words: string[]) => {
    const { path, rest } = findCommand(root, words, [
      flag('database', { short: 'd', value: 'FILE' }),
    ])
    return [path.map(({ name }) => name).join(' '), rest.join(' ')]
  }

  test('names are found between flags and their values', () => {
    expect(find('-d', 'users', 'users', '-d=x', 'add', 'ls')).toEqual([
      'root users add',
      '-d users -d=x ls',
    ])
  })

  test('after the first argument no word is a command', () => {
    expect(find('users', 'bogus', 'add')).toEqual(['root users', 'bogus add'])
    expect(find('--', 'users')).toEqual(['root', '-- users'])
  })

  test('a bare switch takes no word with it', () => {
    expect(find('--signup', 'users', 'ls')).toEqual(['root users ls', '--signup'])
  })
})

test('near names are suggested: two edits or the same beginning', () => {
  expect(closest('confg', ['config', 'users'])).toEqual(['config'])
  expect(closest('us', ['config', 'users'])).toEqual(['users'])
  expect(closest('zebra', ['config', 'users'])).toEqual([])
})
