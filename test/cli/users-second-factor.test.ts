// `filebrowser users second-factor`, called as in a terminal.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PASSKEYS, SECOND_FACTORS, SESSIONS } from '../../src/store/collections.ts'
import type { Passkey, SecondFactor } from '../../src/store/document.ts'
import { openStore } from '../../src/store/store.ts'
import { runCli } from '../support/cli.ts'

let cwd: string
const cli = (...words: string[]) => runCli(words, { cwd })

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-factors-'))
  await cli('config', 'init', '--root', cwd)
  await cli('users', 'add', 'mona', 'Blue-Kettle-77-Window')
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const FACTOR: SecondFactor = {
  userID: 1,
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  lastStep: 0,
  recovery: [],
  createdMs: 1,
  required: false,
}
const PASSKEY: Passkey = {
  id: 'credential',
  userID: 1,
  publicKey: 'key',
  counter: 0,
  transports: [],
  rpID: 'files.example.org',
  userHandle: 'handle',
  name: 'Phone',
  createdMs: 1,
  lastUsedMs: 0,
  backedUp: false,
}
const SESSION = { createdMs: 1, lastSeenMs: 1, remember: true, address: '', userAgent: '' }

async function enrolMona(factor: Partial<SecondFactor> = {}): Promise<void> {
  const store = await openStore(`${cwd}/filebrowser.db`)
  await store.transaction((tx) => {
    tx.insert(SECOND_FACTORS, { ...FACTOR, ...factor })
    tx.insert(SESSIONS, { id: 's', userID: 1, ...SESSION })
  })
  await store.close()
}

async function factorsAndSessions() {
  const store = await openStore(`${cwd}/filebrowser.db`)
  await store.close()
  return [store.all(SECOND_FACTORS), store.all(SESSIONS)]
}

describe('filebrowser users second-factor', () => {
  test('reset removes it and signs the account out', async () => {
    await enrolMona()
    const { code, stdout } = await cli('users', 'second-factor', 'reset', 'mona')
    expect([code, stdout]).toEqual([0, 'two-step sign-in of mona is off\n'])
    expect(await factorsAndSessions()).toEqual([[], []])
  })

  test('reset removes passkeys as well, which may be all that there is', async () => {
    const store = await openStore(`${cwd}/filebrowser.db`)
    await store.transaction((tx) => tx.insert(PASSKEYS, PASSKEY))
    await store.close()
    expect((await cli('users', 'second-factor', 'reset', 'mona')).code).toBe(0)
    const after = await openStore(`${cwd}/filebrowser.db`)
    await after.close()
    expect(after.all(PASSKEYS)).toEqual([])
  })

  test('reset says so when there is none, or no such account', async () => {
    expect((await cli('users', 'second-factor', 'reset', 'mona')).code).not.toBe(0)
    const { code, stderr } = await cli('users', 'second-factor', 'reset', 'nobody')
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/not exist|no user/)
  })

  test('exports of settings and accounts hold nothing of it', async () => {
    await enrolMona({ recovery: ['hash-of-a-code'] })
    await cli('config', 'export', 'config.json')
    await cli('users', 'export', 'users.json')
    for (const name of ['config.json', 'users.json']) {
      const text = await readFile(join(cwd, name), 'utf8')
      expect(text).not.toContain(FACTOR.secret)
      expect(text).not.toContain('hash-of-a-code')
    }
  })

  test('who must have one stands in the export of settings once it was chosen, and comes back', async () => {
    await cli('config', 'export', 'config.json')
    expect(await readFile(join(cwd, 'config.json'), 'utf8')).not.toContain('secondFactor')
    await cli('config', 'set', '--secondFactor', 'administrators')
    await cli('config', 'export', 'config.json')
    await cli('config', 'set', '--secondFactor', 'off')
    expect((await cli('config', 'import', 'config.json')).stdout).toMatch(
      /Second Factor: +administrators/,
    )
  })

  test('an import of accounts keeps the factor of those that stay, and takes that of the others whose account is gone, and no others', async () => {
    await enrolMona()
    await cli('users', 'export', 'users.json')
    await cli('users', 'import', 'users.json', '--overwrite')
    expect((await factorsAndSessions())[0]).toHaveLength(1)
    await cli('users', 'add', 'ben', 'Blue-Kettle-77-Window')
    await cli('users', 'rm', 'mona')
    expect((await factorsAndSessions())[0]).toEqual([])
  })
})
