// Numbers that no upload, password or port has: refused with the name of where they stand, and the
// database stays as it was.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCli } from '../support/cli.ts'

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-absurd-'))
  expect((await cli('config', 'init')).code).toBe(0)
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const cli = (...words: string[]) => runCli(words, { cwd })
const database = () => readFile(join(cwd, 'filebrowser.db'), 'utf8')

async function expectRefused(words: string[], message: string): Promise<void> {
  const before = await database()
  const { code, stderr } = await cli(...words)
  expect(stderr).toContain(`Error: ${message}`)
  expect(code).toBe(1)
  expect(await database()).toBe(before)
  expect((await cli('config', 'cat')).code).toBe(0)
}

describe('by flag', () => {
  test.each([
    ['tus.chunkSize', '9007199254740992', 'the number is too large'],
    ['tus.chunkSize', '18446744073709551616', 'the number is too large'],
    ['tus.chunkSize', `1${'0'.repeat(400)}`, 'the number is too large'],
    ['tus.chunkSize', '0xffff_ffff_ffff_ffff', 'the number is too large'],
    ['tus.chunkSize', '-1', 'must be 0 or more'],
    ['tus.chunkSize', '1.5', 'expected a whole number'],
    ['tus.chunkSize', '1e9', 'expected a whole number'],
    ['tus.chunkSize', 'Infinity', 'expected a whole number'],
    ['tus.chunkSize', '10MB', 'expected a whole number'],
    ['tus.chunkSize', '', 'expected a whole number'],
    ['tus.retryCount', '65536', 'must be 65535 or less'],
    ['tus.retryCount', '-3', 'must be 0 or more'],
    ['fileMode', '0o77777777777777777777', 'the number is too large'],
    ['port', '65536', 'expected a port from 0 to 65535 or the name of a service'],
    ['port', '-1', 'expected a port from 0 to 65535 or the name of a service'],
    ['tokenExpirationTime', '99999999999h', 'the duration is too long'],
    ['tokenExpirationTime', '-2h', 'expected a duration such as 90s, 2h30m or 7d'],
  ])('--%s=%s', (flag, text, reason) =>
    expectRefused(
      ['config', 'set', `--${flag}=${text}`],
      `--${flag}: "${text}" is not valid, ${reason}`,
    ),
  )

  test('the largest that is a number is kept as it is', async () => {
    expect((await cli('config', 'set', '--tus.chunkSize=9007199254740991')).code).toBe(0)
    expect(JSON.parse(await database()).settings.tus.chunkSize).toBe(9007199254740991)
    expect((await cli('config', 'cat')).stdout).toMatch(/Chunk size:\s+9007199254740991/)
  })
})

describe.each(['json', 'yaml'])('in an imported %s file', (extension) => {
  test.each([
    ['chunkSize', '-1', 'settings.tus.chunkSize must be 0 or more'],
    ['chunkSize', '1.5', 'settings.tus.chunkSize must be a whole number'],
    ['chunkSize', '"many"', 'settings.tus.chunkSize must be a whole number'],
    ['retryCount', '-1', 'settings.tus.retryCount must be 0 or more'],
    ['minimumPasswordLength', '-8', 'settings.minimumPasswordLength must be 0 or more'],
    ['fileMode', '-420', 'settings.fileMode must be 0 or more'],
  ])('%s: %s', async (key, value, reason) => {
    const file = join(cwd, `settings.${extension}`)
    expect((await cli('config', 'export', file)).code).toBe(0)
    const text = await readFile(file, 'utf8')
    const changed = text.replace(new RegExp(`("?${key}"?: )\\d+`, 'i'), `$1${value}`)
    expect(changed).not.toBe(text)
    await writeFile(file, changed)
    await expectRefused(['config', 'import', file], `${file}: ${reason}`)
  })
})

test('an account with a negative id is not imported', async () => {
  await cli('users', 'add', 'admin', 'Correct-Horse-9-Battery', '--perm.admin')
  const file = join(cwd, 'users.json')
  await cli('users', 'export', file)
  await writeFile(file, (await readFile(file, 'utf8')).replace(/"id": \d+/, '"id": -1'))
  await expectRefused(['users', 'import', file], `${file}: user 1.id must be 0 or more`)
})
