import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lineOf, parseLine } from '../../src/audit/event.ts'
import { runCli } from '../support/cli.ts'

const PASSWORD = 'Correct-Horse-9-Battery'
let cwd: string
const cli = (words: string[], env: Record<string, string> = {}) => runCli(words, { cwd, env })
const logOf = async (name = 'filebrowser.db.audit.jsonl') => {
  const text = await readFile(join(cwd, name), 'utf8').catch(() => '')
  return text.trimEnd().split('\n').map(parseLine)
}

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-audit-'))
  await cli(['config', 'init', '--root', cwd], { FB_AUDIT: 'off' })
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

describe('the command line', () => {
  test('leaves a line for what it changes, without passwords, and none for what it reads', async () => {
    await cli(['users', 'add', 'mona', PASSWORD])
    await cli(['users', 'ls'])
    const lines = await logOf()
    expect(lines).toMatchObject([
      { via: 'command line', action: 'command-line', target: 'users add mona', result: 'ok' },
    ])
    expect(JSON.stringify(lines)).not.toContain(PASSWORD)
  })

  test('writes where the server does: by the environment and the configuration file', async () => {
    await cli(['users', 'add', 'mona', PASSWORD], { FB_AUDIT: join(cwd, 'elsewhere.jsonl') })
    expect(await logOf('elsewhere.jsonl')).toHaveLength(1)
    await writeFile(join(cwd, '.filebrowser.json'), '{"audit": "off"}')
    await cli(['users', 'add', 'ben', PASSWORD])
    expect(await logOf()).toEqual([null])
  })
})

describe('audit', () => {
  const line = (path: string, more = {}) =>
    lineOf(Date.now(), { user: 'mona', action: 'upload', path, result: 'ok', ...more })

  test('prints the last lines, the oldest first', async () => {
    const lines = ['/1', '/2', '/3'].map((path) => line(path))
    await writeFile(join(cwd, 'filebrowser.db.audit.jsonl'), lines.join(''))
    const { stdout, code } = await cli(['audit', '--lines', '2'])
    expect(code).toBe(0)
    expect(stdout).toBe(lines.slice(1).join(''))
  })

  test('prints what is asked for', async () => {
    const lines = [line('/1'), line('/2', { user: 'ben' }), line('/3', { action: 'delete' })]
    await writeFile(join(cwd, 'filebrowser.db.audit.jsonl'), lines.join(''))
    expect((await cli(['audit', '--user', 'ben'])).stdout).toBe(lines[1])
    expect((await cli(['audit', '--action', 'delete'])).stdout).toBe(lines[2])
    expect((await cli(['audit', '--path', '1'])).stdout).toBe(lines[0])
  })

  test('says where there is nothing to read', async () => {
    const { stderr, code } = await cli(['audit', '--audit', 'off'])
    expect(code).toBe(1)
    expect(stderr).toContain('kept in no file (audit is off)')
  })
})
