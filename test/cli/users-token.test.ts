import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createApiTokens } from '../../src/auth/api-tokens.ts'
import { openStore } from '../../src/store/store.ts'
import { runCli } from '../support/cli.ts'

let cwd: string
const cli = (...words: string[]) => runCli(['users', 'token', ...words], { cwd })

/** What the server takes a token for. */
async function accountOf(text: string) {
  const store = await openStore(join(cwd, 'filebrowser.db'))
  try {
    return (await createApiTokens(store).find(text.trim()))?.user ?? null
  } finally {
    await store.close()
  }
}

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-tokens-'))
  await runCli(['config', 'init', '--root', cwd], { cwd })
  await runCli(['users', 'add', 'mona', 'Correct-Horse-9-Battery', '--perm.admin'], { cwd })
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

describe('users token', () => {
  test('add prints a token of the account alone, with the rights and the folder that it names', async () => {
    const words = ['--folder', '/photos/', '--perm.delete=false']
    const { stdout, code } = await cli('add', 'mona', 'backup', ...words)
    expect(code).toBe(0)
    expect(await accountOf(stdout)).toMatchObject({
      username: 'mona',
      folder: '/photos',
      perm: { admin: false, execute: false, delete: false, modify: true, download: true },
    })
  })

  test('add makes one for 90 days unless told otherwise', async () => {
    await cli('add', 'mona', 'backup')
    await cli('add', 'mona', 'for ever', '--days', '0')
    const { stdout } = await cli('ls', 'mona')
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    expect(stdout).toContain(inDays(90).slice(0, 10))
    expect(stdout).toMatch(/for ever.*never\s+never/)
  })

  test('rm takes an id or a name', async () => {
    const first = (await cli('add', 'mona', 'first')).stdout
    const second = (await cli('add', 'mona', 'second')).stdout
    expect((await cli('rm', 'mona', 'first')).code).toBe(0)
    expect((await cli('rm', 'mona', second.split('.')[1] ?? '')).code).toBe(0)
    expect(await accountOf(first)).toBeNull()
    expect(await accountOf(second)).toBeNull()
  })

  test.each<[string[], RegExp]>([
    [['add', 'nobody', 'x'], /does not exist/],
    [['add', 'mona', ''], /name must have/],
    [['add', 'mona', 'x', '--days', 'many'], /whole number of days/],
    [['rm', 'mona', 'nothing'], /no token nothing/],
    [['ls'], /expected 1 argument/],
  ])('%j is refused with a reason', async (words, text) => {
    const { code, stderr } = await cli(...words)
    expect(code).toBe(1)
    expect(stderr).toMatch(text)
  })
})
