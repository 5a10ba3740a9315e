import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCli } from '../support/cli.ts'

let cwd: string
const cli = (...words: string[]) => runCli(words, { cwd })

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-rules-'))
  await cli('config', 'init', '--root', cwd)
  await cli('users', 'add', 'mona', 'Correct-Horse-9-Battery')
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

describe('rules', () => {
  test('are listed as scripts know them', async () => {
    await cli('rules', 'add', '/private')
    await cli('rules', 'add', '/private/open', '-a')
    const { stdout } = await cli('rules', 'add', '-r', '(?i)\\.key$')
    expect(stdout).toBe(
      'Global Rules:\n\n(0) Disallow Path: \t/private\n(1) Allow Path: \t/private/open\n' +
        '(2) Disallow Regex: \t(?i)\\.key$\n',
    )
    expect((await cli('rules', 'ls')).stdout).toBe(stdout)
  })

  test('of one user are apart from those for all; the id wins over the name', async () => {
    expect((await cli('rules', 'add', '/x', '-u', 'mona')).stdout).toBe(
      'Rules for user mona:\n\n(0) Disallow Path: \t/x\n',
    )
    expect((await cli('rules', 'ls', '-i', '1', '-u', 'nobody')).stdout).toBe(
      'Rules for user 1:\n\n(0) Disallow Path: \t/x\n',
    )
    expect((await cli('rules', 'ls')).stdout).toBe('Global Rules:\n\n')
    expect((await cli('rules', 'ls', '-u', 'nobody')).stderr).toContain(
      'the resource does not exist',
    )
  })

  test('rm takes a range, with or without the old --index', async () => {
    for (const path of ['/a', '/b', '/c', '/d', '/e']) await cli('rules', 'add', path)
    expect((await cli('rules', 'rm', '1', '2', '--index=7')).stdout).not.toMatch(/\/b|\/c/)
    expect((await cli('rules', 'rm', '2')).stdout).not.toContain('/e')
    expect((await cli('rules', 'rm', '--index', '0')).stdout).toBe(
      'Global Rules:\n\n(0) Disallow Path: \t/d\n',
    )
  })

  test.each<[string[], RegExp]>([
    [['rm', '0'], /there is no index 0: the list is empty/],
    [['rm'], /say which rule/],
    [['rm', 'x'], /"x" is no index/],
    [['rm', '1', '2', '3'], /expected 0 to 2/],
    [['add', '-r', '(unclosed'], /rule 1/],
    [['add'], /expected 1 argument/],
  ])('%j is an error, not a crash', async (args, text) => {
    const { code, stderr } = await cli('rules', ...args)
    expect(code).toBe(1)
    expect(stderr).toMatch(text)
  })

  test('an end before the start and a negative index are refused', async () => {
    await cli('rules', 'add', '/a')
    await cli('rules', 'add', '/b')
    expect((await cli('rules', 'rm', '1', '0')).stderr).toContain('smaller than')
    expect((await cli('rules', 'rm', '--', '-1')).stderr).toContain('there is no index -1')
    expect((await cli('rules', 'ls')).stdout).toContain('(1)')
  })
})

describe('cmds', () => {
  test('join their words, and ls -e shows one event', async () => {
    const { stdout } = await cli('cmds', 'add', 'before_copy', 'echo', 'a  b', '$FILE')
    expect(stdout).toBe('before_copy(0): echo a  b $FILE\n')
    await cli('cmds', 'add', 'after_copy', 'x')
    await cli('cmds', 'add', 'after_save', 'y')
    expect((await cli('cmds', 'ls')).stdout.split('\n').sort()).toEqual([
      '',
      'after_copy(0): x',
      'after_save(0): y',
      'before_copy(0): echo a  b $FILE',
    ])
    expect((await cli('cmds', 'ls', '-e', 'copy')).stdout).toBe(
      'before_copy(0): echo a  b $FILE\nafter_copy(0): x\n',
    )
  })

  test('rm takes a range', async () => {
    for (const name of ['a', 'b', 'c']) await cli('cmds', 'add', 'after_save', name)
    expect((await cli('cmds', 'rm', 'after_save', '0', '1')).stdout).toBe('after_save(0): c\n')
    expect((await cli('cmds', 'rm', 'after_save', '5')).code).toBe(1)
    expect((await cli('cmds', 'rm', 'after_save', '0')).stdout).toBe('')
  })

  test('an event nobody raises is kept, with a warning', async () => {
    const { code, stdout, stderr } = await cli('cmds', 'add', 'after_lunch', 'sleep')
    expect(code).toBe(0)
    expect(stdout).toContain('after_lunch(0): sleep')
    expect(stderr).toContain('nothing ever raises')
    expect((await cli('cmds', 'ls')).stdout).toContain('after_lunch(0): sleep')
  })
})
